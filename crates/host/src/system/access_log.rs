//! A record of what was read, to check later whether a second read would give the same.
//!
//! [`RecordingSystem`] is a machine that records every path that is accessed. The [`AccessLog`] that it leaves knows what was there,
//! and [`AccessLog::holds`] compares that with what is there now, with one look at each path. So a reader that keeps what it
//! read (a session) need not read again.
//!
//! A file counts as unchanged where device, inode, length and the time of the last change (`ctime`, which no program sets)
//! are what they were; a directory that was not listed, where device and inode are. What changed within two seconds before the
//! first look is never trusted: some file systems count time coarsely. Where the platform has no such time, nothing ever holds.
//!
//! Three changes stay unseen: one between a read and the end of the recording by which a file gets the place of another, what
//! a program writes through a memory mapping that it had written through before and that was not flushed since, and, for
//! seconds, what another machine does on a network file system.

use super::{
    CreateOutcome, DirEntry, FileId, FileKind, FileRead, ReadError, ReadScope, RunError, RunOutput,
    RunRequest, Stat, System, WriteError, WriteMode,
};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The least age of a change at the first check, so that a later one cannot have the same time.
const SETTLED: SignedDuration = SignedDuration::from_secs(2);

/// The most paths of a log. A longer one is never valid.
const LONGEST: usize = 100_000;

/// A machine that records every access.
#[derive(Debug)]
pub struct RecordingSystem<'s> {
    system: &'s dyn System,
    began: Timestamp,
    seen: Mutex<Accesses>,
}

#[derive(Clone, Debug, Default)]
struct Accesses {
    /// The paths that were accessed; true for a directory whose entries were listed.
    paths: BTreeMap<PathBuf, bool>,
    /// The real paths that were asked for.
    canonical: BTreeMap<PathBuf, Option<PathBuf>>,
    vars: BTreeMap<String, Option<OsString>>,
    current_dir: Option<Option<PathBuf>>,
    home: Option<Option<PathBuf>>,
    /// True after an access that cannot be compared later.
    lost: bool,
}

impl<'s> RecordingSystem<'s> {
    /// Starts to record the accesses to `system`.
    #[must_use]
    pub fn new(system: &'s dyn System) -> Self {
        RecordingSystem { system, began: system.now(), seen: Mutex::default() }
    }

    /// Ends the recording and looks at everything that was accessed. Returns `None` if a later comparison
    /// could not detect a change.
    #[must_use]
    pub fn into_access_log(self) -> Option<AccessLog> {
        let accesses = self.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        if accesses.lost
            || accesses.paths.len() > LONGEST
            || accesses.paths.keys().any(|path| !path.is_absolute())
        {
            return None;
        }
        let mut states = Vec::with_capacity(accesses.paths.len());
        for (path, listed) in &accesses.paths {
            let state = PathState::at(self.system, path)?;
            if !state.as_ref().is_none_or(|state| state.is_settled(self.began, *listed)) {
                return None;
            }
            states.push(state);
        }
        Some(AccessLog { accesses, states })
    }

    fn seen(&self) -> MutexGuard<'_, Accesses> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, path: &Path) {
        let mut seen = self.seen();
        if !seen.paths.contains_key(path) {
            seen.paths.insert(path.to_owned(), false);
        }
    }

    fn lose(&self) {
        self.seen().lost = true;
    }

    /// Records what was read. A file of `/proc` has other content each time it is read.
    fn note_read(&self, path: &Path, read: &Result<FileRead, ReadError>, limit: u64) {
        self.note(path);
        if read.as_ref().is_ok_and(|file| file.bytes.len() as u64 != file.stat.len.min(limit)) {
            self.lose();
        }
    }
}

/// The record of all accesses of a build.
#[derive(Clone, Debug)]
pub struct AccessLog {
    accesses: Accesses,
    /// What was at each of the paths.
    states: Vec<Option<PathState>>,
}

