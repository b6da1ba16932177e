//! The repository that holds a directory, and its branch, from files alone.
//!
//! [`branch`] returns what `git rev-parse --abbrev-ref HEAD` prints: it looks for `.git` from the working directory upward, reads
//! `HEAD`, and checks that the ref it names exists. Each file has a size limit, no name leads out of the repository's
//! directory, and nothing is executed. [`status`] starts git.
//!
//! Two things differ from git on purpose. A directory that merely looks like a bare repository (`HEAD`, `objects`, `refs`
//! without a `.git`) is not taken for one, because it can be a tracked folder of somebody else's repository. And the variables
//! of git's own environment (`GIT_DIR`, `GIT_WORK_TREE`, …) are ignored.

mod ignored;
mod refs;
mod status;

use crate::{
    places::normal,
    system::{FileKind, HardLinks, ReadError, ReadScope, RunError, System, is_users},
};
use preface_core::{diagnostic::DiagnosticCode, lint::character::escape_hidden};
use std::{
    ffi::OsStr,
    fmt::Write as _,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

pub(crate) use ignored::{add as add_patterns, is_ignored};
pub use status::{TIME_LIMIT, status, tracked_but_ignored};

/// The most that is read of `.git` files, `HEAD`, `commondir` and single refs.
const SMALL: u64 = 64 * 1024;

/// The reason why there is no result of git.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// Not inside a work tree.
    #[error("not a git repository")]
    NoRepository,
    /// A format that is not read from files (reftable): `git/unsupported`.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// git cannot be started: `git/unsupported`.
    #[error("git cannot be run: {0}")]
    Program(RunError),
    /// A git that does not know how to leave missing objects alone: `git/unsupported`.
    #[error("git is older than 2.45")]
    Old,
    /// A `.git` of another user: `git/owner`.
    #[error("`{}` belongs to another user", shown_path(_0))]
    Owner(PathBuf),
    /// One of git's own files has several names, where such files are refused: `file/link`.
    #[error("`{}`: {}", shown_path(path), ReadError::HardLink { links: *links })]
    HardLink {
        /// The file.
        path: PathBuf,
        /// The number of names.
        links: u64,
    },
    /// Broken or unreadable files, or a git that fails: `git/broken`.
    #[error("{0}")]
    Broken(String),
}

impl GitError {
    /// Returns the code of a diagnostic about it.
    pub(crate) fn code(&self) -> DiagnosticCode {
        match self {
            GitError::NoRepository | GitError::Broken(_) => DiagnosticCode::GitBroken,
            GitError::Unsupported(_) | GitError::Program(_) | GitError::Old => DiagnosticCode::GitUnsupported,
            GitError::Owner(_) => DiagnosticCode::GitOwner,
            GitError::HardLink { .. } => DiagnosticCode::FileLink,
        }
    }
}

/// A repository, as its files lie on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The canonical directory in which `.git` was found.
    pub root: PathBuf,
    /// The directory of this work tree's `HEAD` and index.
    pub git_dir: PathBuf,
    /// The directory of refs, objects and configuration; [`Repository::git_dir`] but in linked work trees.
    pub common_dir: PathBuf,
    /// The canonical working directory.
    pub cwd: PathBuf,
    /// The content of `HEAD`.
    head: Vec<u8>,
}

impl Repository {
    /// Looks for the repository that holds `cwd` as git does: the nearest `.git`, on the same file system.
    ///
    /// A `.git` directory that is no repository is passed by, as is one above the working directory that is neither the user's
    /// nor root's, or lies in a directory of somebody else.
    ///
    /// # Errors
    /// [`GitError::NoRepository`], or [`GitError::Broken`] or [`GitError::Owner`] where all there is is broken or somebody
    /// else's.
    pub fn holding(system: &dyn System, cwd: &Path) -> Result<Repository, GitError> {
        nearest(system, cwd)?.1
    }

