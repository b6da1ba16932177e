//! A view of a machine through which nothing is written. For callers that promise it: whatever a build would keep on the
//! way (a first file, a record of what happened) is refused here, and the caller reports it.

use super::{
    CreateOutcome, DirEntry, Directory, FileRead, GitError, HardLinks, ReadError, ReadScope, RunError,
    RunOutput, RunRequest, Stat, System, WriteError, WriteMode,
};
use jiff::{Timestamp, tz::TimeZone};
use std::{
    borrow::Cow,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Reads like the machine behind it, and refuses every write. Programs run as they do there.
///
/// ```
/// use preface_host::system::{System, ReadScope, WriteMode, testing::MemorySystem, read_only::ReadOnly};
/// use std::path::Path;
/// # if cfg!(windows) { return; }
///
/// let machine = MemorySystem::new().with_file("/work/a.md", "Use tabs.");
/// let system = ReadOnly::new(&machine);
/// assert_eq!(system.read(Path::new("/work/a.md"), ReadScope::Anywhere, 100).unwrap().into_bytes(), b"Use tabs.");
/// let refused = system.write(Path::new("/work/b.md"), b"", WriteMode::New, 0o600).unwrap_err();
/// assert_eq!(refused.to_string(), "nothing is written here");
/// assert_eq!(machine.stat(Path::new("/work/b.md")), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReadOnly<'s> {
    system: &'s dyn System,
}

impl<'s> ReadOnly<'s> {
    /// Takes the machine to read from.
    #[must_use]
    pub fn new(system: &'s dyn System) -> Self {
        ReadOnly { system }
    }
}

fn refuse<T>() -> Result<T, WriteError> {
    Err(WriteError::Other("nothing is written here".to_owned()))
}

impl System for ReadOnly<'_> {
    forward! {
        fn read(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError>;
        fn read_head(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError>;
        fn stat(&self, path: &Path) -> Option<Stat>;
        fn link_stat(&self, path: &Path) -> Option<Stat>;
        fn read_link(&self, path: &Path) -> Option<PathBuf>;
        fn list(&self, dir: &Path, limit: usize) -> Result<Vec<DirEntry>, ReadError>;
        fn canonical(&self, path: &Path) -> Result<PathBuf, ReadError>;
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
        fn run(&self, command: &RunRequest) -> Result<RunOutput, RunError>;
    }

    fn write(&self, _: &Path, _: &[u8], _: WriteMode, _: u32) -> Result<(), WriteError> {
        refuse()
    }

    fn directory(&self, _: &Path, _: ReadScope<'_>, _: u32) -> Result<Box<dyn Directory + '_>, WriteError> {
        refuse()
    }

    fn make_dir(&self, _: &Path, _: u32) -> Result<CreateOutcome, WriteError> {
        refuse()
    }

    fn make_dirs(&self, _: &Path, _: u32) -> Result<(), WriteError> {
        refuse()
    }

    fn remove(&self, _: &Path) -> Result<(), WriteError> {
        refuse()
    }

    fn remove_dir(&self, _: &Path) -> Result<(), WriteError> {
        refuse()
    }

    fn lock(&self, _: &Path) -> Result<Box<dyn Send>, WriteError> {
        refuse()
    }
}
