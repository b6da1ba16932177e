//! A view of a machine for one build, which looks at each directory once.
//!
//! A build resolves the same few directories for each of its files. What is kept is where directories are, and where
//! nothing is. Files and links are looked at each time, and files are opened by the machine behind it, with all of its
//! checks; what was read of them is kept on request. After the first write, and after the first program, nothing is kept any
//! more.

use super::{
    CreateOutcome, DirEntry, Directory, FileKind, FileRead, GitError, HardLinks, ReadError, ReadScope,
    RunError, RunOutput, RunRequest, Stat, System, WriteError, WriteMode,
};
use crate::places::is_tidy;
use jiff::{Timestamp, tz::TimeZone};
use std::{
    borrow::Cow,
    collections::HashMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// A machine whose directories are looked at once.
///
/// ```
/// use preface_host::system::{System, directory_cache::DirectoryCache, testing::MemorySystem};
/// use std::path::Path;
/// # if cfg!(windows) { return; }
///
/// let machine = MemorySystem::new().with_file("/work/a/AGENTS.md", "Use tabs.");
/// let system = DirectoryCache::new(&machine);
/// assert_eq!(system.canonical(Path::new("/work/a")).unwrap(), Path::new("/work/a"));
/// machine.clear_touches();
/// assert!(system.stat(Path::new("/work/a")).is_some());
/// assert_eq!(system.canonical(Path::new("/work")).unwrap(), Path::new("/work"));
/// assert!(machine.touches().is_empty());
/// ```
#[derive(Debug)]
pub struct DirectoryCache<'s> {
    system: &'s dyn System,
    /// By the spelling of each path; `None` once something was written.
    known: Mutex<Option<HashMap<OsString, CachedPath>>>,
    /// `None` unless files are kept.
    files: Mutex<Option<HashMap<FileKey, FileRead>>>,
}

/// A file as it was asked for: its path, the directory that it must be in, the limit, and whether it may be longer.
type FileKey = (OsString, Option<OsString>, u64, bool);

/// The initial capacity: the number of paths of a small build.
const ROOM: usize = 128;

/// A path at which a directory is, or nothing.
#[derive(Clone, Debug, Default)]
struct CachedPath {
    /// The directory; `None` if nothing is.
    stat: Option<Stat>,
    /// True for a directory without a link in its path, and for a path that does not exist (not for one that
    /// is unreadable for another reason, such as permissions).
    is_plain: bool,
}

impl<'s> DirectoryCache<'s> {
    /// Takes the machine to look at.
    #[must_use]
    pub fn new(system: &'s dyn System) -> Self {
        let known = Mutex::new(Some(HashMap::with_capacity(ROOM)));
        DirectoryCache { system, known, files: Mutex::new(None) }
    }

    /// Keeps what is read of files, too: for several builds that look at the same moment.
    #[must_use]
    pub fn keeping_files(self) -> Self {
        DirectoryCache { files: Mutex::new(Some(HashMap::new())), ..self }
    }