    /// Takes the `.git` in `root` for a repository if it has a `HEAD` that can be one, `objects` and `refs`.
    fn at(system: &dyn System, root: &Path, cwd: &Path, kind: FileKind) -> Result<Repository, GitError> {
        let dot_git = root.join(".git");
        // No message has what a file names: it may be a hard link of a file of somebody else.
        let named = if kind == FileKind::Dir {
            dot_git.clone()
        } else {
            let content = read(system, &dot_git, root, SMALL)?;
            match content.strip_prefix(b"gitdir: ").map(trimmed_end) {
                Some(target) if !target.is_empty() => normal(root, as_path(target)),
                _ => return Err(GitError::Broken(format!("`{}` names no directory", shown_path(&dot_git)))),
            }
        };
        check_near(system, root, &named)?;
        let git_dir = system.canonical(&named).map_err(|error| broken(&dot_git, &error))?;
        let common = git_dir.join("commondir");
        let common_dir = match system.stat(&common) {
            Some(_) => normal(&git_dir, as_path(trimmed_end(&read(system, &common, &git_dir, SMALL)?))),
            None => git_dir.clone(),
        };
        check_near(system, root, &common_dir)?;
        let head_path = git_dir.join("HEAD");
        if system.read_link(&head_path).is_some() {
            return Err(no_ref(&head_path));
        }
        let head = read(system, &head_path, &git_dir, SMALL)?;
        let names_ref = target(&head).is_some_and(|name| name.starts_with(b"refs/"));
        if !names_ref && !starts_with_id(&head) {
            return Err(no_ref(&head_path));
        }
        for name in ["objects", "refs"] {
            if system.stat(&common_dir.join(name)).is_none_or(|stat| stat.kind != FileKind::Dir) {
                let dot_git = shown_path(&dot_git);
                return Err(GitError::Broken(format!(
                    "the repository of `{dot_git}` has no directory `{name}`"
                )));
            }
        }
        Ok(Repository { root: root.to_owned(), git_dir, common_dir, cwd: cwd.to_owned(), head })
    }

    /// Returns the path of `HEAD`.
    pub fn head_path(&self) -> PathBuf {
        self.git_dir.join("HEAD")
    }

    /// Returns whether the starting directory is inside `.git`, not in the work tree.
    pub fn inside_git_dir(&self) -> bool {
        self.cwd.starts_with(self.root.join(".git"))
    }

    /// Checks how many names git's own files have.
    ///
    /// # Errors
    /// [`GitError::HardLink`] where one has several and such files are refused.
    pub fn check_links(&self, system: &dyn System, hard_links: HardLinks) -> Result<(), GitError> {
        let common = ["config", "packed-refs"].map(|name| self.common_dir.join(name));
        for path in ["HEAD", "index"].map(|name| self.git_dir.join(name)).into_iter().chain(common) {
            if let Some(stat) = system.stat(&path)
                && let Err(ReadError::HardLink { links }) = hard_links.check(&stat)
            {
                return Err(GitError::HardLink { path, links });
            }
        }
        Ok(())
    }
}

/// Returns the nearest directory with a `.git` that counts, and its repository.
fn nearest(system: &dyn System, cwd: &Path) -> Result<(PathBuf, Result<Repository, GitError>), GitError> {
    let cwd = system.canonical(cwd).map_err(|error| match error {
        ReadError::Missing | ReadError::Dangling => GitError::NoRepository,
        error => broken(cwd, &error),
    })?;
    let device = |dir: &Path| system.stat(dir).and_then(|stat| stat.id).map(|id| id.device);
    let here = device(&cwd);
    let mut passed_by = None;
    for dir in cwd.ancestors() {
        if dir != cwd && device(dir) != here {
            break;
        }
        let dot_git = dir.join(".git");
        if let Err(problem) = check_near(system, dir, &dot_git) {
            return Ok((dir.to_owned(), Err(problem)));
        }
        let Some(kind) = system.stat(&dot_git).map(|stat| stat.kind) else { continue };
        if dir != cwd && (is_others(system, dir) || is_others(system, &dot_git)) {
            passed_by.get_or_insert(GitError::Owner(dot_git));
            continue;
        }
        match Repository::at(system, dir, &cwd, kind) {
            Err(problem) if kind == FileKind::Dir => _ = passed_by.get_or_insert(problem),
            found => return Ok((dir.to_owned(), found)),
        }
    }
    Err(passed_by.unwrap_or(GitError::NoRepository))
}

