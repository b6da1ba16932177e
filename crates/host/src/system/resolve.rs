//! Follows links component by component, over anything that can look at a path.
//!
//! `realpath` reports only *that* a path does not resolve. We also want to know how far it got: a path that fails
//! outside of its root is outside first and missing second. The real machine and its twin share this walk, so that
//! they agree.

use super::ReadError;
use std::{
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

/// As many links as Linux follows before it calls them a loop.
const MAX_LINKS: usize = 40;

/// The longest path that Linux takes.
const MAX_PATH: usize = 4095;

/// The kind of a path, links not followed.
pub(super) enum PathEntry {
    Dir,
    Link(PathBuf),
    Other,
}

/// The result of resolving a path.
#[derive(Debug)]
pub(super) struct ResolvedPath {
    /// The end of the path without links, or the first place where it did not go on.
    pub(super) place: PathBuf,
    /// True if `place` is the end of the path: no component is left after it.
    pub(super) whole: bool,
    /// The problem at `place`; `None` where something exists there.
    pub(super) problem: Option<ReadError>,
}

/// Walks `path` (absolute) and calls `context` for every component. `context` returns `None` if nothing is.
pub(super) fn lead(
    path: &Path,
    mut context: impl FnMut(&Path) -> Result<Option<PathEntry>, ReadError>,
) -> ResolvedPath {
    if path.as_os_str().len() > MAX_PATH {
        return ResolvedPath { place: path.to_owned(), whole: true, problem: Some(ReadError::Loop) };
    }
    let mut place = root_of(path);
    let mut pending = Vec::new();
    push_steps(path, &mut pending);
    let mut links = 0;
    let mut ends_in_link = false;
    while let Some(step) = pending.pop() {
        let name = match step {
            PathStep::Up => {
                place.pop();
                continue;
            }
            PathStep::Down(name) => name,
        };
        place.push(name);
        let whole = pending.is_empty();
        let problem = match context(&place) {
            Ok(Some(PathEntry::Dir)) => continue,
            Ok(Some(PathEntry::Other)) if whole => continue,
            Ok(Some(PathEntry::Link(target))) => {
                links += 1;
                ends_in_link |= whole;
                if links <= MAX_LINKS {
                    place.pop();
                    if target.has_root() {
                        place = root_of(&target);
                    }
                    push_steps(&target, &mut pending);
                    continue;
                }
                ReadError::Loop
            }
            // Nothing, or a file where the path goes on.
            Ok(Some(PathEntry::Other) | None) if ends_in_link => ReadError::Dangling,
            Ok(Some(PathEntry::Other) | None) => ReadError::Missing,
            Err(problem) => problem,
        };
        return ResolvedPath { place, whole, problem: Some(problem) };
    }
    ResolvedPath { place, whole: true, problem: None }
}

enum PathStep {
    Up,
    Down(OsString),
}

/// Puts the components of `path` on the stack, the first one on top.
fn push_steps(path: &Path, pending: &mut Vec<PathStep>) {
    for component in path.components().rev() {
        match component {
            Component::Normal(name) => pending.push(PathStep::Down(name.to_owned())),
            Component::ParentDir => pending.push(PathStep::Up),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
}

fn root_of(path: &Path) -> PathBuf {
    path.components().take_while(|part| matches!(part, Component::Prefix(_) | Component::RootDir)).collect()
}
