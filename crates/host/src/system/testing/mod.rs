//! The machine as a value: a disk, a clock and an environment in memory, for tests.
//!
//! It is built by chaining, shared by cloning, and inspected afterwards for what was touched:
//!
//! ```
//! use preface_host::system::{System, ReadScope, testing::MemorySystem};
//! use std::path::Path;
//!
//! let machine = MemorySystem::new().with_file("/p/AGENTS.md", "Use tabs.").with_link("/p/CLAUDE.md", "AGENTS.md");
//! let read = machine.read(Path::new("/p/CLAUDE.md"), ReadScope::Root(Path::new("/p")), 1024).unwrap();
//! assert_eq!(*read.bytes, b"Use tabs.");
//! assert_eq!(machine.reads("/p/AGENTS.md"), 1);
//! ```
//!
//! Permissions follow from mode and owner, as on a real disk, for a user who is not root.

mod disk;
mod faults;
mod run;
mod touch;

pub use faults::WriteFault;
pub use run::FakeRun;
pub use touch::{AccessKind, AccessRecord};

use super::{
    CreateOutcome, DirEntry, FileKind, FileRead, ReadError, ReadScope, RunError, RunOutput, RunRequest, Stat,
    System, WriteError, WriteMode,
};
use disk::{Disk, NodeContent};
use faults::StepCounter;
use jiff::{Timestamp, tz::TimeZone};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A machine in memory. Clones share the disk, the clock and the log.
#[derive(Clone, Debug)]
pub struct MemorySystem {
    shared: Arc<SharedState>,
    bundled: BTreeMap<String, Cow<'static, [u8]>>,
    vars: BTreeMap<String, OsString>,
    current_dir: Option<PathBuf>,
    home: Option<PathBuf>,
    os: String,
    hostname: Option<String>,
    lock_wait: Duration,
}

#[derive(Debug)]
struct SharedState {
    state: Mutex<MemoryState>,
    unlocked: Condvar,
}

#[derive(Debug)]
struct MemoryState {
    disk: Disk,
    now: Timestamp,
    git: BTreeMap<PathBuf, FakeRun>,
    commands: BTreeMap<Vec<String>, FakeRun>,
    runs: Vec<RunRequest>,
    touches: Vec<AccessRecord>,
    steps: StepCounter,
    locked: BTreeSet<PathBuf>,
    locked_elsewhere: BTreeSet<PathBuf>,
    swap: Option<Swap>,
}

/// A link that is put in place of a file or directory when another file is read.
#[derive(Debug)]
struct Swap {
    read: PathBuf,
    path: PathBuf,
    target: PathBuf,
}

impl Default for MemorySystem {
    fn default() -> Self {
        MemorySystem::new()
    }
}

/// Building.
impl MemorySystem {
    /// Returns an empty machine: Linux, user 1000 at home in `/home/user`, working in `/work`, host `machine`, UTC, and
    /// a clock that is at 2026-01-02 03:04:05. No variables, nothing bundled, no repositories.
    pub fn new() -> Self {
        let state = MemoryState {
            disk: Disk::new(1000),
            now: Timestamp::from_second(1_767_323_045)
                .expect("the second lies within the range of timestamps"),
            git: BTreeMap::new(),
            commands: BTreeMap::new(),
            runs: Vec::new(),
            touches: Vec::new(),
            steps: StepCounter::default(),
            locked: BTreeSet::new(),
            locked_elsewhere: BTreeSet::new(),
            swap: None,
        };
        MemorySystem {
            shared: Arc::new(SharedState { state: Mutex::new(state), unlocked: Condvar::new() }),
            bundled: BTreeMap::new(),
            vars: BTreeMap::new(),
            current_dir: None,
            home: None,
            os: "linux".into(),
            hostname: Some("machine".into()),
            lock_wait: super::LOCK_WAIT,
        }
        .with_home("/home/user")
        .with_current_dir("/work")
    }

