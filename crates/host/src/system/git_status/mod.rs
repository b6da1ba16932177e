//! The output of `git status --short`, computed in this process.
//!
//! git itself is never started: no set of its options keeps it from running what a repository names (`core.fsmonitor`,
//! hooks, clean filters, also those of submodules). The library `gix` reads the index, the trees and the work tree;
//! around it is what makes the text equal to git's, and what keeps the repository from being more than data:
//!
//! - `open` opens a repository without its programs: every filter and diff driver is taken out of the configuration,
//!   whoever configured it, and paths of the repository's own configuration are not trusted.
//! - `filters` compares files. Where git would run a clean or process filter, size and stat of the index decide; where
//!   they do not, the answer is [`GitError::Filter`], never a guess.
//! - `submodules` looks into submodules, each opened with the same care.
//! - `renames` finds renames by git's own measure, `walk` brings all together, `letters` and `quote` print it.
//!
//! Nothing is written: no lock is taken and the index is not refreshed. Configuration that only changes the output
//! (`status.showUntrackedFiles`, `status.renames`, `status.relativePaths`, `core.quotePath`, `core.fileMode`,
//! `core.ignoreCase`, `core.autocrlf`, …) counts, from the repository and from the user. `status.branch` and colours are
//! for people and do not count; git's environment variables (`GIT_DIR`, `GIT_INDEX_FILE`, …) are ignored.
//!
//! - `checks` looks at each file of `.git`, and at each file of ignore patterns and attributes, before the library opens
//!   it: only regular files of bounded size, and no links. `tree` lists what a commit has.
//! - What the library reports about a file is not passed on, for it may quote the file.
//! - `patterns` weighs ignore patterns and attributes, which the library tries on each path.
//!
//! Bounds: [`TIME_LIMIT`] for the whole answer, after which the work itself ends; [`INDEX_LIMIT`] for an index;
//! [`DEPTH_LIMIT`] for submodules in submodules; the limits in `checks` for other files, objects and paths; and git's own
//! limits for renames. A file that another process replaces while the status is computed is still opened by name: a pipe
//! that appears in that moment blocks the thread until somebody opens its other end.

mod checks;
mod filters;
mod index;
mod letters;
mod open;
mod patterns;
mod quote;
mod renames;
mod submodules;
mod tree;
mod walk;

use super::{GitError, HardLinks, os::OsSystem};
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
/// The time that the work may take to end after that.
const GRACE: Duration = Duration::from_secs(2);
/// The largest index that is read, in bytes: about a million files.
pub const INDEX_LIMIT: u64 = 96 * 1024 * 1024;
/// The deepest nesting of submodules.
pub const DEPTH_LIMIT: usize = 8;

/// Returns what `git status --short` prints in `dir`, without the last line end; nothing for a clean work tree.
///
/// # Errors
/// `dir` lies in no work tree; the repository has a format that is not read (reftable, SHA-256, a sparse index); a file
/// of which only a filter could decide whether it changed; broken files; one of git's own files (objects excepted) that has
/// several names, where `hard_links` refuses such; more than [`TIME_LIMIT`].
pub fn status(dir: &Path, hard_links: HardLinks) -> Result<String, GitError> {
    within(TIME_LIMIT, {
        let dir = dir.to_owned();
        move |interrupt| status_now(&dir, hard_links, interrupt)
    })
}

/// Runs `work` in a thread of its own. After `limit` its flag is set, and it has [`GRACE`] to end.
fn within(
    limit: Duration,
    work: impl FnOnce(&AtomicBool) -> Result<String, GitError> + Send + 'static,
) -> Result<String, GitError> {
    let (sender, receiver) = channel();
    let interrupt = Arc::new(AtomicBool::new(false));
    let worker = {
        let interrupt = interrupt.clone();
        move || _ = sender.send(work(&interrupt))
    };
    let thread = thread::Builder::new()
        .name("git-status".into())
        .spawn(worker)
        .map_err(|error| GitError::Broken(format!("no thread for the status: {error}")))?;
    let answer = receiver.recv_timeout(limit).or_else(|error| match error {
        RecvTimeoutError::Disconnected => Err(error),
        RecvTimeoutError::Timeout => {
            interrupt.store(true, Ordering::Relaxed);
            // Only a file system that does not answer keeps the thread from seeing the flag; nothing can end it then.
            match receiver.recv_timeout(GRACE) {
                Ok(Ok(answer)) => Ok(Ok(answer)),
                _ => Err(RecvTimeoutError::Timeout),
            }
        }
    });
    if answer.is_ok() || thread.is_finished() {
        _ = thread.join();
    }
    answer.unwrap_or_else(|error| {
        Err(GitError::Broken(match error {
            RecvTimeoutError::Timeout => format!("the status took more than {} s", limit.as_secs()),
            RecvTimeoutError::Disconnected => "the status could not be computed".to_owned(),
        }))
    })
}

/// Computes the status in the calling thread until `interrupt` is set.
fn status_now(dir: &Path, hard_links: HardLinks, interrupt: &AtomicBool) -> Result<String, GitError> {
    let found = Repository::holding(&OsSystem::new(&[]), dir, hard_links)?;
    if found.inside_git_dir() {
        return Err(GitError::NoRepository);
    }
    let work_tree = open::work_tree(&found, interrupt)?;
    if work_tree.is_bare() {
        return Err(GitError::NoRepository);
    }
    let seen = walk::look(&work_tree, walk::UntrackedMode::AsConfigured, 0, interrupt)?;
    letters::print(&seen, &work_tree, &found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_is_late_ends() {
        let ended = Arc::new(AtomicBool::new(false));
        let flag = ended.clone();
        let answer = within(Duration::from_millis(1), move |interrupt| {
            while !interrupt.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            flag.store(true, Ordering::Relaxed);
            Err(GitError::Broken("interrupted".into()))
        });
        assert_eq!(answer, Err(GitError::Broken("the status took more than 0 s".into())));
        assert!(ended.load(Ordering::Relaxed), "the work is still running");
    }
}
