//! Where a repository is: from a directory upward to `.git`.

use super::{
    config::RepositoryFormat,
    local::{GitDirs, LocalFiles, shown_path},
    refs::no_ref,
    shown,
};
use crate::system::{FileKind, GitError, HardLinks, ReadError, System, is_users};
#[cfg(feature = "git-status")]
use crate::{places::normal, system::Stat};
use std::path::{Path, PathBuf};

/// The most that is read of `.git` files, `HEAD`, `commondir` and single refs.
pub(super) const SMALL: u64 = 64 * 1024;
/// The most that is read of a repository's `config`.
pub(super) const CONFIG: u64 = 4 * 1024 * 1024;

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
    /// Treatment of files of git's own that have several names.
    pub hard_links: HardLinks,
    /// The content of `HEAD`.
    pub(super) head: Vec<u8>,
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

impl Repository {
    /// Looks for the repository that holds `cwd` as git does: the nearest `.git`, on the same file system.
    ///
    /// A `.git` directory that is no repository is passed by, as is one above the working directory that is neither the user's
    /// nor root's, or lies in a directory of somebody else; a `.git` file must lead to one that belongs to its
    /// directory.
    ///
    /// # Errors
    /// [`GitError::NoRepository`], [`GitError::Unlinked`], [`GitError::HardLink`], or [`GitError::Broken`] or
    /// [`GitError::Owner`] where all there is is broken or somebody else's.
    pub fn holding(system: &dyn System, cwd: &Path, hard_links: HardLinks) -> Result<Repository, GitError> {
        let cwd = system.canonical(cwd).map_err(|error| match error {
            ReadError::Missing | ReadError::Dangling => GitError::NoRepository,
            error => broken(cwd, error),
        })?;
        let device = |dir: &Path| system.stat(dir).and_then(|stat| stat.id).map(|id| id.device);
        let here = device(&cwd);
        let mut passed_by = None;
        for dir in cwd.ancestors() {
            if dir != cwd && device(dir) != here {
                break;
            }
            let dot_git = dir.join(".git");
            let is_others = |path: &Path| system.link_stat(path).is_some_and(|stat| !is_users(system, &stat));
            if dir != cwd && system.link_stat(&dot_git).is_some() && (is_others(dir) || is_others(&dot_git)) {
                passed_by.get_or_insert(GitError::Owner(dot_git));
                continue;
            }
            let files = LocalFiles::of(system, dir, hard_links);
            let Some(dirs) = files.git_dirs()? else { continue };
            let is_own = dirs.git_dir.parent() == Some(dir);
            match Repository::at(&files, dir, dirs, &cwd) {
                Err(problem @ GitError::Broken(_)) if is_own => _ = passed_by.get_or_insert(problem),
                found => return found,
            }
        }
        Err(passed_by.unwrap_or(GitError::NoRepository))
    }

    /// Returns the repository whose `.git` lies in `dir` itself, if there is one.
    ///
    /// # Errors
    /// A `.git` directory that is no repository, [`GitError::Unlinked`], and [`GitError::HardLink`].
    pub fn in_dir(
        system: &dyn System,
        dir: &Path,
        hard_links: HardLinks,
    ) -> Result<Option<Repository>, GitError> {
        let Ok(root) = system.canonical(dir) else { return Ok(None) };
        let files = LocalFiles::of(system, &root, hard_links);
        let dirs = match files.git_dirs() {
            Ok(Some(dirs)) => dirs,
            Ok(None) | Err(GitError::Broken(_)) => return Ok(None),
            Err(problem) => return Err(problem),
        };
        let is_own = dirs.git_dir.parent() == Some(&root);
        match Repository::at(&files, &root, dirs, &root) {
            Err(GitError::Broken(_)) if !is_own => Ok(None),
            found => found.map(Some),
        }
    }

    /// Returns whether the `.git` in `dir`, a canonical path, is a file that names a local path where no directory lies.
    #[cfg(feature = "git-status")]
    pub(crate) fn is_named_in_vain(system: &dyn System, dir: &Path) -> bool {
        LocalFiles::of(system, dir, HardLinks::Read).names_nothing()
    }

    /// Takes the directories for a repository if they have a `HEAD` that can be one, `objects` and `refs`.
    fn at(files: &LocalFiles<'_>, root: &Path, dirs: GitDirs, cwd: &Path) -> Result<Repository, GitError> {
        let GitDirs { git_dir, common_dir } = dirs;
        let head_path = git_dir.join("HEAD");
        let head = files.read(&head_path, SMALL)?.ok_or_else(|| broken(&head_path, ReadError::Missing))?;
        if target(&head).is_none_or(|name| !name.starts_with(b"refs/")) && !starts_with_id(&head) {
            return Err(no_ref(&head_path));
        }
        for name in ["objects", "refs"] {
            let dir = common_dir.join(name);
            if files.kind(&dir)? != Some(FileKind::Dir) {
                return Err(GitError::Broken(format!("`{}` is no directory", shown_path(&dir))));
            }
        }
        let (root, cwd, hard_links) = (root.to_owned(), cwd.to_owned(), files.hard_links());
        Ok(Repository { root, git_dir, common_dir, cwd, hard_links, head })
    }