    /// Adds a file (mode 0644) and its missing parents; replaces what was there.
    pub fn with_file(self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Self {
        self.put_file(path, bytes);
        self
    }

    /// Adds a directory (mode 0755) and its missing parents.
    pub fn with_dir(self, path: impl AsRef<Path>) -> Self {
        self.state().disk.put(path.as_ref(), NodeContent::Dir);
        self
    }

    /// Adds a symbolic link at `path` to `target`, which need not exist.
    pub fn with_link(self, path: impl AsRef<Path>, target: impl Into<PathBuf>) -> Self {
        self.put_link(path, target);
        self
    }

    /// Adds a second name for an existing file: equal [`Stat::id`].
    pub fn with_hard_link(self, path: impl AsRef<Path>, existing: impl AsRef<Path>) -> Self {
        self.state().disk.put_hard_link(existing.as_ref(), path.as_ref());
        self
    }

    /// Adds a pipe, socket or device.
    pub fn with_special(self, path: impl AsRef<Path>) -> Self {
        self.state().disk.put(path.as_ref(), NodeContent::Special);
        self
    }

    /// Adds a file without read permission (mode 0000).
    pub fn with_unreadable(self, path: impl AsRef<Path>) -> Self {
        self.with_file(&path, "secret").with_mode(path, 0)
    }

    /// Adds a directory without write permission (mode 0555).
    pub fn with_unwritable_dir(self, path: impl AsRef<Path>) -> Self {
        self.with_dir(&path).with_mode(path, 0o555)
    }

    /// Sets the permission bits of the file at `path` (of a link itself, not its target).
    pub fn with_mode(self, path: impl AsRef<Path>, mode: u32) -> Self {
        self.state().disk.set_mode(path.as_ref(), mode);
        self
    }

    /// Sets the owner of the file at `path` (of a link itself, not its target).
    pub fn with_owner(self, path: impl AsRef<Path>, owner: u32) -> Self {
        self.state().disk.set_owner(path.as_ref(), owner);
        self
    }

    /// Sets the file system of the file at `path`, such as a mount point; everything else is on file system
    /// 1.
    pub fn with_device(self, path: impl AsRef<Path>, device: u64) -> Self {
        self.state().disk.set_device(path.as_ref(), device);
        self
    }

    /// Gives nothing on the disk an id, as on machines without inodes.
    pub fn without_file_ids(self) -> Self {
        self.state().disk.has_file_ids = false;
        self
    }

    /// Lets every read of the file (or list of the directory) at `path` fail with `error`.
    pub fn with_read_error(self, path: impl AsRef<Path>, error: ReadError) -> Self {
        self.state().disk.set_broken(path.as_ref(), error);
        self
    }

    /// Adds a file of the bundled layer, such as `presets/default.toml`.
    pub fn with_bundled(mut self, path: impl Into<String>, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        self.bundled.insert(path.into(), bytes.into());
        self
    }

    /// Adds the whole bundled layer, in the form that the real machine takes.
    pub fn with_bundle(mut self, files: &'static [(&'static str, &'static [u8])]) -> Self {
        self.bundled.extend(files.iter().map(|(path, bytes)| ((*path).to_owned(), Cow::Borrowed(*bytes))));
        self
    }

    /// Sets the clock, which then does not advance.
    pub fn with_now(self, now: Timestamp) -> Self {
        self.set_now(now);
        self
    }

    /// Sets an environment variable. `HOME` is a variable like any other here: see [`MemorySystem::with_home`].
    pub fn with_var(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.vars.insert(name.into(), value.into());
        self
    }

    /// Sets the working directory and creates it.
    pub fn with_current_dir(mut self, path: impl AsRef<Path>) -> Self {
        self.state().disk.put(path.as_ref(), NodeContent::Dir);
        self.current_dir = Some(path.as_ref().to_owned());
        self
    }

    /// Sets the home directory and creates it.
    pub fn with_home(mut self, path: impl AsRef<Path>) -> Self {
        self.state().disk.put(path.as_ref(), NodeContent::Dir);
        self.home = Some(path.as_ref().to_owned());
        self
    }

    /// Leaves the user without a home.
    pub fn without_home(mut self) -> Self {
        self.home = None;
        self
    }

    /// Sets the operating system, by Node's name. It changes nothing else: paths stay those of this machine.
    pub fn with_os(mut self, os: impl Into<String>) -> Self {
        self.os = os.into();
        self
    }

    /// Sets the host name.
    pub fn with_hostname(mut self, hostname: impl Into<String>) -> Self {
        self.hostname = Some(hostname.into());
        self
    }

    /// Sets the user, who owns what is added from here on. User 0 may do everything.
    pub fn with_user(self, id: u32) -> Self {
        self.state().disk.user = id;
        self
    }

    /// Sets what `git status` does in the canonical directory `dir`; no filter is configured. Without it there is no git.
    pub fn with_git_status(self, dir: impl Into<PathBuf>, status: FakeRun) -> Self {
        self.state().git.insert(dir.into(), status);
        self
    }

    /// Sets what happens when exactly these words are run. Everything else is [`RunError::NotFound`].
    pub fn with_command(self, argv: impl IntoIterator<Item = impl Into<String>>, fake: FakeRun) -> Self {
        self.state().commands.insert(argv.into_iter().map(Into::into).collect(), fake);
        self
    }

    /// Lets another process hold the lock on `path` for ever: [`WriteError::Busy`], without a wait.
    pub fn with_foreign_lock(self, path: impl Into<PathBuf>) -> Self {
        self.state().locked_elsewhere.insert(path.into());
        self
    }

    /// Sets how long [`System::lock`] waits; the default is five seconds.
    pub fn with_lock_wait(mut self, wait: Duration) -> Self {
        self.lock_wait = wait;
        self
    }
}

/// Changes to a system that has other clones.
impl MemorySystem {
    /// Adds or replaces a file, from outside of the program under test: no permissions, no steps, no log.
    pub fn put_file(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        self.state().disk.put(path.as_ref(), NodeContent::File(bytes.as_ref().into()));
    }

