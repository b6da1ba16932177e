//! The real machine.
//!
//! Each file here is one verb or one question; this one only gathers them behind [`System`].

mod bundle;
mod dirs;
mod error;
mod lock;
mod open;
mod read;
mod run;
mod stat;
mod surroundings;
mod write;
mod zone;

use super::{
    CreateOutcome, DirEntry, FileKind, FileRead, ReadError, ReadScope, RunError, RunOutput, RunRequest, Stat,
    System, WriteError, WriteMode, program,
};
use jiff::{Timestamp, tz::TimeZone};
use std::{
    borrow::Cow,
    ffi::OsString,
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

/// The machine this process runs on.
#[derive(Debug)]
pub struct OsSystem {
    bundled: &'static [(&'static str, &'static [u8])],
    lock_wait: Duration,
    home: Option<PathBuf>,
    before_run: Option<fn()>,
}

impl OsSystem {
    /// Returns the machine with its bundled layer: path and bytes of each file, sorted by path.
    pub fn new(bundled: &'static [(&'static str, &'static [u8])]) -> Self {
        debug_assert!(bundled.is_sorted_by(|a, b| a.0 < b.0), "bundled files are sorted by path, each once");
        OsSystem { bundled, lock_wait: super::LOCK_WAIT, home: None, before_run: None }
    }

    /// Sets the home directory, in place of the environment's, and reads no variable of the environment but `PATH`. Programs
    /// that are started keep the environment.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Calls a function before each program: for a process that listens for signals once it has something to end.
    #[must_use]
    pub fn with_before_run(mut self, call: fn()) -> Self {
        self.before_run = Some(call);
        self
    }

    /// Ends all running programs and their children, for a process that exits right after: threads that wait
    /// for one of them do not continue.
    pub fn end_programs() {
        run::end_all();
    }

    /// Sets how long [`System::lock`] waits; the default is five seconds.
    pub fn with_lock_wait(mut self, wait: Duration) -> Self {
        self.lock_wait = wait;
        self
    }
}

/// Opens a file for reading, wherever it is or only inside a root.
fn open_file(path: &Path, within: ReadScope<'_>) -> Result<File, ReadError> {
    match within {
        ReadScope::Anywhere => open::anywhere(error::absolute(path)?),
        ReadScope::Root(root) => open::within(error::absolute(path)?, error::absolute(root)?),
    }
}

impl System for OsSystem {
    fn read(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError> {
        read::read_bounded(&open_file(path, within)?, limit)
    }

    fn read_head(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError> {
        read::head(&open_file(path, within)?, limit)
    }

    fn stat(&self, path: &Path) -> Option<Stat> {
        stat::stat(error::absolute(path).ok()?)
    }

    fn link_stat(&self, path: &Path) -> Option<Stat> {
        stat::link_stat(error::absolute(path).ok()?)
    }

    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        std::fs::read_link(error::absolute(path).ok()?).ok()
    }

    fn list(&self, dir: &Path, limit: usize) -> Result<Vec<DirEntry>, ReadError> {
        stat::list(error::absolute(dir)?, limit)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, ReadError> {
        stat::canonical(error::absolute(path)?)
    }

    fn write(&self, path: &Path, bytes: &[u8], how: WriteMode, mode: u32) -> Result<(), WriteError> {
        write::write(error::absolute_to_write(path)?, bytes, how, mode & 0o777)
    }

    fn append(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), WriteError> {
        write::append(error::absolute_to_write(path)?, bytes, mode & 0o777)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), WriteError> {
        write::rename(error::absolute_to_write(from)?, error::absolute_to_write(to)?)
    }

    fn make_dir(&self, path: &Path, mode: u32) -> Result<CreateOutcome, WriteError> {
        dirs::make_dir(error::absolute_to_write(path)?, mode & 0o777)
    }

    fn make_dirs(&self, path: &Path, mode: u32) -> Result<(), WriteError> {
        super::make_dirs_by(path, |dir| self.make_dir(dir, mode))
    }

    fn remove(&self, path: &Path) -> Result<(), WriteError> {
        dirs::remove(error::absolute_to_write(path)?)
    }

    fn remove_dir(&self, path: &Path) -> Result<(), WriteError> {
        dirs::remove_dir(error::absolute_to_write(path)?)
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn Send>, WriteError> {
        Ok(Box::new(lock::lock(error::absolute_to_write(path)?, self.lock_wait)?))
    }

    fn bundled(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        bundle::get(self.bundled, path)
    }

    fn bundled_list(&self, prefix: &str) -> Vec<String> {
        bundle::list(self.bundled, prefix)
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn time_zone(&self) -> TimeZone {
        zone::local(self.var("TZ").as_ref().and_then(|tz| tz.to_str()))
    }

    fn zone(&self, name: &str) -> Option<TimeZone> {
        zone::named(name)
    }

    fn var(&self, name: &str) -> Option<OsString> {
        if self.home.is_some() && name != "PATH" {
            return None;
        }
        std::env::var_os(name)
    }

    fn current_dir(&self) -> Option<PathBuf> {
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        surroundings::named_current_dir(|name| std::env::var_os(name), real)
            .or_else(|| std::env::current_dir().ok())
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.clone().or_else(|| surroundings::home(|name| self.var(name)))
    }

    fn os(&self) -> &str {
        surroundings::node_name(std::env::consts::OS)
    }

    fn hostname(&self) -> Option<String> {
        surroundings::hostname()
    }

    fn user_id(&self) -> Option<u32> {
        surroundings::user_id()
    }

    fn run(&self, command: &RunRequest) -> Result<RunOutput, RunError> {
        let found = program::find(self, command)?;
        if self.stat(&command.cwd).is_none_or(|stat| stat.kind != FileKind::Dir) {
            return Err(super::run::no_directory(&command.cwd));
        }
        if let Some(call) = self.before_run {
            call();
        }
        let environment = command.environment(found.search.clone(), |name| self.var(name));
        run::run(command, &found, environment)
    }
}
