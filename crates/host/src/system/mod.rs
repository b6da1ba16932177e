//! The one door to the machine. The real one is [`os::OsSystem`]; tests use `testing::MemorySystem` (feature
//! `testing`), and one contract suite holds for both.

/// Implements methods of [`System`] by calling those of `self.system`; after `first NAME;` each calls `self.NAME()` before.
macro_rules! forward {
    (first $first:ident; $(fn $method:ident(&$this:ident $(, $name:ident: $type:ty)*) -> $output:ty;)+) => {
        $(fn $method(&$this $(, $name: $type)*) -> $output {
            $this.$first();
            $this.system.$method($($name),*)
        })+
    };
    ($(fn $method:ident(&$this:ident $(, $name:ident: $type:ty)*) -> $output:ty;)+) => {
        $(fn $method(&$this $(, $name: $type)*) -> $output {
            $this.system.$method($($name),*)
        })+
    };
}

pub mod access_log;
pub mod os;
mod process_group;
mod program;
mod resolve;
mod run;
#[cfg(feature = "testing")]
pub mod testing;

pub use process_group::ProcessGroup;
pub use program::{path_outside, program_outside};
pub use run::{
    PROJECT_DIR, PreparedRun, RunError, RunOutput, RunRequest, RunStatus, STDERR_LIMIT, skipped_programs,
};

