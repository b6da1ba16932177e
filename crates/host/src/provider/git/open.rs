//! Where a repository is: from a directory upward to `.git`, through `gitdir:` and `commondir`.

use super::{config::Format, shown};
use crate::system::{FileKind, GitTrouble, ReadError, System, Within};
use std::path::{Path, PathBuf};

/// The most that is read of `.git` files, `HEAD`, `commondir` and single refs.
const SMALL: u64 = 64 * 1024;
/// The most that is read of a repository's `config`.
const CONFIG: u64 = 4 * 1024 * 1024;

/// A repository, as its files lie on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The canonical directory in which `.git` was found.
    pub root: PathBuf,
    /// The directory of this work tree's `HEAD` and index.
    pub git_dir: PathBuf,
    /// The directory of refs, objects and configuration; [`Repository::git_dir`] but in linked work trees.
    pub common_dir: PathBuf,
    /// The canonical directory that was asked about.
    pub cwd: PathBuf,
    /// The content of `HEAD`, or `ref: …` where `HEAD` is a link.
    pub(super) head: Vec<u8>,
}

impl Repository {
    /// Looks for the repository that holds `cwd` as git does: the nearest `.git`, on the same file system.
    ///
    /// A `.git` directory that is no repository is passed by; a `.git` file must lead to one.
    ///
    /// # Errors
    /// [`GitTrouble::NoRepository`], or [`GitTrouble::Broken`] where all there is is broken.
    pub fn holding(system: &dyn System, cwd: &Path) -> Result<Repository, GitTrouble> {
        let cwd = system.canonical(cwd).map_err(|error| match error {
            ReadError::Missing | ReadError::Dangling => GitTrouble::NoRepository,
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
            let git_dir = match system.stat(&dot_git).map(|stat| stat.kind) {
                Some(FileKind::Dir) => dot_git,
                Some(FileKind::File) => git_file(system, dir, &dot_git)?,
                _ => continue,
            };
            match Repository::at(system, dir, &git_dir, &cwd) {
                Ok(repository) => return Ok(repository),
                Err(trouble) if git_dir.parent() == Some(dir) => _ = passed_by.get_or_insert(trouble),
                Err(trouble) => return Err(trouble),
            }
        }
        Err(passed_by.unwrap_or(GitTrouble::NoRepository))
    }

    /// Returns the repository whose `.git` lies in `dir` itself, if there is one.
    ///
    /// # Errors
    /// A `.git` directory that is no repository.
    pub fn in_dir(system: &dyn System, dir: &Path) -> Result<Option<Repository>, GitTrouble> {
        let Ok(root) = system.canonical(dir) else { return Ok(None) };
        let dot_git = root.join(".git");
        let git_dir = match system.stat(&dot_git).map(|stat| stat.kind) {
            Some(FileKind::Dir) => return Repository::at(system, &root, &dot_git, &root).map(Some),
            Some(FileKind::File) => git_file(system, &root, &dot_git),
            _ => return Ok(None),
        };
        Ok(git_dir.and_then(|git_dir| Repository::at(system, &root, &git_dir, &root)).ok())
    }

    /// Takes `git_dir` for a repository if it has a `HEAD` that can be one, `objects` and `refs`.
    fn at(system: &dyn System, root: &Path, git_dir: &Path, cwd: &Path) -> Result<Repository, GitTrouble> {
        let head_path = git_dir.join("HEAD");
        let head = match system.link_stat(&head_path).map(|stat| stat.kind) {
            Some(FileKind::Link) => linked_head(system, git_dir, &head_path)?,
            _ => small(system, &head_path)?,
        };
        if target(&head).is_none_or(|name| !name.starts_with(b"refs/")) && !starts_with_id(&head) {
            return Err(GitTrouble::Broken(format!("`{}` names no ref and no commit", head_path.display())));
        }
        let common_dir = git_dir.join("commondir");
        let common_dir = match system.stat(&common_dir) {
            Some(_) => git_dir.join(path(trimmed_end(&small(system, &common_dir)?))),
            None => git_dir.to_owned(),
        };
        for name in ["objects", "refs"] {
            let dir = common_dir.join(name);
            if system.stat(&dir).is_none_or(|stat| stat.kind != FileKind::Dir) {
                return Err(GitTrouble::Broken(format!("`{}` is no directory", dir.display())));
            }
        }
        Ok(Repository {
            root: root.to_owned(),
            git_dir: git_dir.to_owned(),
            common_dir,
            cwd: cwd.to_owned(),
            head,
        })
    }

    /// Returns the path of `HEAD`.
    pub fn head_path(&self) -> PathBuf {
        self.git_dir.join("HEAD")
    }

    /// Says whether the directory asked about lies in `.git`, not in the work tree.
    pub fn inside_git_dir(&self) -> bool {
        self.cwd.starts_with(self.root.join(".git"))
    }

    /// Refuses a repository that is stored in a way that is not known.
    ///
    /// # Errors
    /// [`GitTrouble::Unsupported`] names the format, the ref storage or the extension.
    pub fn check_format(&self, system: &dyn System) -> Result<(), GitTrouble> {
        self.format(system).map(|_| ())
    }

    /// Says whether `HEAD` leads to a commit.
    pub fn has_commit(&self, system: &dyn System) -> bool {
        matches!(self.abbreviated_head(system), Ok(Some(_)))
    }

    /// Reads how the repository is stored and refuses what is not known.
    pub(super) fn format(&self, system: &dyn System) -> Result<Format, GitTrouble> {
        let config = self.common_dir.join("config");
        let format = match system.read(&config, Within::Anywhere, CONFIG) {
            Ok(file) => Format::parse(&String::from_utf8_lossy(&file.bytes)).map_err(|line| {
                GitTrouble::Broken(format!("`{}`: line {line} is no configuration", config.display()))
            })?,
            Err(ReadError::Missing) => Format::default(),
            Err(error) => return Err(broken(&config, error)),
        };
        match format.version.as_deref().map(str::trim).unwrap_or("0") {
            "0" => {
                if format.ref_storage.is_some() {
                    return Err(GitTrouble::Unsupported("repository format 0 with a ref storage".into()));
                }
            }
            "1" => {
                if let Some(storage) = format.ref_storage.as_deref().filter(|storage| *storage != "files") {
                    return Err(GitTrouble::Unsupported(format!(
                        "ref storage `{}`",
                        shown(storage.as_bytes())
                    )));
                }
                if let Some(name) = format.unknown_extensions.first() {
                    return Err(GitTrouble::Unsupported(format!("extension `{}`", shown(name.as_bytes()))));
                }
            }
            version => {
                let version = shown(version.as_bytes());
                return Err(GitTrouble::Unsupported(format!("repository format `{version}`")));
            }
        }
        Ok(format)
    }
}

/// Follows a `.git` file to the directory it names.
fn git_file(system: &dyn System, dir: &Path, dot_git: &Path) -> Result<PathBuf, GitTrouble> {
    let bytes = small(system, dot_git)?;
    let Some(target) = bytes.strip_prefix(b"gitdir: ").map(trimmed_end).filter(|target| !target.is_empty())
    else {
        return Err(GitTrouble::Broken(format!("`{}` names no directory", dot_git.display())));
    };
    let git_dir = dir.join(path(target));
    match system.stat(&git_dir).map(|stat| stat.kind) {
        Some(FileKind::Dir) => Ok(git_dir),
        _ => Err(GitTrouble::Broken(format!(
            "`{}` leads to no directory: `{}`",
            dot_git.display(),
            shown(target)
        ))),
    }
}

/// Reads a `HEAD` that is a link (as very old repositories have it) like one that names the same ref.
fn linked_head(system: &dyn System, git_dir: &Path, head: &Path) -> Result<Vec<u8>, GitTrouble> {
    let target = system.canonical(head).map_err(|error| broken(head, error))?;
    let git_dir = system.canonical(git_dir).map_err(|error| broken(git_dir, error))?;
    let name = target.strip_prefix(&git_dir).ok().filter(|name| name.starts_with("refs"));
    match name.and_then(Path::to_str) {
        Some(name) => Ok(format!("ref: {name}\n").into_bytes()),
        None => Err(GitTrouble::Broken(format!("`{}` is a link out of `refs`", head.display()))),
    }
}

/// Reads a small file.
pub(super) fn small(system: &dyn System, path: &Path) -> Result<Vec<u8>, GitTrouble> {
    match system.read(path, Within::Anywhere, SMALL) {
        Ok(file) => Ok(file.bytes),
        Err(error) => Err(broken(path, error)),
    }
}

/// Says that a file cannot be read.
pub(super) fn broken(path: &Path, error: ReadError) -> GitTrouble {
    GitTrouble::Broken(format!("`{}`: {error}", path.display()))
}

/// Returns the name after `ref:`.
pub(super) fn target(content: &[u8]) -> Option<&[u8]> {
    content.strip_prefix(b"ref:").map(|name| trimmed_end(name.trim_ascii_start()))
}

/// Says whether a content starts with an object id, and nothing else on its first word.
pub(super) fn starts_with_id(content: &[u8]) -> bool {
    let digits = content.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    matches!(digits, 40 | 64) && content.get(digits).is_none_or(u8::is_ascii_whitespace)
}

/// Drops the line end, as git does for names in files.
fn trimmed_end(bytes: &[u8]) -> &[u8] {
    let end =
        bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r' | b' ' | b'\t')).map_or(0, |at| at + 1);
    &bytes[..end]
}

/// Takes bytes for a path.
#[cfg(unix)]
pub(super) fn path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

/// Takes bytes for a path; what is no UTF-8 names nothing.
#[cfg(not(unix))]
pub(super) fn path(bytes: &[u8]) -> &Path {
    Path::new(std::str::from_utf8(bytes).unwrap_or("\0"))
}