/// The metadata of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PathState {
    itself: FileState,
    /// The target of a link.
    target: Option<FileState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    kind: FileKind,
    id: FileId,
    len: u64,
    mode: Option<u32>,
    changed: Timestamp,
}

impl FileState {
    fn of(stat: &Stat) -> Option<Self> {
        let (id, changed) = (stat.id?, stat.changed?);
        Some(FileState { kind: stat.kind, id, len: stat.len, mode: stat.mode, changed })
    }
}

impl PathState {
    /// Looks at a path. `Some(None)`: nothing is there. `None`: what is there can change without a trace, as what a link that leads
    /// nowhere names.
    fn at(system: &dyn System, path: &Path) -> Option<Option<Self>> {
        let Some(stat) = system.link_stat(path) else { return Some(None) };
        let target = match stat.kind {
            FileKind::Link => Some(FileState::of(&system.stat(path)?)?),
            _ => None,
        };
        Some(Some(PathState { itself: FileState::of(&stat)?, target }))
    }

    /// The directory or file that it leads to.
    fn known(&self) -> &FileState {
        self.target.as_ref().unwrap_or(&self.itself)
    }

    /// Returns whether the last change that counts was long before an instant.
    fn is_settled(&self, began: Timestamp, listed: bool) -> bool {
        let is_old = |state: &FileState| began.duration_since(state.changed) > SETTLED;
        let is_plain_dir = self.known().kind == FileKind::Dir && !listed;
        (self.target.is_none() || is_old(&self.itself)) && (is_plain_dir || is_old(self.known()))
    }

    /// Returns whether the same is there now; of a directory that was not listed, whatever its entries are.
    fn is(&self, now: &PathState, listed: bool) -> bool {
        let same_link = self.target.is_none() || self.itself == now.itself;
        let (then, now) = (self.known(), now.known());
        let is_plain_dir = then.kind == FileKind::Dir && !listed;
        let same_dir = (then.kind, then.id, then.mode) == (now.kind, now.id, now.mode);
        same_link && (then == now || is_plain_dir && same_dir)
    }
}

impl AccessLog {
    /// Returns whether everything that was read is unchanged.
    #[must_use]
    pub fn holds(&self, system: &dyn System) -> bool {
        let Accesses { paths, canonical, vars, current_dir, home, .. } = &self.accesses;
        let is_same = |((path, listed), then): ((&PathBuf, &bool), &Option<PathState>)| match then {
            None => system.link_stat(path).is_none(),
            Some(then) => PathState::at(system, path).flatten().is_some_and(|now| then.is(&now, *listed)),
        };
        vars.iter().all(|(name, value)| system.var(name) == *value)
            && current_dir.as_ref().is_none_or(|dir| system.current_dir() == *dir)
            && home.as_ref().is_none_or(|home| system.home() == *home)
            && paths.iter().zip(&self.states).all(is_same)
            && canonical.iter().all(|(path, real)| system.canonical(path).ok() == *real)
    }
}