use jiff::{Timestamp, tz::TimeZone};
use std::{
    borrow::Cow,
    ffi::OsString,
    fmt,
    path::{Component, Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// The time that [`System::lock`] waits for another holder.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// The error for a relative path.
const NOT_ABSOLUTE: &str = "not an absolute path";

/// Disk, clock, environment and programs, as preface needs them. Paths are absolute.
pub trait System: fmt::Debug + Send + Sync {
    /// Reads a regular file, once, never more than `limit` bytes, never blocking on pipes or devices.
    ///
    /// # Errors
    /// Says which of the many ways a file can be no file it was. A path that leaves its root is
    /// [`ReadError::Outside`] first and whatever else it is second, so that nothing about files outside is revealed:
    /// also one where nothing is (use [`System::stat`] for the target).
    fn read(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError>;

    /// Reads the first `limit` bytes of a regular file, or all of it where it has fewer. `stat` has the size of the file.
    ///
    /// # Errors
    /// Those of [`System::read`], but for [`ReadError::TooLarge`].
    fn read_head(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError>;

    /// Looks at a path and follows links. `None` if nothing is there (a dangling link too).
    fn stat(&self, path: &Path) -> Option<Stat>;

    /// Looks at a path itself. `None` if nothing is there.
    fn link_stat(&self, path: &Path) -> Option<Stat>;

    /// Returns what the symbolic link at `path` names, as it is written there.
    fn read_link(&self, path: &Path) -> Option<PathBuf>;

    /// Lists a directory, sorted by the bytes of the names, at most `limit` entries.
    ///
    /// # Errors
    /// Missing, no directory, denied, or more than `limit` entries.
    fn list(&self, dir: &Path, limit: usize) -> Result<Vec<DirEntry>, ReadError>;

    /// Resolves all links.
    ///
    /// # Errors
    /// Missing, dangling, denied, or a loop of links.
    fn canonical(&self, path: &Path) -> Result<PathBuf, ReadError>;

    /// Writes a file atomically: a temporary file in the same directory, flushed, then renamed (or linked) into
    /// place, and the directory flushed. A reader sees the old file or the new one, also after a crash.
    ///
    /// The file belongs to the user of this process and gets the permission bits of `mode`, whatever the umask and
    /// the file before it allow. Through a link [`WriteMode::Replace`] replaces the file that it leads to (or creates the
    /// one it points to) and keeps the link: people keep their dotfiles elsewhere and link them in.
    ///
    /// # Errors
    /// [`WriteError::Exists`] where something is that this write does not replace: anything for
    /// [`WriteMode::New`], anything but a regular file for [`WriteMode::Replace`]. Else the error of the system. No temporary
    /// file stays behind, unless the process is killed: then one `.preface-….tmp`, which is never read.
    fn write(&self, path: &Path, bytes: &[u8], how: WriteMode, mode: u32) -> Result<(), WriteError>;

    /// Adds to the end of a regular file, or creates it. The file gets the permission bits of `mode`. Callers that write
    /// at the same time take a [`System::lock`].
    ///
    /// # Errors
    /// [`WriteError::Exists`] where something else is (a link too), else the error of the system; then nothing was added.
    fn append(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), WriteError>;

    /// Moves a file, a directory with all that is in it, or a link itself, to a name that is free.
    ///
    /// # Errors
    /// [`WriteError::Exists`] where anything is at `to`, [`WriteError::NoParent`] if nothing is at `from`, else
    /// the error of the system.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), WriteError>;

    /// Creates the last component of `path` with an atomic `mkdir` and returns whether this call created it.
    /// A new directory gets the permission bits of `mode`, regardless of the umask.
    ///
    /// # Errors
    /// A missing parent, something else in its place (a dangling link too), denied.
    fn make_dir(&self, path: &Path, mode: u32) -> Result<CreateOutcome, WriteError>;

    /// Creates `path` and its missing parents, all with `mode`.
    ///
    /// # Errors
    /// As [`System::make_dir`].
    fn make_dirs(&self, path: &Path, mode: u32) -> Result<(), WriteError>;

    /// Removes a file, or a link itself; one that is not there is no error.
    ///
    /// # Errors
    /// Denied, or a directory.
    fn remove(&self, path: &Path) -> Result<(), WriteError>;

    /// Removes a directory that is empty; one that is not there is no error. A link is not followed.
    ///
    /// # Errors
    /// Denied, not empty, or no directory.
    fn remove_dir(&self, path: &Path) -> Result<(), WriteError>;

    /// Takes an exclusive lock on `path` (created if missing), waiting for at most a few seconds. The lock ends with
    /// the value, and with the process. Nobody else needs to honour it, and it covers no other file.
    ///
    /// # Errors
    /// Denied, something other than a regular file in its place (a link too), or [`WriteError::Busy`]: somebody else
    /// holds it too long.
    fn lock(&self, path: &Path) -> Result<Box<dyn Send>, WriteError>;

    /// Returns a file of the bundled layer, such as `presets/default.toml`.
    fn bundled(&self, path: &str) -> Option<Cow<'static, [u8]>>;

    /// Lists the files of the bundled layer whose path starts with `prefix`, sorted.
    fn bundled_list(&self, prefix: &str) -> Vec<String>;

    /// Returns the current instant.
    fn now(&self) -> Timestamp;

    /// Returns the local time zone; UTC where none is set.
    fn time_zone(&self) -> TimeZone;

    /// Returns a time zone by its name, such as `Europe/Berlin`.
    fn zone(&self, name: &str) -> Option<TimeZone>;

    /// Reads an environment variable. Only directories, the terminal, the editor, the time zone, preface's own variables,
    /// and those that an MCP server is to be given are ever read.
    fn var(&self, name: &str) -> Option<OsString>;

    /// Returns the working directory of the process.
    fn current_dir(&self) -> Option<PathBuf>;

    /// Returns the home directory: `HOME`, absolute and non-empty.
    fn home(&self) -> Option<PathBuf>;

    /// Returns the operating system by Node's name: `linux`, `darwin`, `freebsd`, …
    fn os(&self) -> &str;

    /// Returns the host name.
    fn hostname(&self) -> Option<String>;

    /// Returns the user id that owns new files; `None` if the platform has none.
    fn user_id(&self) -> Option<u32>;

    /// Starts a program, never a shell, and waits for its end. It gets a clean environment: `PATH` (absolute directories
    /// outside of [`RunRequest::not_below`]), where home and temporary files are, user, language and time zone, and what
    /// [`RunRequest::env`] adds.
    ///
    /// When this returns, nothing of it is left: what the program started in its own process group is ended with it.
    /// (Without process groups, only the program is.)
    ///
    /// # Errors
    /// See [`RunError`]. An exit code that is not 0 is no error.
    fn run(&self, command: &RunRequest) -> Result<RunOutput, RunError>;
}

/// The directory that a read must end in after all links are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadScope<'a> {
    /// Anywhere.
    Anywhere,
    /// Inside this directory (compared canonically, component by component).
    Root(&'a Path),
}

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRead {
    /// All of its bytes, shared by everything that is made of them.
    pub bytes: Arc<Vec<u8>>,
    /// The metadata of the open file before it was read. Its `len` may differ from the length of `bytes`: for
    /// files of `/proc` it is 0.
    pub stat: Stat,
}

impl FileRead {
    /// Returns the bytes as a value of their own.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        Arc::unwrap_or_clone(self.bytes)
    }
}

/// The treatment of files with several hard links: such a file may be the same as a file outside of the
/// project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HardLinks {
    /// Files with several links are read.
    #[default]
    Read,
    /// Files with several links are refused.
    Refuse,
}

impl HardLinks {
    /// Checks how many names a file has.
    ///
    /// # Errors
    /// [`ReadError::HardLink`] where it has several and such files are refused.
    pub fn check(self, stat: &Stat) -> Result<(), ReadError> {
        match stat.links {
            Some(links) if links > 1 && stat.kind == FileKind::File && self == HardLinks::Refuse => {
                Err(ReadError::HardLink { links })
            }
            _ => Ok(()),
        }
    }
}

/// The metadata of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The kind.
    pub kind: FileKind,
    /// The size in bytes.
    pub len: u64,
    /// Equal for two paths exactly when they are the same file; `None` if the platform has no such thing.
    pub id: Option<FileId>,
    /// Permission bits (`0o644`); `None` if the platform has none.
    pub mode: Option<u32>,
    /// The owner; `None` if the platform has none.
    pub owner: Option<u32>,
    /// The number of names in the file system (hard links); `None` if the platform does not report it.
    pub links: Option<u64>,
    /// The last change of content or metadata; `None` if the platform does not report it.
    pub changed: Option<Timestamp>,
}

/// Device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    /// The device.
    pub device: u64,
    /// The inode.
    pub inode: u64,
}

