//! `cargo xtask props`: the property tests with other seeds than the one of the suite.
//!
//! `.cargo/config.toml` gives every run of the tests one seed, so that a red run can be repeated. This chore runs the tests that
//! have properties again and again with random seeds. A seed with which one fails is added to [`KEPT`], which is run first from
//! then on, and by `cargo xtask test --all`. The failing values that a test prints belong into a test of their own.

use crate::{Command, child, failure::Failure, flags::Flags, print};
use std::{
    collections::BTreeSet,
    fs,
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
};

pub const COMMAND: Command = Command {
    name: "props",
    usage: "[--rounds N] [--kept]",
    about: "Runs the property tests with the seeds that failed before and N random ones (20).",
    run,
};

/// The default number of random seeds.
const ROUNDS: usize = 20;
/// The file of the seeds that failed, from the root of the repository: one a line, `#` starts a comment.
const KEPT: &str = "xtask/props-seeds.txt";
/// The variable that proptest reads its seed from.
const SEED: &str = "PROPTEST_RNG_SEED";

fn run(words: &[String]) -> Result<(), Failure> {
    let mut rounds = ROUNDS;
    let mut flags = Flags::new("props [--rounds N] [--kept]", words);
    while let Some(word) = flags.next() {
        match word {
            "--rounds" => rounds = flags.number(word)?,
            "--kept" => rounds = 0,
            _ => return Err(flags.unknown(word)),
        }
    }
    let root = child::root();
    let unreadable = |error: io::Error| Failure::new(format!("the sources cannot be read: {error}"));
    let targets = targets(&root.join("crates")).map_err(unreadable)?;
    let file = root.join(KEPT);
    let kept = seeds(&fs::read_to_string(&file).unwrap_or_default())?;
    for seed in &kept {
        if !holds(*seed, &targets)? {
            return Err(Failure::new(format!("a property does not hold with the kept seed {seed}")));
        }
    }
    for _ in 0..rounds {
        let seed = RandomState::new().hash_one(());
        if !holds(seed, &targets)? {
            let mut text = fs::read_to_string(&file).unwrap_or_default();
            text.push_str(&format!("{seed}\n"));
            let note = match fs::write(&file, text) {
                Ok(()) => format!("it was added to {KEPT}"),
                Err(error) => format!("add it to {KEPT}, which cannot be written: {error}"),
            };
            return Err(Failure::new(format!("a property does not hold with the seed {seed}"))
                .help(format!("{note}; write a test with the values above, then commit both")));
        }
    }
    print::line(&format!("{} kept seeds and {rounds} random ones: every property holds", kept.len()));
    Ok(())
}

/// Runs the tests with one seed; the output is shown where one fails.
fn holds(seed: u64, targets: &BTreeSet<String>) -> Result<bool, Failure> {
    print::line(&format!("seed {seed}"));
    let mut command = child::cargo(&["test", "--quiet", "--workspace", "--lib"]);
    for target in targets {
        command.args(["--test", target]);
    }
    command.env(SEED, seed.to_string());
    child::quietly(command)
}

/// Reads the file of the seeds.
fn seeds(text: &str) -> Result<Vec<u64>, Failure> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines
        .filter(|line| !line.is_empty())
        .map(|line| {
            line.parse().map_err(|_| Failure::new(format!("{KEPT} has a line that is no seed: `{line}`")))
        })
        .collect()
}

/// Finds the test targets below `crates/*/tests` that have properties. Those of the libraries are run anyway.
fn targets(crates: &Path) -> io::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for one in fs::read_dir(crates)? {
        let tests = one?.path().join("tests");
        if !tests.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&tests)? {
            let path = entry?.path();
            let is_target = path.is_dir() && path.join("main.rs").is_file()
                || path.extension().is_some_and(|extension| extension == "rs");
            if is_target && has_properties(&path)? {
                found.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
    }
    Ok(found)
}

/// Returns whether a source file, or one in a directory, has properties.
fn has_properties(path: &PathBuf) -> io::Result<bool> {
    if !path.is_dir() {
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        let has = |text: String| text.contains("proptest!") || text.contains("TestRunner::new");
        return Ok(is_source && has(fs::read_to_string(path)?));
    }
    for entry in fs::read_dir(path)? {
        if has_properties(&entry?.path())? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_with_properties_are_found_by_their_sources() {
        let found = targets(&child::root().join("crates")).unwrap();
        for name in ["settings_properties", "conversation", "default_workspaces"] {
            assert!(found.contains(name), "{name}: {found:?}");
        }
        assert!(!found.contains("printed_prompts"), "{found:?}");
    }

    #[test]
    fn kept_seeds_are_lines() {
        assert_eq!(seeds("# why\n7\n\n 18446744073709551615 # max\n"), Ok(vec![7, u64::MAX]));
        assert!(seeds("x\n").unwrap_err().to_string().contains("no seed: `x`"));
    }

    #[test]
    fn the_kept_seeds_can_be_read() {
        let text = fs::read_to_string(child::root().join(KEPT)).unwrap();
        assert!(seeds(&text).is_ok());
    }

    /// A test of its own process would see the seed of whoever runs it; the file is what decides.
    #[test]
    fn the_suite_has_one_seed() {
        let config = fs::read_to_string(child::root().join(".cargo/config.toml")).unwrap();
        assert!(config.contains(&format!("{SEED} = \"")), "{config}");
    }
}
