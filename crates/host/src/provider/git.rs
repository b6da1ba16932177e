//! The branch, from the repository's files alone.
//!
//! [`branch`] returns what `git rev-parse --abbrev-ref HEAD` prints, without starting git: it looks for `.git` from the
//! working directory upward, reads `HEAD`, and checks that the ref it names exists. Everything it reads is data of a
//! stranger: each file has a size limit, no name leads out of the repository's directory, and nothing is executed.
//!
//! A `.git` counts only if the repository belongs to its directory, see `local`: what a directory states about itself could
//! name the repository of somebody else.
//!
//! Two more things differ from git on purpose. A directory that merely looks like a bare repository (`HEAD`, `objects`,
//! `refs` without a `.git`) is not taken for one, because it can be a tracked folder of somebody else's repository. And
//! the variables of git's own environment (`GIT_DIR`, `GIT_WORK_TREE`, …) are ignored.

pub(crate) mod config;
mod ignored;
mod local;
mod open;
mod refs;

use crate::system::{GitError, HardLinks, System};
use preface_core::lint::character::escape_hidden;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

pub(crate) use ignored::is_ignored;
pub(crate) use local::shown_path;
pub use open::Repository;
pub(crate) use open::git_dir_around;
#[cfg(feature = "git-status")]
pub(crate) use {
    open::{broken as unreadable, starts_with_id},
    refs::{is_ref_name, no_ref},
};

/// The branch that `HEAD` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitHead {
    /// The branch as git abbreviates it, as it is written in the repository; `HEAD` when detached; `None` before the first
    /// commit. The profile decides how its characters are escaped in a prompt; a message uses [`shown`].
    pub name: Option<String>,
    /// The file it was read from.
    pub path: PathBuf,
}

/// Returns the branch as `git rev-parse --abbrev-ref HEAD` prints it in `cwd`.
///
/// A detached `HEAD` is `HEAD`; a branch without a commit is `None`, because git fails there. Bytes that are not UTF-8 are
/// escaped as `\xff`, and nothing else.
///
/// # Errors
/// No repository holds `cwd`, the `.git` belongs to another directory, its format is one that is not read from files
/// (reftable), or its files are broken.
pub fn branch(system: &dyn System, cwd: &Path) -> Result<Option<String>, GitError> {
    head(system, cwd, HardLinks::Read).map(|head| head.name)
}

/// Returns the branch as [`branch`] does, and the file that names it.
///
/// # Errors
/// As [`branch`]; and [`GitError::HardLink`].
pub fn head(system: &dyn System, cwd: &Path, hard_links: HardLinks) -> Result<GitHead, GitError> {
    let repository = Repository::holding(system, cwd, hard_links)?;
    let name = repository.abbreviated_head(system)?;
    Ok(GitHead { name: name.map(|name| text(&name)), path: repository.head_path() })
}

/// Returns the canonical root of the work tree that holds `cwd`: the directory in which its `.git` lies.
///
/// `core.worktree` does not move it. A directory inside `.git` belongs to no work tree. A `.git` that belongs to another
/// directory ([`GitError::Unlinked`]) is still the end of this work tree.
pub fn work_tree_root(system: &dyn System, cwd: &Path) -> Option<PathBuf> {
    work_tree(system, cwd).map(|(root, _)| root)
}

/// Returns the canonical directory that all work trees of one repository share (`.git` of the main one).
///
/// Two work trees belong to the same repository exactly when this is equal.
pub fn common_dir(system: &dyn System, cwd: &Path) -> Option<PathBuf> {
    Repository::holding(system, cwd, HardLinks::Read).ok().map(|repository| repository.common_dir)
}

/// Returns [`work_tree_root`] and [`common_dir`] from one look.
pub fn work_tree(system: &dyn System, cwd: &Path) -> Option<(PathBuf, Option<PathBuf>)> {
    match Repository::holding(system, cwd, HardLinks::Read) {
        Ok(repository) if repository.inside_git_dir() => None,
        Ok(repository) => Some((repository.root, Some(repository.common_dir))),
        Err(GitError::Unlinked { root, .. }) => {
            let is_inside = system.canonical(cwd).is_ok_and(|cwd| cwd.starts_with(root.join(".git")));
            (!is_inside).then_some((root, None))
        }
        Err(_) => None,
    }
}

/// The longest name that is shown, in bytes.
pub const NAME_LIMIT: usize = 255;

/// Returns a name from a repository or a directory as text for a message: control characters, characters that a reader
/// does not see, and bytes that are not UTF-8 are escaped as `\u{200b}` and `\xff`. What is longer than [`NAME_LIMIT`]
/// bytes ends in `…`, within the limit.
pub fn shown(name: &[u8]) -> String {
    const CUT: &str = "…";
    let text = text(name);
    let shown = escape_hidden(&text);
    if shown.len() <= NAME_LIMIT {
        return shown.into_owned();
    }
    // Characters that are escaped one by one come out as in the whole, so no escape is cut in two.
    let mut out = String::new();
    for char in text.chars() {
        let piece = char.to_string();
        let piece = escape_hidden(&piece);
        if out.len() + piece.len() > NAME_LIMIT - CUT.len() {
            break;
        }
        out.push_str(&piece);
    }
    out.push_str(CUT);
    out
}

/// Returns the bytes of a name as text; those that are not UTF-8 become `\xff`.
fn text(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string never fails.
            _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_name_is_shown_as_it_is() {
        assert_eq!(shown(b"feature/caf\xc3\xa9-\xf0\x9f\x9a\x80"), "feature/café-🚀");
    }

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(shown("a\u{200b}b\u{202e}c\u{e0041}".as_bytes()), "a\\u{200b}b\\u{202e}c\\u{e0041}");
        assert_eq!(shown(b"a\x1b[31m\x7f"), "a\\u{1b}[31m\\u{7f}");
        assert_eq!(shown("\u{e0fff}\u{2065}\u{fff0}".as_bytes()), "\\u{e0fff}\\u{2065}\\u{fff0}");
        assert_eq!(shown(b"\xffx\xc3"), "\\xffx\\xc3");
    }

    #[test]
    fn a_long_name_ends_in_an_ellipsis_within_the_limit() {
        assert_eq!(shown(&[b'x'; 255]), "x".repeat(255));
        assert_eq!(shown(&[b'x'; 256]), format!("{}…", "x".repeat(252)));
        assert_eq!(shown("\u{200b}".repeat(90).as_bytes()), format!("{}…", "\\u{200b}".repeat(31)));
        assert_eq!(shown("é".repeat(128).as_bytes()).len(), 255);
    }
}