/// The kind of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link (only from [`System::link_stat`] and [`System::list`]).
    Link,
    /// A pipe, a socket, a device.
    Special,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The name.
    pub name: OsString,
    /// The kind, links not followed.
    pub kind: FileKind,
}

/// The handling of an existing file by a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// Creates, or replaces a regular file.
    Replace,
    /// Creates; fails where anything exists, also a dangling link or a directory.
    New,
}

/// The effect of creating a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    /// This call created it.
    New,
    /// The directory existed.
    Existed,
}

/// The ways in which a path is no readable file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Nothing is there.
    Missing,
    /// A link that points nowhere.
    Dangling,
    /// Something else than a regular file (or, in [`System::list`], than a directory).
    Kind(FileKind),
    /// The permissions forbid it.
    Denied,
    /// Larger than the limit, in bytes (entries for a directory).
    TooLarge {
        /// The size, as far as known.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The target lies outside of the root.
    Outside {
        /// The target, as far as known; empty where the reader may not know it.
        target: PathBuf,
    },
    /// A file with several names, where such files are refused.
    HardLink {
        /// The number of names.
        links: u64,
    },
    /// A loop of links, or a path too long.
    Loop,
    /// A text in another encoding than UTF-8, by its name.
    Encoding(&'static str),
    /// Anything else, in the machine's words.
    Other(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Missing => write!(f, "not found"),
            ReadError::Dangling => write!(f, "a link that points nowhere"),
            ReadError::Kind(FileKind::File) => write!(f, "a file, not a directory"),
            ReadError::Kind(FileKind::Dir) => write!(f, "a directory, not a file"),
            ReadError::Kind(FileKind::Link) => write!(f, "a link"),
            ReadError::Kind(FileKind::Special) => write!(f, "a pipe, socket or device, not a file"),
            ReadError::Denied => write!(f, "permission denied"),
            ReadError::TooLarge { size, limit } => write!(f, "{size} bytes, more than the limit of {limit}"),
            ReadError::Outside { target } if target.as_os_str().is_empty() => {
                write!(f, "leads outside of the roots")
            }
            ReadError::Outside { target } => write!(f, "leads outside, to `{}`", target.display()),
            ReadError::HardLink { links } => {
                write!(f, "it has {links} names (hard links), and another may lie outside")
            }
            ReadError::Loop => write!(f, "a loop of links, or a path too long"),
            ReadError::Encoding(name) => write!(f, "it is {name}, not UTF-8"),
            ReadError::Other(words) => write!(f, "{words}"),
        }
    }
}