    /// Reads a file, or returns what was read of it before.
    fn read_once(
        &self,
        (path, within, limit, is_head): (&Path, ReadScope<'_>, u64, bool),
        read: impl FnOnce() -> Result<FileRead, ReadError>,
    ) -> Result<FileRead, ReadError> {
        if self.is_in_missing_dir(path, within) {
            return Err(ReadError::Missing);
        }
        let root = match within {
            ReadScope::Anywhere => None,
            ReadScope::Root(root) => Some(root.as_os_str().to_owned()),
        };
        let key = (path.as_os_str().to_owned(), root, limit, is_head);
        let kept = |files: &HashMap<FileKey, FileRead>| files.get(&key).cloned();
        if let Some(file) = self.files.lock().ok().and_then(|files| files.as_ref().and_then(kept)) {
            return Ok(file);
        }
        let file = read()?;
        if let Ok(mut files) = self.files.lock()
            && let Some(files) = files.as_mut()
        {
            files.insert(key, file.clone());
        }
        Ok(file)
    }

    /// Reads what is kept of a path.
    fn known<T>(&self, path: &Path, read: impl FnOnce(&CachedPath) -> T) -> Option<T> {
        self.known.lock().ok()?.as_ref()?.get(path.as_os_str()).map(read)
    }

    /// Keeps something about an absolute path.
    fn keep(&self, path: &Path, add: impl FnOnce(&mut CachedPath)) {
        if let Ok(mut known) = self.known.lock()
            && let Some(known) = known.as_mut().filter(|_| path.is_absolute())
        {
            match known.get_mut(path.as_os_str()) {
                Some(known) => add(known),
                None => add(known.entry(path.as_os_str().to_owned()).or_default()),
            }
        }
    }

    /// Keeps nothing from here on.
    fn forget(&self) {
        if let Ok(mut known) = self.known.lock() {
            *known = None;
        }
        if let Ok(mut files) = self.files.lock() {
            *files = None;
        }
    }

    /// Returns whether a path is a directory and has no link in it.
    fn is_real_dir(&self, path: &Path) -> bool {
        if let Some((is_dir, true)) = self.known(path, |known| (known.stat.is_some(), known.is_plain)) {
            return is_dir;
        }
        let is_dir = self.link_stat(path).is_some_and(|stat| stat.kind == FileKind::Dir);
        let is_real = is_dir && path.parent().is_none_or(|parent| self.is_real_dir(parent));
        if is_real {
            self.keep(path, |known| known.is_plain = true);
        }
        is_real
    }

    /// Returns whether a path is missing, and not only hidden by permissions.
    fn is_missing(&self, path: &Path) -> bool {
        if self.link_stat(path).is_some() {
            return false;
        }
        if self.known(path, |known| known.is_plain) == Some(true) {
            return true;
        }
        let is_missing = path.parent().is_some_and(|dir| {
            let is_gone = || self.system.canonical(path) == Err(ReadError::Missing);
            if self.is_real_dir(dir) { is_gone() } else { self.is_missing(dir) }
        });
        if is_missing {
            self.keep(path, |known| known.is_plain = true);
        }
        is_missing
    }

    /// Returns whether nothing is at a path because the directory that it is named in is missing.
    fn is_in_missing_dir(&self, path: &Path, within: ReadScope<'_>) -> bool {
        let is_inside = || match within {
            ReadScope::Anywhere => true,
            ReadScope::Root(root) => path.starts_with(root) && self.is_real_dir(root),
        };
        let Some(dir) = path.parent().filter(|_| path.is_absolute() && is_tidy(path)) else { return false };
        self.link_stat(dir).is_none() && is_inside() && self.is_missing(dir)
    }
}

impl System for DirectoryCache<'_> {
    forward! {
        fn read_link(&self, path: &Path) -> Option<PathBuf>;
        fn list(&self, dir: &Path, limit: usize) -> Result<Vec<DirEntry>, ReadError>;
        fn bundled(&self, path: &str) -> Option<Cow<'static, [u8]>>;
        fn bundled_list(&self, prefix: &str) -> Vec<String>;
        fn now(&self) -> Timestamp;
        fn time_zone(&self) -> TimeZone;
        fn zone(&self, name: &str) -> Option<TimeZone>;
        fn var(&self, name: &str) -> Option<OsString>;
        fn current_dir(&self) -> Option<PathBuf>;
        fn home(&self) -> Option<PathBuf>;
        fn os(&self) -> &str;
        fn hostname(&self) -> Option<String>;
        fn user_id(&self) -> Option<u32>;
        fn git_status(&self, dir: &Path, hard_links: HardLinks) -> Result<String, GitError>;
    }