impl System for RecordingSystem<'_> {
    forward! {
        fn lock(&self, path: &Path) -> Result<Box<dyn Send>, WriteError>;
        fn bundled(&self, path: &str) -> Option<Cow<'static, [u8]>>;
        fn bundled_list(&self, prefix: &str) -> Vec<String>;
        fn now(&self) -> Timestamp;
        fn time_zone(&self) -> TimeZone;
        fn zone(&self, name: &str) -> Option<TimeZone>;
        fn os(&self) -> &str;
        fn hostname(&self) -> Option<String>;
        fn user_id(&self) -> Option<u32>;
    }

    forward! {
        first lose;
        fn write(&self, path: &Path, bytes: &[u8], how: WriteMode, mode: u32) -> Result<(), WriteError>;
        fn append(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), WriteError>;
        fn rename(&self, from: &Path, to: &Path) -> Result<(), WriteError>;
        fn make_dir(&self, path: &Path, mode: u32) -> Result<CreateOutcome, WriteError>;
        fn make_dirs(&self, path: &Path, mode: u32) -> Result<(), WriteError>;
        fn remove(&self, path: &Path) -> Result<(), WriteError>;
        fn remove_dir(&self, path: &Path) -> Result<(), WriteError>;
        fn run(&self, command: &RunRequest) -> Result<RunOutput, RunError>;
    }

    fn read(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError> {
        let read = self.system.read(path, within, limit);
        self.note_read(path, &read, u64::MAX);
        read
    }

    fn read_head(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError> {
        let read = self.system.read_head(path, within, limit);
        self.note_read(path, &read, limit);
        read
    }

    fn stat(&self, path: &Path) -> Option<Stat> {
        self.note(path);
        self.system.stat(path)
    }

    fn link_stat(&self, path: &Path) -> Option<Stat> {
        self.note(path);
        self.system.link_stat(path)
    }

    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        self.note(path);
        self.system.read_link(path)
    }

    fn list(&self, dir: &Path, limit: usize) -> Result<Vec<DirEntry>, ReadError> {
        self.seen().paths.insert(dir.to_owned(), true);
        self.system.list(dir, limit)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, ReadError> {
        let real = self.system.canonical(path);
        self.seen().canonical.insert(path.to_owned(), real.as_ref().ok().cloned());
        real
    }

    fn var(&self, name: &str) -> Option<OsString> {
        let value = self.system.var(name);
        self.seen().vars.insert(name.to_owned(), value.clone());
        value
    }

    fn current_dir(&self) -> Option<PathBuf> {
        let dir = self.system.current_dir();
        self.seen().current_dir = Some(dir.clone());
        dir
    }

    fn home(&self) -> Option<PathBuf> {
        let home = self.system.home();
        self.seen().home = Some(home.clone());
        home
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::os::OsSystem;
    use std::{fs, os::unix::fs::symlink, time::Duration};

    /// A tree, a reader of it, and what it saw. What was just made is not trusted, so the clock of the look is moved.
    struct TestTree {
        dir: tempfile::TempDir,
        system: OsSystem,
    }

    impl TestTree {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join("a/skills")).unwrap();
            fs::write(dir.path().join("a/AGENTS.md"), "One.").unwrap();
            fs::write(dir.path().join("a/skills/x.md"), "X.").unwrap();
            symlink("AGENTS.md", dir.path().join("a/link")).unwrap();
            TestTree { dir, system: OsSystem::new(&[]) }
        }

        fn at(&self, path: &str) -> PathBuf {
            self.dir.path().join(path)
        }

        fn access_log(&self, later: Duration) -> Option<AccessLog> {
            let mut recorder = RecordingSystem::new(&self.system);
            recorder.began = recorder.began.checked_add(SignedDuration::try_from(later).unwrap()).unwrap();
            for path in ["a/AGENTS.md", "a/link", "a/CLAUDE.md", "b/AGENTS.md"] {
                _ = recorder.read(&self.at(path), ReadScope::Anywhere, 100);
            }
            _ = recorder.list(&self.at("a/skills"), 100);
            _ = recorder.canonical(&self.at("a/AGENTS.md"));
            recorder.into_access_log()
        }

        fn settled(&self) -> AccessLog {
            self.access_log(Duration::from_secs(60)).expect("everything can be compared")
        }
    }

    #[test]
    fn an_untouched_tree_holds() {
        let tree = TestTree::new();
        let access_log = tree.settled();
        assert!(access_log.holds(&tree.system) && access_log.holds(&tree.system));
    }

    #[test]
    fn each_change_is_seen() {
        type TreeEdit = fn(&TestTree);
        let changes: [(&str, TreeEdit); 9] = [
            ("a file has other content", |tree| fs::write(tree.at("a/AGENTS.md"), "Two.").unwrap()),
            ("a file is another file", |tree| {
                fs::write(tree.at("a/new"), "One.").unwrap();
                fs::rename(tree.at("a/new"), tree.at("a/AGENTS.md")).unwrap();
            }),
            ("a file is gone", |tree| fs::remove_file(tree.at("a/AGENTS.md")).unwrap()),
            ("a missing file is there", |tree| fs::write(tree.at("a/CLAUDE.md"), "").unwrap()),
            ("a missing directory is there, with its file", |tree| {
                fs::create_dir(tree.at("b")).unwrap();
                fs::write(tree.at("b/AGENTS.md"), "").unwrap();
            }),
            ("a listed directory has one more", |tree| fs::write(tree.at("a/skills/y.md"), "").unwrap()),
            ("a link leads elsewhere", |tree| {
                fs::remove_file(tree.at("a/link")).unwrap();
                symlink("skills/x.md", tree.at("a/link")).unwrap();
            }),
            ("a directory is another directory", |tree| {
                fs::rename(tree.at("a"), tree.at("c")).unwrap();
                fs::create_dir_all(tree.at("a/skills")).unwrap();
            }),
            ("a directory is a link to itself", |tree| {
                fs::rename(tree.at("a"), tree.at("c")).unwrap();
                symlink("c", tree.at("a")).unwrap();
            }),
        ];
        for (what, change) in changes {
            let tree = TestTree::new();
            let access_log = tree.settled();
            change(&tree);
            assert!(!access_log.holds(&tree.system), "{what}");
        }
    }

    #[test]
    fn a_link_that_leads_nowhere_leaves_no_trail() {
        type LinkMaker = fn(&TestTree);
        let ways: [(&str, LinkMaker); 2] = [
            ("a file", |tree| symlink("../later", tree.at("a/CLAUDE.md")).unwrap()),
            ("a loop", |tree| symlink("CLAUDE.md", tree.at("a/CLAUDE.md")).unwrap()),
        ];
        for (what, make) in ways {
            let tree = TestTree::new();
            make(&tree);
            assert!(tree.access_log(Duration::from_secs(60)).is_none(), "{what}");
        }
    }

    #[test]
    fn changes_beside_it_do_not_matter() {
        let tree = TestTree::new();
        let access_log = tree.settled();
        fs::write(tree.at("a/notes.txt"), "Not read.").unwrap();
        fs::create_dir(tree.at("z")).unwrap();
        assert!(access_log.holds(&tree.system));
        fs::write(tree.at("a/CLAUDE.md"), "").unwrap();
        assert!(!access_log.holds(&tree.system), "what was missing is looked for");
    }

    #[test]
    fn what_changed_just_now_is_not_trusted() {
        assert!(TestTree::new().access_log(Duration::ZERO).is_none());
    }

    #[test]
    fn an_access_that_cannot_be_compared_leaves_no_log() {
        let tree = TestTree::new();
        let recorder = RecordingSystem::new(&tree.system);
        _ = recorder.run(&RunRequest::new(["true"], tree.dir.path()));
        assert!(recorder.into_access_log().is_none());
    }

    #[test]
    fn a_machine_in_memory_leaves_trails_too() {
        let memory = crate::system::testing::MemorySystem::new().with_file("/a/b", "c").with_dir("/a/skills");
        let access_log = |memory| {
            let recorder = RecordingSystem::new(memory);
            _ = recorder.read(Path::new("/a/b"), ReadScope::Anywhere, 10);
            _ = recorder.read(Path::new("/a/missing"), ReadScope::Anywhere, 10);
            _ = recorder.list(Path::new("/a/skills"), 10);
            recorder.into_access_log().expect("each change has its time")
        };
        for change in ["/a/b", "/a/missing", "/a/skills/new"] {
            let before = access_log(&memory);
            assert!(before.holds(&memory), "{change}");
            memory.put_file("/a/other", change);
            // A listed directory may have changed with anything that did.
            memory.put_file(change, "c");
            assert!(!before.holds(&memory), "{change}");
        }
    }
}