/// The most links on the way to a repository.
const MOST_LINKS: usize = 40;

/// Checks that what the `.git` of `root` leads to stays on the file system of `root`, with its links. Nothing of another one is
/// looked at: to look at a path below an automount point mounts it.
fn check_near(system: &dyn System, root: &Path, path: &Path) -> Result<(), GitError> {
    let device = system.link_stat(root).and_then(|stat| stat.id).map(|id| id.device);
    let mut path = path.to_owned();
    'links: for _ in 0..MOST_LINKS {
        let steps: Vec<PathBuf> =
            path.ancestors().filter(|step| !root.starts_with(step)).map(Path::to_owned).collect();
        for step in steps.into_iter().rev() {
            let Some(stat) = system.link_stat(&step) else { return Ok(()) };
            if stat.id.map(|id| id.device) != device {
                break 'links;
            }
            if let Some(target) = system.read_link(&step).filter(|_| stat.kind == FileKind::Link) {
                let rest = path.strip_prefix(&step).unwrap_or(Path::new(""));
                path = normal(step.parent().unwrap_or(root), &target).join(rest);
                continue 'links;
            }
        }
        return Ok(());
    }
    let dot_git = shown_path(&root.join(".git"));
    Err(GitError::Broken(format!("`{dot_git}` leads to another file system")))
}

/// Returns whether a path is neither the user's nor root's.
fn is_others(system: &dyn System, path: &Path) -> bool {
    system.link_stat(path).is_some_and(|stat| !is_users(system, &stat))
}

/// Returns the branch as `git rev-parse --abbrev-ref HEAD` prints it in `cwd`.
///
/// A detached `HEAD` is `HEAD`; a branch without a commit is `None`, because git fails there. Bytes that are not UTF-8 are
/// escaped as `\xff`, and nothing else. The profile decides how characters are escaped in a prompt; a message uses [`shown`].
///
/// # Errors
/// No repository holds `cwd`, its refs are not files (reftable), or its files are broken.
pub fn branch(system: &dyn System, cwd: &Path) -> Result<Option<String>, GitError> {
    Repository::holding(system, cwd)?.branch(system)
}

/// Returns the canonical root of the work tree that holds `cwd`: the directory in which its `.git` lies.
///
/// `core.worktree` does not move it. A directory inside `.git` belongs to no work tree. A `.git` file makes a root whatever it
/// names.
pub fn work_tree_root(system: &dyn System, cwd: &Path) -> Option<PathBuf> {
    let (root, repository) = nearest(system, cwd).ok()?;
    repository.map_or(true, |repository| !repository.inside_git_dir()).then_some(root)
}

/// Returns the directory that `cwd` is or lies in and that looks like a git directory: a bare repository, or a `.git`.
pub(crate) fn git_dir_around(system: &dyn System, cwd: &Path) -> Option<PathBuf> {
    let is = |path: PathBuf, kind: FileKind| system.link_stat(&path).is_some_and(|stat| stat.kind == kind);
    let cwd = system.canonical(cwd).ok()?;
    let found = cwd.ancestors().find(|dir| {
        is(dir.join("HEAD"), FileKind::File)
            && is(dir.join("objects"), FileKind::Dir)
            && is(dir.join("refs"), FileKind::Dir)
    });
    found.map(Path::to_owned)
}

/// Reads a file of git's own, which no link may put elsewhere than in `root`.
fn read(system: &dyn System, path: &Path, root: &Path, limit: u64) -> Result<Vec<u8>, GitError> {
    let read = system.read(path, ReadScope::Root(root), limit).map_err(|error| broken(path, &error))?;
    Ok(read.into_bytes())
}