    forward! {
        first forget;
        fn write(&self, path: &Path, bytes: &[u8], how: WriteMode, mode: u32) -> Result<(), WriteError>;
        fn directory(&self, path: &Path, within: ReadScope<'_>, mode: u32) -> Result<Box<dyn Directory + '_>, WriteError>;
        fn make_dir(&self, path: &Path, mode: u32) -> Result<CreateOutcome, WriteError>;
        fn make_dirs(&self, path: &Path, mode: u32) -> Result<(), WriteError>;
        fn remove(&self, path: &Path) -> Result<(), WriteError>;
        fn remove_dir(&self, path: &Path) -> Result<(), WriteError>;
        fn lock(&self, path: &Path) -> Result<Box<dyn Send>, WriteError>;
        fn run(&self, command: &RunRequest) -> Result<RunOutput, RunError>;
    }

    fn read(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError> {
        self.read_once((path, within, limit, false), || self.system.read(path, within, limit))
    }

    fn read_head(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError> {
        self.read_once((path, within, limit, true), || self.system.read_head(path, within, limit))
    }

    fn stat(&self, path: &Path) -> Option<Stat> {
        let stat = self.link_stat(path)?;
        if stat.kind == FileKind::Link { self.system.stat(path) } else { Some(stat) }
    }

    fn link_stat(&self, path: &Path) -> Option<Stat> {
        if let Some(stat) = self.known(path, |known| known.stat.clone()) {
            return stat;
        }
        let stat = self.system.link_stat(path);
        if stat.as_ref().is_none_or(|stat| stat.kind == FileKind::Dir) {
            self.keep(path, |known| known.stat.clone_from(&stat));
        }
        stat
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, ReadError> {
        if !path.is_absolute() || !is_tidy(path) {
            return self.system.canonical(path);
        }
        // Elsewhere a directory has more than one spelling: in another case, or with a prefix.
        if cfg!(target_os = "linux") && self.is_real_dir(path) {
            return Ok(path.to_owned());
        }
        if self.is_missing(path) { Err(ReadError::Missing) } else { self.system.canonical(path) }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::system::testing::MemorySystem;

    #[test]
    fn the_answers_are_those_of_the_machine() {
        let machine = MemorySystem::new()
            .with_file("/w/a/b/file", "x")
            .with_link("/w/link", "a")
            .with_link("/w/a/up", "b/file")
            .with_link("/w/gone", "nowhere");
        let system = DirectoryCache::new(&machine);
        let paths = [
            "/",
            "/w",
            "/w/a",
            "/w/a/b",
            "/w/a/b/file",
            "/w/link",
            "/w/link/b",
            "/w/link/b/file",
            "/w/a/up",
            "/w/gone",
            "/w/gone/x",
            "/none",
            "/none/x/y",
            "/w/a/b/file/x",
            "/w/a/../a",
            "/w/link/..",
            "/w/a/",
        ];
        for _ in 0..2 {
            for path in paths.map(Path::new) {
                assert_eq!(system.stat(path), machine.stat(path), "{}", path.display());
                assert_eq!(system.link_stat(path), machine.link_stat(path), "{}", path.display());
                assert_eq!(system.canonical(path), machine.canonical(path), "{}", path.display());
                for within in [
                    ReadScope::Anywhere,
                    ReadScope::Root(Path::new("/w/a")),
                    ReadScope::Root(Path::new("/none")),
                ] {
                    let (here, there) = (system.read(path, within, 9), machine.read(path, within, 9));
                    assert_eq!(here, there, "{} in {within:?}", path.display());
                }
            }
        }
    }

    #[test]
    fn a_file_is_read_once_until_something_is_written() {
        let machine = MemorySystem::new().with_file("/w/a", "one");
        let system = DirectoryCache::new(&machine).keeping_files();
        let read = |limit| system.read(Path::new("/w/a"), ReadScope::Anywhere, limit);
        assert_eq!(read(9).unwrap().into_bytes(), b"one");
        machine.put_file(Path::new("/w/a"), "other");
        assert_eq!(read(9).unwrap().into_bytes(), b"one");
        assert!(read(3).is_err(), "another limit is another question");
        system.make_dirs(Path::new("/w/b"), 0o700).unwrap();
        assert_eq!(read(9).unwrap().into_bytes(), b"other");
    }

    #[test]
    fn after_a_write_everything_is_looked_at() {
        let machine = MemorySystem::new().with_dir("/w");
        let system = DirectoryCache::new(&machine);
        let (dir, file) = (Path::new("/w/a"), Path::new("/w/a/file"));
        assert_eq!(system.read(file, ReadScope::Anywhere, 9), Err(ReadError::Missing));
        system.make_dirs(dir, 0o700).unwrap();
        assert!(system.stat(dir).is_some());
        assert_eq!(system.canonical(dir).as_deref(), Ok(dir));
        machine.put_file(file, "x");
        assert_eq!(system.read(file, ReadScope::Anywhere, 9).unwrap().into_bytes(), b"x");
    }
}