/// The reason why a write failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The path exists already.
    #[error("already exists")]
    Exists,
    /// The directory to write in is missing.
    #[error("its directory does not exist")]
    NoParent,
    /// The permissions (or a read-only file system) forbid it.
    #[error("permission denied")]
    Denied,
    /// A lock could not be had in time.
    #[error("another process holds the lock")]
    Busy,
    /// Anything else, in the machine's words.
    #[error("{0}")]
    Other(String),
}

/// The user who may write everywhere.
const ROOT_USER: u32 = 0;

/// Returns whether a file belongs to the user or to root, as far as the platform knows owners.
pub(crate) fn is_users(system: &dyn System, stat: &Stat) -> bool {
    let Some((user, owner)) = system.user_id().zip(stat.owner) else { return true };
    [user, ROOT_USER].contains(&owner)
}

/// Returns whether all users can write in a directory (a sticky one too).
#[must_use]
pub fn is_open(system: &dyn System, dir: &Path) -> bool {
    system.stat(dir).and_then(|dir| dir.mode).is_some_and(|mode| mode & 0o002 != 0)
}

/// Returns true for a path on one of the kernel's file systems, which hold no user files.
pub(crate) fn is_kernel_path(path: &Path) -> bool {
    path.starts_with("/proc") || path.starts_with("/sys")
}

/// The message where a link, or no directory, is on the way to what is written.
const NOT_BENEATH: &str =
    "a link, or no directory, is on the way; links of a project are not followed to write";

/// Creates a directory and its missing parents with `mode`. Beneath a root ([`ReadScope::Root`], which may itself be reached
/// through links) a link on the way is refused: a project cannot lead what is written for it out of itself.
///
/// # Errors
/// A link or a file where a directory belongs, `path` not at or below the root by its words, denied.
pub fn make_dirs_within(
    system: &dyn System,
    path: &Path,
    within: ReadScope<'_>,
    mode: u32,
) -> Result<(), WriteError> {
    let ReadScope::Root(root) = within else { return system.make_dirs(path, mode) };
    let outside = || WriteError::Other(format!("it is not below `{}`", root.display()));
    let below = path.strip_prefix(root).map_err(|_| outside())?;
    system.make_dirs(root, mode)?;
    let mut place = root.to_owned();
    for part in below.components() {
        let Component::Normal(name) = part else { return Err(outside()) };
        place.push(name);
        match system.link_stat(&place).map(|stat| stat.kind) {
            Some(FileKind::Dir) => {}
            Some(_) => return Err(WriteError::Other(NOT_BENEATH.into())),
            None => _ = system.make_dir(&place, mode)?,
        }
    }
    Ok(())
}

/// Creates `path` and its missing parents with `make_dir`, the way down from the first ancestor that is there.
fn make_dirs_by(
    path: &Path,
    mut make_dir: impl FnMut(&Path) -> Result<CreateOutcome, WriteError>,
) -> Result<(), WriteError> {
    let mut missing = Vec::new();
    for dir in path.ancestors() {
        match make_dir(dir) {
            Ok(_) => break,
            Err(WriteError::NoParent) => missing.push(dir),
            Err(error) => return Err(error),
        }
    }
    while let Some(dir) = missing.pop() {
        make_dir(dir)?;
    }
    Ok(())
}
