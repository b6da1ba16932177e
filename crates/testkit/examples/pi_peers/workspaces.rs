//! Compares whole trees: discovery and build of the package beside `preface build`.

use crate::{
    Setup, known,
    oracle::{self, Oracle},
    report::Tally,
};
use preface_testkit::peers::{PiOptions, ProfileFault, Workspace};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// How often progress is shown.
const STEP: usize = 50;
/// What is active if a tree names no tools.
const DEFAULT_TOOLS: [&str; 4] = ["read", "bash", "edit", "write"];

/// Who answers for the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// One warm process: discovery and build, no session around it.
    Serve,
    /// A whole session in a process of its own.
    Session,
}

/// Compares trees. `again` writes the command that makes one of them again.
pub fn compare(
    setup: &Setup,
    variant: &str,
    options: &PiOptions,
    trees: impl ExactSizeIterator<Item = (Option<u64>, Workspace)>,
    by: By,
    plant: Option<ProfileFault>,
) -> Result<Tally, String> {
    let ours = Preface::new(setup, variant, options, plant)?;
    let mut warm = match by {
        By::Serve => Some(Oracle::start(setup, variant, "serve", crate::NOW)?),
        By::Session => None,
    };
    let root = setup.root.join("ws");
    let mut tally = Tally::default();
    let all = trees.len();
    for (seed, tree) in trees {
        tree.write(&root).map_err(|error| format!("{} could not be written: {error}", tree.name))?;
        let mut oracle_prompt = || match &mut warm {
            Some(warm) => warm.request(&request(&tree, &root, variant, options))?,
            None => {
                let (cwd, home) = (tree.cwd_in(&root), tree.home_in(&root));
                oracle::session(setup, variant, crate::NOW, &cwd, &home, tree.tools.as_deref()).map(Ok)?
            }
        };
        let want = oracle_prompt().unwrap_or_else(|error| format!("error: {error}"));
        let got = ours.prompt(&tree, &root).unwrap_or_else(|error| format!("error: {error}"));
        tally.compared += 1;
        if want != got {
            let unreadable = known::unreadable(&tree, &root);
            // As preface sees it, what cannot be read is not there.
            unreadable.iter().try_for_each(|path| away(path))?;
            let meant = !unreadable.is_empty() && oracle_prompt().is_ok_and(|want| want == got);
            if meant {
                *tally.known.entry(known::UNREADABLE).or_default() += 1;
            } else {
                let again = seed.map_or_else(String::new, |seed| {
                    format!("cargo xtask peers pi --variant {variant} --seed {seed} --only workspaces")
                });
                tally.differs(&format!("{variant} workspace {}", tree.name), &again, &want, &got);
            }
        }
        // A tree that was requested by name is kept for inspection.
        if setup.keep {
            println!("kept: {}", root.join(&tree.name).display());
        } else {
            _ = fs::remove_dir_all(root.join(&tree.name));
        }
        if tally.compared % STEP == 0 && plant.is_none() {
            println!("{variant}: {} of {all} workspaces, {} differ", tally.compared, tally.differ);
        }
    }
    Ok(tally)
}

/// The request to the warm process; without a session the tools' texts are part of it.
fn request(tree: &Workspace, root: &Path, variant: &str, options: &PiOptions) -> String {
    let tools = tree.tools.clone().unwrap_or_else(|| DEFAULT_TOOLS.map(str::to_owned).to_vec());
    let (mut snippets, mut guidelines) = (serde_json::Map::new(), Vec::new());
    if variant != "0.58" {
        for (name, texts) in tools.iter().filter_map(|tool| options.tool_texts.get_key_value(tool)) {
            snippets.insert(name.clone(), texts.snippet.as_str().into());
        }
        for texts in tools.iter().filter_map(|tool| options.tool_texts.get(tool)) {
            guidelines.extend(texts.guidelines.iter().cloned());
        }
    }
    let line = json!({
        "cwd": tree.cwd_in(root), "home": tree.home_in(root), "tools": tools,
        "toolSnippets": snippets, "promptGuidelines": guidelines,
    });
    preface_testkit::peers::ascii(&line.to_string())
}

fn away(path: &Path) -> Result<(), String> {
    let removed = match path.is_symlink() {
        true => fs::remove_file(path),
        false => fs::remove_dir_all(path),
    };
    removed.map_err(|error| format!("{}: {error}", path.display()))
}

/// `preface build` with the options of a variant.
struct Preface {
    binary: PathBuf,
    words: Vec<String>,
}

impl Preface {
    fn new(
        setup: &Setup,
        variant: &str,
        options: &PiOptions,
        plant: Option<ProfileFault>,
    ) -> Result<Self, String> {
        let mut words = vec!["build".to_owned(), "--quiet".to_owned()];
        if plant == Some(ProfileFault::Order) {
            let context = if variant == "0.87" { "project_context" } else { "context" };
            let text = format!("extends = \"pi\"\n[section.skills]\nbefore = \"{context}\"\n");
            let file = setup.root.join("order.toml");
            fs::write(&file, text).map_err(|error| error.to_string())?;
            words.extend(["--profile".to_owned(), file.display().to_string()]);
        } else {
            words.extend(["--preset", "pi"].map(str::to_owned));
        }
        words.extend(["--now", crate::NOW, "--tz", crate::ZONE].map(str::to_owned));
        let mut sets = options.sets(variant);
        if plant == Some(ProfileFault::Separator) {
            sets.push("join=\n".to_owned());
        }
        words.extend(sets.into_iter().flat_map(|set| ["--set".to_owned(), set]));
        Ok(Preface { binary: setup.preface.clone(), words })
    }

    fn prompt(&self, tree: &Workspace, root: &Path) -> Result<String, String> {
        let mut command = Command::new(&self.binary);
        // The package follows links to anywhere; what such a link gives is compared where the user allows it.
        command.args(&self.words).arg("-C").arg(tree.cwd_in(root)).arg("--follow").arg(root.join(&tree.name));
        if let Some(tools) = &tree.tools {
            let names = if tools.is_empty() { "none".to_owned() } else { tools.join(",") };
            command.args(["--tools", &names]);
        }
        let output = command
            .env_clear()
            .env("HOME", tree.home_in(root))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{} could not be started: {error}", self.binary.display()))?;
        match output.status.success() {
            true => String::from_utf8(output.stdout).map_err(|error| error.to_string()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}
