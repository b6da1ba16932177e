//! Prints what was seen, a line for each path.

use super::{open::WorkTree, quote::Paths, submodules::SubmoduleChanges, walk::StatusPaths};
use crate::{provider::git::Repository, system::GitError};
use gix::bstr::{BStr, BString, ByteSlice as _};

/// Git's two letters for a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Letters {
    /// The difference between `HEAD` and the index.
    pub index: Option<u8>,
    /// The difference between the index and the work tree.
    pub work_tree: Option<u8>,
    /// The path that it was renamed or copied from.
    pub from: Option<BString>,
    /// The differences inside a submodule.
    pub dirty: SubmoduleChanges,
}

/// Prints all lines, without the last line end.
pub(super) fn print(
    seen: &StatusPaths,
    work_tree: &WorkTree,
    found: &Repository,
) -> Result<String, GitError> {
    let paths = Paths {
        prefix: match work_tree.boolean("status.relativePaths", true) {
            true => prefix(found)?,
            false => Vec::new(),
        },
        quote_all: work_tree.boolean("core.quotePath", true),
    };
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for (path, letters) in &seen.paths {
        let mut line = vec![letters.index.unwrap_or(b' '), letters.work_tree.unwrap_or(b' '), b' '];
        if let Some(from) = &letters.from {
            line.extend_from_slice(&paths.print(from.as_bstr()));
            line.extend_from_slice(b" -> ");
        }
        line.extend_from_slice(&paths.print(path.as_bstr()));
        lines.push(line);
    }
    for path in &seen.untracked {
        lines.push([b"?? ", &paths.print(path.as_bstr())[..]].concat());
    }
    // Only with `core.quotePath` off can a name be something else than UTF-8.
    Ok(String::from_utf8_lossy(&lines.join(&b'\n')).into_owned())
}

/// Returns the requested directory, below the root, with a slash at its end.
fn prefix(found: &Repository) -> Result<Vec<u8>, GitError> {
    let below = found.cwd.strip_prefix(&found.root).map_err(|_| GitError::NoRepository)?;
    let bytes = gix::path::into_bstr(below).map_err(|error| GitError::Broken(error.to_string()))?;
    let bytes = gix::path::to_unix_separators_on_windows(bytes);
    let mut prefix = <BStr as AsRef<[u8]>>::as_ref(bytes.as_ref()).to_vec();
    if !prefix.is_empty() {
        prefix.push(b'/');
    }
    Ok(prefix)
}
