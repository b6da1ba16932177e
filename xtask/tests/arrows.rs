//! ARCHITECTURE.md draws who may use whom, in a block that starts with ```` ```arrows ````. These tests hold the drawing
//! against the manifests, both ways. One more test bounds what the library without features depends on.

use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Crates by the name of their directory, each with the crates that it uses.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The most crates that `preface` without features may compile, itself among them.
const MOST_CRATES: usize = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

/// Reads the block: one line per crate, `host -> core`, its dependencies separated by blanks.
fn drawn() -> Arrows {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is in the root");
    let block = page.split("\n```arrows\n").nth(1).and_then(|rest| rest.split("\n```").next());
    let block = block.expect("ARCHITECTURE.md has a block that starts with ```arrows");
    let mut arrows = Arrows::new();
    for line in block.lines() {
        let (from, to) = line.split_once("->").unwrap_or_else(|| panic!("no arrow in the line `{line}`"));
        let to = to.split_whitespace().map(str::to_owned).collect();
        let twice = arrows.insert(from.trim().to_owned(), to);
        assert!(twice.is_none(), "the block has two lines for `{}`", from.trim());
    }
    arrows
}

/// Runs cargo in the root and returns what it prints.
fn cargo(args: &[&str]) -> Vec<u8> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(args)
        .current_dir(root())
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Asks cargo for the members of the workspace and the normal dependencies among them.
fn built() -> Arrows {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_slice(&metadata).expect("cargo metadata prints JSON");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let package = |package: Value| {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let from = directory_name(manifest.parent().expect("a manifest lies in a directory"));
        let dependencies = list(&package["dependencies"]);
        let normal = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        let inside = normal.filter_map(|dependency| dependency["path"].as_str());
        (from, inside.map(|path| directory_name(Path::new(path))).collect())
    };
    list(&metadata["packages"]).into_iter().map(package).collect()
}

fn directory_name(path: &Path) -> String {
    path.file_name().expect("a crate has a directory").to_string_lossy().into_owned()
}

#[test]
fn every_crate_has_a_line_and_every_line_a_crate() {
    let (drawn, built) = (drawn(), built());
    for name in built.keys() {
        assert!(drawn.contains_key(name), "the crate `{name}` has no line in the arrows of ARCHITECTURE.md");
    }
    for name in drawn.keys() {
        assert!(built.contains_key(name), "ARCHITECTURE.md draws `{name}`, but there is no such crate");
    }
}

#[test]
fn the_manifests_use_what_is_drawn_and_nothing_else() {
    let (drawn, built) = (drawn(), built());
    for (from, uses) in &built {
        let allowed = drawn.get(from).cloned().unwrap_or_default();
        let undrawn = uses.difference(&allowed).next();
        assert_eq!(undrawn, None, "`{from}` depends on a crate to which ARCHITECTURE.md draws no arrow");
        let unused = allowed.difference(uses).next();
        assert_eq!(
            unused, None,
            "ARCHITECTURE.md draws an arrow from `{from}` that its manifest does not have"
        );
    }
}

#[test]
fn the_core_looks_up_to_nobody() {
    let arrows = built();
    let core = arrows.get("core").expect("there is a core");
    assert!(core.is_empty(), "the core is pure and uses no other crate of ours, but it uses {core:?}");
}

#[test]
fn the_library_without_features_compiles_few_crates() {
    let tree = cargo(&["tree", "--package", "preface", "--edges", "normal,build", "--prefix", "none"]);
    let tree = String::from_utf8(tree).expect("cargo tree prints text");
    let crates: BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    assert!(
        crates.len() <= MOST_CRATES,
        "`preface` without features compiles {} crates, more than {MOST_CRATES}: make a dependency optional",
        crates.len()
    );
}