    /// Adds or replaces a link, from outside of the program under test.
    pub fn put_link(&self, path: impl AsRef<Path>, target: impl Into<PathBuf>) {
        self.state().disk.put(path.as_ref(), NodeContent::Link(target.into()));
    }

    /// Replaces the file at `path` by a link, as another program would, just before `read` is read.
    pub fn put_link_at_read(
        &self,
        read: impl Into<PathBuf>,
        path: impl Into<PathBuf>,
        target: impl Into<PathBuf>,
    ) {
        self.state().swap = Some(Swap { read: read.into(), path: path.into(), target: target.into() });
    }

    /// Removes the file at `path` and all below it, as another program would.
    pub fn cut(&self, path: impl AsRef<Path>) {
        self.state().disk.cut(path.as_ref());
    }

    /// Sets the clock.
    pub fn set_now(&self, now: Timestamp) {
        self.state().now = now;
    }

    /// Lets the write step with number [`write_steps`](MemorySystem::write_steps)` + after` go wrong, once.
    ///
    /// [`System::write`] takes five steps: create the temporary file, fill it, flush it, put it in place, flush the
    /// directory. [`System::append`], [`System::rename`], [`System::make_dir`],
    /// [`System::remove`] and [`System::remove_dir`] take one each.
    pub fn fail_step(&self, after: u64, fault: WriteFault) {
        let steps = &mut self.state().steps;
        steps.planned = Some((steps.taken + after, fault));
    }

    /// Ends the crash of a [`WriteFault::Crash`]: the disk is as it was left, locks are gone.
    pub fn restart(&self) {
        let mut state = self.state();
        state.steps.crashed = false;
        state.locked.clear();
    }
}

/// Asking what happened.
impl MemorySystem {
    /// Counts the calls of [`System::read`] that led to `path`, through whatever links, also the failed ones.
    pub fn reads(&self, path: impl AsRef<Path>) -> usize {
        let state = self.state();
        let place = state.disk.lead(path.as_ref()).place;
        state.touches.iter().filter(|touch| touch.verb == AccessKind::Read && touch.place == place).count()
    }

    /// Returns everything that was to be run, in order, also what was not found.
    pub fn runs(&self) -> Vec<RunRequest> {
        self.state().runs.clone()
    }

    /// Returns every access to the disk, and every run, in order.
    pub fn touches(&self) -> Vec<AccessRecord> {
        self.state().touches.clone()
    }

    /// Forgets the accesses and runs so far.
    pub fn clear_touches(&self) {
        let mut state = self.state();
        state.touches.clear();
        state.runs.clear();
    }

    /// Counts the write steps taken so far.
    pub fn write_steps(&self) -> u64 {
        self.state().steps.taken
    }

    fn state(&self) -> MutexGuard<'_, MemoryState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state, with one line more in the log.
    fn touch(&self, verb: AccessKind, path: &Path) -> MutexGuard<'_, MemoryState> {
        let mut state = self.state();
        if let Some(Swap { path, target, .. }) =
            state.swap.take_if(|swap| verb == AccessKind::Read && swap.read == path)
        {
            state.disk.put(&path, NodeContent::Link(target));
        }
        let place = state.disk.lead(path).place;
        state.touches.push(AccessRecord { verb, path: path.to_owned(), place });
        state
    }
}

