//! The git branch from the repository's files, beside a call of git.

use crate::{
    Bench, BenchError,
    harness::{closure, interleave},
    process::process,
    table::{Bar, Table},
};
use preface_core::assets::ASSETS;
use preface_host::{provider::git, system::os::OsSystem};
use std::{path::Path, process::Command};

pub const BENCH: Bench =
    Bench { name: "branch", about: "the variable `git:branch` from files, beside a process of git.", run };

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let directory = tempfile::tempdir()?;
    let root = directory.path();
    let inside = root.join("src/deep");
    std::fs::create_dir_all(&inside)?;
    run_git(root, &["init", "--quiet", "--initial-branch", "feature/tides"])?;
    let author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
    run_git(root, &[&author[..], &["commit", "--quiet", "--allow-empty", "--message", "first"]].concat())?;
    let system = OsSystem::new(ASSETS);
    let ours = git::branch(&system, &inside).map_err(|error| BenchError::Failed(format!("{error:?}")))?;
    let theirs = run_git(&inside, &["rev-parse", "--abbrev-ref", "HEAD"])?;
    if ours.as_deref() != Some(theirs.trim()) {
        return Err(BenchError::Failed(format!("preface reads the branch {ours:?}, git prints {theirs:?}")));
    }
    let mut command = Command::new("git");
    command.args(["rev-parse", "--abbrev-ref", "HEAD"]).current_dir(&inside);
    let contestants = vec![
        closure("from files", || git::branch(&system, &inside)),
        process("git rev-parse --abbrev-ref HEAD", command)?,
    ];
    let measured = interleave(contestants, rounds.unwrap_or(201));
    let bars = vec![Bar { of: "from files", to: "git rev-parse --abbrev-ref HEAD", at_most: 1.0 / 20.0 }];
    Ok(vec![Table::new("two directories below the root, one commit", measured, bars)])
}

/// Runs git and returns what it prints.
fn run_git(directory: &Path, words: &[&str]) -> Result<String, BenchError> {
    let output = Command::new("git").args(words).current_dir(directory).output();
    let output = output.map_err(|_| BenchError::Missing("`git` is not on this machine".into()))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(BenchError::Failed(format!("git {}: {stderr}", words.join(" "))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
