//! The paths of a tree, within bounds: a few small trees that name one another many times stand for any number of paths.

use super::{
    checks::{self, ENTRY_SIZE, PATHS_LIMIT},
    open::broken,
};
use crate::{provider::git::shown, system::GitError};
use gix::{
    bstr::{BStr, BString},
    hash::ObjectId,
    index::{
        State,
        entry::{Flags, Mode, Stat},
    },
    objs::tree::EntryKind,
    prelude::FindExt as _,
};
use std::sync::atomic::AtomicBool;

/// Lists the files of a tree and of the trees below it, as an index.
pub(super) fn paths(
    repo: &gix::Repository,
    root: ObjectId,
    interrupt: &AtomicBool,
) -> Result<State, GitError> {
    let mut state = State::new(repo.object_hash());
    let (mut left, mut buffer) = (vec![(root, BString::default())], Vec::new());
    let of = |tree: ObjectId| format!("the tree `{tree}`");
    let mut size = 0;
    while let Some((tree, above)) = left.pop() {
        checks::check_interrupt(interrupt)?;
        // The object of an empty tree need not be there.
        if tree == ObjectId::empty_tree(repo.object_hash()) {
            continue;
        }
        let data =
            repo.objects.find_tree_iter(&tree, &mut buffer).map_err(|error| broken(&of(tree), &error))?;
        for entry in data {
            let entry = entry.map_err(|error| broken(&of(tree), &error))?;
            if !is_name(entry.filename) {
                let name = shown(entry.filename);
                return Err(GitError::Broken(format!("a tree has an entry named `{name}`")));
            }
            let mut path = above.clone();
            path.extend_from_slice(entry.filename);
            size += path.len() + ENTRY_SIZE;
            if size > PATHS_LIMIT {
                return Err(GitError::Unsupported("a commit with too many or too long paths".into()));
            }
            let mode = match entry.mode.kind() {
                EntryKind::Tree => {
                    path.push(b'/');
                    left.push((entry.oid.to_owned(), path));
                    continue;
                }
                EntryKind::Blob => Mode::FILE,
                EntryKind::BlobExecutable => Mode::FILE_EXECUTABLE,
                EntryKind::Link => Mode::SYMLINK,
                EntryKind::Commit => Mode::COMMIT,
            };
            let path: &BStr = path.as_ref();
            state.dangerously_push_entry(Stat::default(), entry.oid.to_owned(), Flags::empty(), mode, path);
        }
    }
    state.sort_entries();
    Ok(state)
}

/// Returns true for a name that stays in its directory.
fn is_name(name: &BStr) -> bool {
    !name.is_empty()
        && !name.contains(&b'/')
        && name != "."
        && name != ".."
        && !name.eq_ignore_ascii_case(b".git")
}