impl System for MemorySystem {
    fn read(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError> {
        self.touch(AccessKind::Read, path).disk.read(path, within, limit)
    }

    fn read_head(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError> {
        let mut read = self.touch(AccessKind::Read, path).disk.read(path, within, u64::MAX)?;
        Arc::make_mut(&mut read.bytes).truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(read)
    }

    fn stat(&self, path: &Path) -> Option<Stat> {
        self.touch(AccessKind::Stat, path).disk.stat(path)
    }

    fn link_stat(&self, path: &Path) -> Option<Stat> {
        self.touch(AccessKind::LinkStat, path).disk.link_stat(path)
    }

    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        self.touch(AccessKind::LinkStat, path).disk.read_link(path)
    }

    fn list(&self, dir: &Path, limit: usize) -> Result<Vec<DirEntry>, ReadError> {
        self.touch(AccessKind::List, dir).disk.list(dir, limit)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, ReadError> {
        self.touch(AccessKind::Canonical, path).disk.canonical(path)
    }

    fn write(&self, path: &Path, bytes: &[u8], how: WriteMode, mode: u32) -> Result<(), WriteError> {
        let state = &mut *self.touch(AccessKind::Write, path);
        state.disk.write(path, bytes, how, mode, &mut state.steps)
    }

    fn append(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), WriteError> {
        let state = &mut *self.touch(AccessKind::Append, path);
        state.disk.append(path, bytes, mode, &mut state.steps)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), WriteError> {
        let state = &mut *self.touch(AccessKind::Rename, from);
        state.disk.rename(from, to, &mut state.steps)
    }

    fn make_dir(&self, path: &Path, mode: u32) -> Result<CreateOutcome, WriteError> {
        let state = &mut *self.touch(AccessKind::MakeDir, path);
        state.disk.make_dir(path, mode, &mut state.steps)
    }

    fn make_dirs(&self, path: &Path, mode: u32) -> Result<(), WriteError> {
        super::make_dirs_by(path, |dir| self.make_dir(dir, mode))
    }

    fn remove(&self, path: &Path) -> Result<(), WriteError> {
        let state = &mut *self.touch(AccessKind::Remove, path);
        state.disk.remove(path, &mut state.steps)
    }

    fn remove_dir(&self, path: &Path) -> Result<(), WriteError> {
        let state = &mut *self.touch(AccessKind::RemoveDir, path);
        state.disk.remove_dir(path, &mut state.steps)
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn Send>, WriteError> {
        let mut state = self.touch(AccessKind::Lock, path);
        if state.locked_elsewhere.contains(path) {
            return Err(WriteError::Busy);
        }
        let place = state.disk.lock_file(path)?;
        let deadline = Instant::now() + self.lock_wait;
        while !state.locked.insert(place.clone()) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(WriteError::Busy);
            }
            let waited = self.shared.unlocked.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(Box::new(MemoryLock { shared: Arc::clone(&self.shared), place }))
    }

    fn bundled(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        self.bundled.get(path).cloned()
    }

    fn bundled_list(&self, prefix: &str) -> Vec<String> {
        self.bundled.keys().filter(|path| path.starts_with(prefix)).cloned().collect()
    }

    fn now(&self) -> Timestamp {
        self.state().now
    }

    fn time_zone(&self) -> TimeZone {
        TimeZone::UTC
    }

    fn zone(&self, name: &str) -> Option<TimeZone> {
        // The database is the same on every machine, as far as a test's few zones go.
        TimeZone::get(name).ok()
    }

    fn var(&self, name: &str) -> Option<OsString> {
        self.vars.get(name).cloned()
    }

    fn current_dir(&self) -> Option<PathBuf> {
        self.current_dir.clone()
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.clone()
    }

    fn os(&self) -> &str {
        &self.os
    }

    fn hostname(&self) -> Option<String> {
        self.hostname.clone()
    }

    fn user_id(&self) -> Option<u32> {
        Some(self.state().disk.user)
    }

    fn run(&self, command: &RunRequest) -> Result<RunOutput, RunError> {
        let program = command.program()?;
        let mut state = self.touch(AccessKind::Run, Path::new(program));
        state.runs.push(command.clone());
        let own = state.commands.get(&command.argv).cloned();
        let git =
            || state.git.get(&command.cwd).filter(|_| program == "git").map(|git| git.of(&command.argv));
        let Some(fake) = own.or_else(git) else {
            return Err(RunError::NotFound { program: program.to_owned() });
        };
        let answer = fake.answer(command, program)?;
        if state.disk.stat(&command.cwd).is_none_or(|stat| stat.kind != FileKind::Dir) {
            return Err(super::run::no_directory(&command.cwd));
        }
        Ok(answer)
    }
}

/// Holds a lock until it is dropped.
struct MemoryLock {
    shared: Arc<SharedState>,
    place: PathBuf,
}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).locked.remove(&self.place);
        self.shared.unlocked.notify_all();
    }
}
