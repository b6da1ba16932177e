//! What the published packages answered is what preface answers, byte for byte.
//!
//! `tests/peers` holds recordings of `cargo xtask peers pi --record`: builder inputs and small trees with the packages'
//! prompts, in which a token stands for each sentence that only a package has. The tokens are given as options, so the
//! prompts are equal as they are. The packages themselves are not needed here.

use preface_engine::{ASSETS, BuildOptions, Engine};
use preface_testkit::{
    MemorySystem,
    peers::{BuilderInput, PiBuilder, PiOptions, ProfileFault, VARIANTS, edge_workspaces},
};
use serde::Deserialize;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The clock of the inputs: the day in UTC and the day in the zone differ.
const INPUTS: &str = "2026-03-08T05:55:05Z";
/// The clock of the trees.
const TREES: &str = "2026-03-07T14:55:05Z";
const ZONE: &str = "America/Chicago";
/// Where the trees are in memory.
const ROOT: &str = "/peers";

/// A builder input with the package's prompt.
#[derive(Deserialize)]
struct Row {
    r#in: BuilderInput,
    prompt: String,
}

fn recorded(variant: &str, name: &str) -> String {
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests/peers/pi", variant, name].iter().collect();
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn options(variant: &str) -> PiOptions {
    serde_json::from_str(&recorded(variant, "options.json")).unwrap()
}

fn rows(variant: &str) -> Vec<Row> {
    recorded(variant, "pure.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn builder(variant: &str) -> PiBuilder {
    PiBuilder::new(variant, &options(variant), INPUTS, ZONE).unwrap()
}

#[test]
fn recorded_inputs_give_the_packages_prompts() {
    for variant in VARIANTS {
        let builder = builder(variant);
        let rows = rows(variant);
        assert!(rows.len() >= 20, "{variant} has recordings");
        for (at, row) in rows.iter().enumerate() {
            assert_eq!(builder.prompt(&row.r#in).unwrap(), row.prompt, "{variant}, line {}", at + 1);
        }
    }
}

#[test]
fn recorded_trees_give_the_packages_prompts() {
    for variant in VARIANTS {
        for tree in edge_workspaces() {
            let root = Path::new(ROOT);
            let system = tree.in_memory(root, MemorySystem::new().with_bundle(ASSETS));
            let request = BuildOptions {
                preset: Some("pi".to_owned()),
                now: Some(TREES.to_owned()),
                zone: Some(ZONE.to_owned()),
                sets: options(variant).sets(variant),
                // The packages follow links to anywhere in the tree.
                follow: vec![root.join(&tree.name)],
                ..BuildOptions::in_dir(tree.cwd_in(root))
            };
            let built = Engine::new(&system).build(&request).unwrap();
            let want = recorded(variant, &format!("{}.txt", tree.name)).replace("@ROOT@", ROOT);
            assert_eq!(built.prompt.text, want, "{variant}, tree `{}`", tree.name);
        }
    }
}

#[test]
fn a_wrong_separator_or_order_does_not_pass() {
    for variant in VARIANTS {
        for plant in [ProfileFault::Separator, ProfileFault::Order] {
            let mut builder = builder(variant);
            builder.plant(plant);
            let differ = rows(variant)
                .iter()
                .filter(|row| builder.prompt(&row.r#in).as_ref() != Ok(&row.prompt))
                .count();
            assert!(differ > 0, "{variant}: {plant:?} passes");
        }
    }
}