    /// Returns the files that can be looked at from the root.
    pub(super) fn files<'a>(&'a self, system: &'a dyn System) -> LocalFiles<'a> {
        LocalFiles::of(system, &self.root, self.hard_links)
    }

    /// Returns what lies at a path that the repository names; `None` if nothing does.
    ///
    /// # Errors
    /// The way there has a link or leads to another file system; nothing behind either is looked at.
    #[cfg(feature = "git-status")]
    pub(crate) fn stat(&self, system: &dyn System, path: &Path) -> Result<Option<Stat>, GitError> {
        self.files(system).stat(path)
    }

    /// Returns a path that a file of the repository in `base` names, if it is in the work tree or in the repository by its
    /// spelling alone: where `..` follows a name, only the file system knows where that leads.
    #[cfg(feature = "git-status")]
    pub(crate) fn named_path(&self, base: &Path, name: &[u8]) -> Option<PathBuf> {
        // The library takes these for homes of users and for the place of its installation.
        if name.starts_with(b"~") || name.starts_with(b"%") {
            return None;
        }
        let name = path(name);
        let mut parts = name.components().skip_while(|part| !matches!(part, std::path::Component::Normal(_)));
        if parts.any(|part| part == std::path::Component::ParentDir) {
            return None;
        }
        let named = normal(base, name);
        // The repository of a linked work tree is that of the main one, and lies there.
        let main = self.common_dir.parent().filter(|_| self.common_dir.ends_with(".git"));
        let roots = [self.root.as_path(), main.unwrap_or(&self.common_dir)];
        roots.into_iter().any(|root| named.starts_with(root)).then_some(named)
    }

    /// Returns whether a path that the repository names is the root of the work tree.
    #[cfg(feature = "git-status")]
    pub(crate) fn is_root(&self, system: &dyn System, path: &Path) -> bool {
        self.files(system).is_root(path)
    }

    /// Returns the path of `HEAD`.
    pub fn head_path(&self) -> PathBuf {
        self.git_dir.join("HEAD")
    }

    /// Returns whether the starting directory is inside `.git`, not in the work tree.
    pub fn inside_git_dir(&self) -> bool {
        self.cwd.starts_with(self.root.join(".git"))
    }

    /// Refuses a repository that is stored in a way that is not known.
    ///
    /// # Errors
    /// [`GitError::Unsupported`] names the format, the ref storage or the extension.
    pub fn check_format(&self, system: &dyn System) -> Result<(), GitError> {
        self.format(system).map(|_| ())
    }

    /// Returns whether `HEAD` leads to a commit.
    pub fn has_commit(&self, system: &dyn System) -> bool {
        matches!(self.abbreviated_head(system), Ok(Some(_)))
    }

    /// Reads how the repository is stored and refuses what is not known.
    pub(super) fn format(&self, system: &dyn System) -> Result<RepositoryFormat, GitError> {
        let config = self.common_dir.join("config");
        let format = match self.files(system).read(&config, CONFIG)? {
            Some(bytes) => RepositoryFormat::parse(&String::from_utf8_lossy(&bytes)).map_err(|line| {
                GitError::Broken(format!("`{}`: line {line} is no configuration", shown_path(&config)))
            })?,
            None => RepositoryFormat::default(),
        };
        match format.version.as_deref().map(str::trim).unwrap_or("0") {
            "0" => {
                if format.ref_storage.is_some() {
                    return Err(GitError::Unsupported("repository format 0 with a ref storage".into()));
                }
            }
            "1" => {
                if let Some(storage) = format.ref_storage.as_deref().filter(|storage| *storage != "files") {
                    return Err(GitError::Unsupported(format!(
                        "ref storage `{}`",
                        shown(storage.as_bytes())
                    )));
                }
                if let Some(name) = format.unknown_extensions.first() {
                    return Err(GitError::Unsupported(format!("extension `{}`", shown(name.as_bytes()))));
                }
            }
            version => {
                let version = shown(version.as_bytes());
                return Err(GitError::Unsupported(format!("repository format `{version}`")));
            }
        }
        Ok(format)
    }
}

/// Returns the error for a file that cannot be read.
pub(crate) fn broken(path: &Path, error: ReadError) -> GitError {
    match error {
        ReadError::HardLink { links } => GitError::HardLink { path: path.to_owned(), links },
        error => GitError::Broken(format!("`{}`: {error}", shown_path(path))),
    }
}

/// Returns the name after `ref:`.
pub(super) fn target(content: &[u8]) -> Option<&[u8]> {
    content.strip_prefix(b"ref:").map(|name| trimmed_end(name.trim_ascii_start()))
}

/// Returns whether the first word of a content is exactly an object id.
pub(crate) fn starts_with_id(content: &[u8]) -> bool {
    let digits = content.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    matches!(digits, 40 | 64) && content.get(digits).is_none_or(u8::is_ascii_whitespace)
}

/// Drops the line end, as git does for names in files.
pub(super) fn trimmed_end(bytes: &[u8]) -> &[u8] {
    let end =
        bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r' | b' ' | b'\t')).map_or(0, |at| at + 1);
    &bytes[..end]
}

/// Takes bytes for a path.
pub(super) fn path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}
