//! The branch, from the repository's files alone.
//!
//! [`branch`] answers what `git rev-parse --abbrev-ref HEAD` prints, without starting git: it looks for `.git` from the
//! working directory upward, reads `HEAD`, and checks that the ref it names exists. Everything it reads is data of a
//! stranger: each file has a size limit, no name leads out of the repository's directory, and nothing is executed.
//!
//! A `.git` counts only if the repository belongs to its directory, see `local`: what a directory states about itself could
//! name the repository of somebody else.
//!
//! Two more things differ from git on purpose. A directory that merely looks like a bare repository (`HEAD`, `objects`,
//! `refs` without a `.git`) is not taken for one, because it can be a tracked folder of somebody else's repository. And
//! the variables of git's own environment (`GIT_DIR`, `GIT_WORK_TREE`, …) are not asked.

pub(crate) mod config;
mod local;
mod open;
mod refs;

use crate::system::{GitTrouble, System};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

pub use open::Repository;

/// What `HEAD` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The branch as git abbreviates it, fit to be [`shown`]; `HEAD` when detached; `None` before the first commit.
    pub name: Option<String>,
    /// The file it was read from.
    pub path: PathBuf,
}

/// Returns the branch as `git rev-parse --abbrev-ref HEAD` prints it in `cwd`.
///
/// A detached `HEAD` is `HEAD`; a branch without a commit is `None`, because git fails there. The name has gone through
/// [`shown`].
///
/// # Errors
/// No repository holds `cwd`, the `.git` belongs to another directory, its format is one that is not read from files
/// (reftable), or its files are broken.
pub fn branch(system: &dyn System, cwd: &Path) -> Result<Option<String>, GitTrouble> {
    head(system, cwd).map(|head| head.name)
}

/// Returns the branch as [`branch`] does, and the file that says so.
///
/// # Errors
/// As [`branch`].
pub fn head(system: &dyn System, cwd: &Path) -> Result<Head, GitTrouble> {
    let repository = Repository::holding(system, cwd)?;
    let name = repository.abbreviated_head(system)?;
    Ok(Head { name: name.map(|name| shown(&name)), path: repository.head_path() })
}

/// Returns the canonical root of the work tree that holds `cwd`: the directory in which its `.git` lies.
///
/// `core.worktree` does not move it. A directory inside `.git` belongs to no work tree. A `.git` that belongs to another
/// directory ([`GitTrouble::Unlinked`]) is still the end of this work tree.
pub fn work_tree_root(system: &dyn System, cwd: &Path) -> Option<PathBuf> {
    work_tree(system, cwd).map(|(root, _)| root)
}

/// Returns the canonical directory that all work trees of one repository share (`.git` of the main one).
///
/// Two work trees belong to the same repository exactly when this is equal.
pub fn common_dir(system: &dyn System, cwd: &Path) -> Option<PathBuf> {
    Repository::holding(system, cwd).ok().map(|repository| repository.common_dir)
}

/// Returns [`work_tree_root`] and [`common_dir`] from one look.
pub fn work_tree(system: &dyn System, cwd: &Path) -> Option<(PathBuf, Option<PathBuf>)> {
    match Repository::holding(system, cwd) {
        Ok(repository) if repository.inside_git_dir() => None,
        Ok(repository) => Some((repository.root, Some(repository.common_dir))),
        Err(GitTrouble::Unlinked { root, .. }) => {
            let is_inside = system.canonical(cwd).is_ok_and(|cwd| cwd.starts_with(root.join(".git")));
            (!is_inside).then_some((root, None))
        }
        Err(_) => None,
    }
}

/// The longest branch name that is shown, in bytes.
pub const NAME_LIMIT: usize = 255;

/// Returns a name from a repository as text that shows everything it contains.
///
/// Control characters, characters that a reader does not see (zero width, bidirectional controls, tags, variation
/// selectors, fillers, line separators) and bytes that are no UTF-8 are escaped as `\u{200b}` and `\xff`; a ref name
/// never contains a backslash, so an escape cannot be forged. What is longer than [`NAME_LIMIT`] bytes ends in `…`,
/// within the limit.
pub fn shown(name: &[u8]) -> String {
    const CUT: &str = "…";
    let mut out = String::new();
    let mut room_for_cut = 0;
    let mut push = |piece: &str| {
        out.push_str(piece);
        if out.len() <= NAME_LIMIT - CUT.len() {
            room_for_cut = out.len();
        }
        out.len() <= NAME_LIMIT
    };
    let mut fits = true;
    let mut piece = String::new();
    'name: for chunk in name.utf8_chunks() {
        for char in chunk.valid().chars() {
            piece.clear();
            match char.is_control() || is_hidden(char) {
                // Writing to a string never fails.
                true => _ = write!(piece, "\\u{{{:x}}}", u32::from(char)),
                false => piece.push(char),
            }
            fits = push(&piece);
            if !fits {
                break 'name;
            }
        }
        for byte in chunk.invalid() {
            piece.clear();
            _ = write!(piece, "\\x{byte:02x}");
            fits = push(&piece);
            if !fits {
                break 'name;
            }
        }
    }
    if !fits {
        out.truncate(room_for_cut);
        out.push_str(CUT);
    }
    out
}

/// Says whether a reader would not see `char`, or would see its neighbours in another order.
fn is_hidden(char: char) -> bool {
    matches!(u32::from(char),
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164
        | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF9..=0xFFFB
        | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_name_is_shown_as_it_is() {
        assert_eq!(shown(b"feature/caf\xc3\xa9-\xf0\x9f\x9a\x80"), "feature/café-🚀");
    }

    #[test]
    fn what_a_reader_cannot_see_is_escaped() {
        assert_eq!(shown("a\u{200b}b\u{202e}c\u{e0041}".as_bytes()), "a\\u{200b}b\\u{202e}c\\u{e0041}");
        assert_eq!(shown(b"a\x1b[31m\x7f"), "a\\u{1b}[31m\\u{7f}");
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