/// Returns the error for a file that cannot be read.
fn broken(path: &Path, error: &ReadError) -> GitError {
    GitError::Broken(format!("`{}`: {error}", shown_path(path)))
}

/// Returns the error for a file that is not a ref.
fn no_ref(path: &Path) -> GitError {
    GitError::Broken(format!("`{}` is no ref; expected an object id or `ref: refs/…`", shown_path(path)))
}

/// Returns the name after `ref:`.
fn target(content: &[u8]) -> Option<&[u8]> {
    content.strip_prefix(b"ref:").map(|name| trimmed_end(name.trim_ascii_start()))
}

/// Returns whether the first word of a content is exactly an object id.
fn starts_with_id(content: &[u8]) -> bool {
    let digits = content.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    matches!(digits, 40 | 64) && content.get(digits).is_none_or(u8::is_ascii_whitespace)
}

/// Drops the line end, as git does for names in files.
fn trimmed_end(bytes: &[u8]) -> &[u8] {
    let end =
        bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r' | b' ' | b'\t')).map_or(0, |at| at + 1);
    &bytes[..end]
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
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

/// Returns a path that a project chose, for a message.
pub(crate) fn shown_path(path: &Path) -> String {
    shown(path.as_os_str().as_encoded_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::testing::MemorySystem;

    /// Adds a git directory with one commit on `main`.
    fn with_git_dir(system: MemorySystem, dir: &str) -> MemorySystem {
        system
            .with_file(format!("{dir}/HEAD"), "ref: refs/heads/main\n")
            .with_file(format!("{dir}/refs/heads/main"), "0123456789012345678901234567890123456789\n")
            .with_dir(format!("{dir}/objects"))
    }

    #[test]
    fn the_search_for_a_repository_ends_at_another_file_system() {
        let system = || with_git_dir(MemorySystem::new().with_dir("/src/mount/sub"), "/src/.git");
        let sub = Path::new("/src/mount/sub");
        assert_eq!(branch(&system(), sub), Ok(Some("main".into())));
        let mounted = system().with_device("/src/mount", 7).with_device("/src/mount/sub", 7);
        assert_eq!(branch(&mounted, sub), Err(GitError::NoRepository));
        assert_eq!(work_tree_root(&mounted, sub), None);
    }

    #[test]
    fn a_git_of_another_user_makes_no_root_above_the_working_directory() {
        let (x, sub) = (Path::new("/src/x"), Path::new("/src/x/sub"));
        let machine = || with_git_dir(MemorySystem::new().with_dir("/src/x/sub"), "/src/x/.git");
        for owned in ["/src/x", "/src/x/.git"] {
            let system = machine().with_owner(owned, 66);
            assert_eq!(work_tree_root(&system, sub), None, "{owned}");
            assert_eq!(branch(&system, sub), Err(GitError::Owner("/src/x/.git".into())), "{owned}");
            assert_eq!(work_tree_root(&system, x).as_deref(), Some(x), "{owned}: it is where the user works");
            let around = with_git_dir(system.clone(), "/src/.git");
            assert_eq!(work_tree_root(&around, sub).as_deref(), Some(Path::new("/src")));
        }
        let roots = machine().with_owner("/src/x/.git", 0);
        assert!(work_tree_root(&roots, sub).is_some(), "root's is trusted as git does");
    }

    #[test]
    fn a_git_file_makes_a_root_whatever_it_names() {
        for content in ["gitdir: nowhere\n", "nonsense\n"] {
            let system = MemorySystem::new().with_dir("/src/x/sub").with_file("/src/x/.git", content);
            let sub = Path::new("/src/x/sub");
            assert_eq!(work_tree_root(&system, sub).as_deref(), Some(Path::new("/src/x")), "{content}");
            assert!(matches!(branch(&system, sub), Err(GitError::Broken(_))), "{content}");
        }
    }

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
