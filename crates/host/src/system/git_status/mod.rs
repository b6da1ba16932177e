//! What `git status --short` prints, computed in this process.
//!
//! git itself is never started: no set of its options keeps it from running what a repository names (`core.fsmonitor`,
//! hooks, clean filters, also those of submodules). The library `gix` reads the index, the trees and the work tree;
//! around it stands what makes the text equal to git's, and what keeps the repository from being more than data:
//!
//! - `open` opens a repository without its programs: every filter and diff driver is taken out of the configuration,
//!   whoever configured it, and paths of the repository's own configuration are not trusted.
//! - `filters` compares files. Where git would run a clean or process filter, size and stat of the index decide; where
//!   they do not, the answer is [`GitTrouble::Filter`], never a guess.
//! - `submodules` looks into submodules, each opened with the same care.
//! - `renames` finds renames by git's own measure, `walk` brings all together, `letters` and `quote` print it.
//!
//! Nothing is written: no lock is taken and the index is not refreshed. Configuration that only changes the output
//! (`status.showUntrackedFiles`, `status.renames`, `status.relativePaths`, `core.quotePath`, `core.fileMode`,
//! `core.ignoreCase`, `core.autocrlf`, …) counts, from the repository and from the user. `status.branch` and colours are
//! for people and do not count; git's environment variables (`GIT_DIR`, `GIT_INDEX_FILE`, …) are not asked.
//!
//! Bounds: [`TIME_LIMIT`] for the whole answer, [`INDEX_LIMIT`] for an index, [`DEPTH_LIMIT`] for submodules in
//! submodules, and git's own limits for renames.

mod filters;
mod letters;
mod open;
mod quote;
mod renames;
mod submodules;
mod walk;

use super::{GitTrouble, os::OsSystem};
use crate::provider::git::Repository;
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

/// The longest that a status may take.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The largest index that is read, in bytes: about two million files.
pub const INDEX_LIMIT: u64 = 256 * 1024 * 1024;
/// How deep submodules may lie in submodules.
pub const DEPTH_LIMIT: usize = 8;

/// Returns what `git status --short` prints in `dir`, without the last line end; nothing for a clean work tree.
///
/// # Errors
/// `dir` lies in no work tree; the repository has a format that is not read (reftable, SHA-256, a sparse index); a file
/// of which only a filter could tell whether it changed; broken files; more than [`TIME_LIMIT`].
pub fn status(dir: &Path) -> Result<String, GitTrouble> {
    // A thread of its own can be left behind if a file system does not answer.
    let (sender, receiver) = channel();
    let interrupt = Arc::new(AtomicBool::new(false));
    let worker = {
        let (dir, interrupt) = (dir.to_owned(), interrupt.clone());
        move || _ = sender.send(status_now(&dir, &interrupt))
    };
    thread::Builder::new()
        .name("git-status".into())
        .spawn(worker)
        .map_err(|error| GitTrouble::Broken(format!("no thread for the status: {error}")))?;
    match receiver.recv_timeout(TIME_LIMIT) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => {
            interrupt.store(true, Ordering::Relaxed);
            Err(GitTrouble::Broken(format!("the status took more than {} s", TIME_LIMIT.as_secs())))
        }
        Err(RecvTimeoutError::Disconnected) => {
            Err(GitTrouble::Broken("the status could not be computed".into()))
        }
    }
}

/// Computes the status in the calling thread until `interrupt` is set.
fn status_now(dir: &Path, interrupt: &AtomicBool) -> Result<String, GitTrouble> {
    let found = Repository::holding(&OsSystem::new(&[]), dir)?;
    if found.inside_git_dir() {
        return Err(GitTrouble::NoRepository);
    }
    let work_tree = open::work_tree(&found)?;
    if work_tree.is_bare() {
        return Err(GitTrouble::NoRepository);
    }
    let seen = walk::look(&work_tree, walk::Untracked::AsConfigured, 0, interrupt)?;
    letters::print(&seen, &work_tree, &found)
}
