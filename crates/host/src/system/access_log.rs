//! A record of what was read, to check later whether a second read would give the same.
//!
//! [`RecordingSystem`] is a machine that records every path that is accessed. The [`AccessLog`] that it leaves knows what was there,
//! and [`AccessLog::holds`] compares that with what is there now: one look at each thing that is there, and at nothing that
//! was missing as long as its directory did not change. So a reader that keeps what it read (a session) need not read
//! again.
//!
//! A file counts as unchanged where device, inode, length and the time of the last change (`ctime`, which no program sets)
//! are what they were. What changed within two seconds before the first look is never trusted: some file systems count time
//! coarsely. Nor is a link that leads nowhere: what it names can come to be in a directory that nobody looked at. Where the
//! platform has no such time, nothing ever holds.
//!
//! Two changes stay unseen, since the file system does not show them: what a program writes through a memory mapping
//! that it had written through before and that was not flushed since, and, for seconds, what another machine does on a
//! network file system.

use super::{
    CreateOutcome, DirEntry, Directory, FileId, FileKind, FileRead, ReadError, ReadScope, RunError,
    RunOutput, RunRequest, Stat, System, WriteError, WriteMode,
};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// The least age of a change at the first check, so that a later one cannot have the same time.
const SETTLED: SignedDuration = SignedDuration::from_secs(2);

/// The most paths of a trail. A longer one is never valid.
const LONGEST: usize = 100_000;

/// A machine that records every access.
#[derive(Debug)]
pub struct RecordingSystem<'s> {
    system: &'s dyn System,
    began: Timestamp,
    seen: Mutex<AccessedPaths>,
}

#[derive(Debug, Default)]
struct AccessedPaths {
    paths: BTreeMap<PathBuf, FileStamp>,
    /// The directories whose entries were listed.
    listed: BTreeSet<PathBuf>,
    vars: BTreeMap<String, Option<OsString>>,
    current_dir: Option<Option<PathBuf>>,
    home: Option<Option<PathBuf>>,
    /// True after an access that cannot be compared later.
    lost: bool,
}

/// The file that a path led to while it was accessed, `Some(None)` for none; `None` if that was not looked
/// up.
///
/// A moved directory keeps the times of its files. Only this shows that the file found at the end is the one
/// that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FileStamp {
    itself: Option<Option<FileId>>,
    target: Option<Option<FileId>>,
}

impl FileStamp {
    fn of_itself(stat: Option<&Stat>) -> Self {
        FileStamp { itself: Some(stat.and_then(|stat| stat.id)), target: None }
    }

    fn of_target(stat: Option<&Stat>) -> Self {
        FileStamp { itself: None, target: Some(stat.and_then(|stat| stat.id)) }
    }

    /// Adds another. False if they contradict each other.
    fn add(&mut self, other: FileStamp) -> bool {
        let agree = |one: &mut Option<Option<FileId>>, two: Option<Option<FileId>>| {
            let same = one.is_none() || two.is_none() || *one == two;
            *one = one.or(two);
            same
        };
        agree(&mut self.itself, other.itself) & agree(&mut self.target, other.target)
    }

    /// Returns whether the recorded ids match the file that is there now.
    fn is_of(&self, there: Option<&PathState>) -> bool {
        let itself = there.map(|there| there.itself.id);
        let target = there.map(|there| there.known().id);
        self.itself.is_none_or(|id| id == itself) && self.target.is_none_or(|id| id == target)
    }
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
        let AccessedPaths { mut paths, listed, vars, current_dir, home, lost } =
            self.seen.into_inner().ok()?;
        if lost || paths.len() > LONGEST || paths.keys().any(|path| !path.is_absolute()) {
            return None;
        }
        let above: Vec<PathBuf> =
            paths.keys().flat_map(|path| path.ancestors().skip(1)).map(Path::to_owned).collect();
        for dir in above {
            paths.entry(dir).or_default();
        }
        let mut marks: Vec<PathMark> = Vec::with_capacity(paths.len());
        let mut places: BTreeMap<PathBuf, usize> = BTreeMap::new();
        for (path, file_stamp) in paths {
            let parent = path.parent().and_then(|parent| places.get(parent).copied());
            let there = match parent.is_some_and(|parent| marks[parent].there.is_none()) {
                true => None,
                false => PathState::at(self.system, &path, self.began)?,
            };
            if !file_stamp.is_of(there.as_ref()) {
                return None;
            }
            let listed = listed.contains(&path);
            // The entries of a directory that changed just now can change again without a trace.
            if listed && there.as_ref().is_some_and(|there| !there.settled) {
                return None;
            }
            places.insert(path.clone(), marks.len());
            marks.push(PathMark { path, parent, listed, there });
        }
        Some(AccessLog { marks, vars: vars.into_iter().collect(), current_dir, home })
    }

    fn note(&self, path: &Path, file_stamp: FileStamp) {
        let Ok(mut seen) = self.seen.lock() else { return };
        match seen.paths.get_mut(path) {
            Some(known) => {
                let agree = known.add(file_stamp);
                seen.lost |= !agree;
            }
            None => {
                seen.paths.insert(path.to_owned(), file_stamp);
            }
        }
    }

    fn lose(&self) {
        if let Ok(mut seen) = self.seen.lock() {
            seen.lost = true;
        }
    }
}

/// The record of all accesses of a build.
#[derive(Clone, Debug)]
pub struct AccessLog {
    /// Directories before their entries.
    marks: Vec<PathMark>,
    vars: Vec<(String, Option<OsString>)>,
    /// The working directory of the process and the home directory of its user, where they were looked up.
    current_dir: Option<Option<PathBuf>>,
    home: Option<Option<PathBuf>>,
}

#[derive(Clone, Debug)]
struct PathMark {
    path: PathBuf,
    /// The place of its directory in the list.
    parent: Option<usize>,
    listed: bool,
    there: Option<PathState>,
}

/// The metadata of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PathState {
    itself: FileState,
    /// The target of a link.
    target: Option<FileState>,
    /// True if the last change was long before the first check.
    settled: bool,
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
        Some(FileState {
            kind: stat.kind,
            id: stat.id?,
            len: stat.len,
            mode: stat.mode,
            changed: stat.changed?,
        })
    }
}

impl PathState {
    /// Looks at a path. `Some(None)`: nothing is there. `None`: what is there can change without a trace.
    fn at(system: &dyn System, path: &Path, began: Timestamp) -> Option<Option<Self>> {
        let Some(stat) = system.link_stat(path) else { return Some(None) };
        let itself = FileState::of(&stat)?;
        let target = match (stat.kind, system.stat(path)) {
            (FileKind::Link, target) => Some(FileState::of(&target?)?),
            _ => None,
        };
        let settled = |known: &FileState| began.duration_since(known.changed) > SETTLED;
        let all_settled = settled(&itself) && target.as_ref().is_none_or(settled);
        // A directory is only as good as what is known of its entries; those are looked at by themselves.
        if !all_settled && target.as_ref().unwrap_or(&itself).kind != FileKind::Dir {
            return None;
        }
        Some(Some(PathState { itself, target, settled: all_settled }))
    }

    /// The directory or file that it leads to.
    fn known(&self) -> &FileState {
        self.target.as_ref().unwrap_or(&self.itself)
    }
}

impl AccessLog {
    /// Returns whether everything that was read is unchanged.
    #[must_use]
    pub fn holds(&self, system: &dyn System) -> bool {
        if self.vars.iter().any(|(name, value)| system.var(name) != *value)
            || self.current_dir.as_ref().is_some_and(|dir| system.current_dir() != *dir)
            || self.home.as_ref().is_some_and(|home| system.home() != *home)
        {
            return false;
        }
        // The directories with the same entries as before, as far as their time shows.
        let mut still: Vec<bool> = Vec::with_capacity(self.marks.len());
        for mark in &self.marks {
            let quiet = mark.parent.is_some_and(|parent| still[parent]);
            match &mark.there {
                // Nothing can be where a directory did not change, or is not.
                None => {
                    let gone = mark.parent.is_some_and(|parent| self.marks[parent].there.is_none());
                    if !quiet && !gone && system.link_stat(&mark.path).is_some() {
                        return false;
                    }
                    still.push(false);
                }
                Some(there) => {
                    let Some(same) = compare_state(there, &mark.path, system) else { return false };
                    if mark.listed && !same {
                        return false;
                    }
                    still.push(same && there.settled);
                }
            }
        }
        true
    }
}

/// `None`: something else is there. Else whether nothing about it changed; a directory may have other entries.
fn compare_state(there: &PathState, path: &Path, system: &dyn System) -> Option<bool> {
    let itself = FileState::of(&system.link_stat(path)?)?;
    let (known, now) = match &there.target {
        None => (&there.itself, itself),
        Some(target) if itself == there.itself => (target, FileState::of(&system.stat(path)?)?),
        Some(_) => return None,
    };
    if now == *known {
        return Some(true);
    }
    let same_dir = there.known().kind == FileKind::Dir && now.kind == FileKind::Dir && now.id == known.id;
    (same_dir && now.mode == known.mode).then_some(false)
}

impl RecordingSystem<'_> {
    /// Records what was read. A file of `/proc` has other content each time it is read.
    fn note_read(&self, path: &Path, read: &Result<FileRead, ReadError>, limit: u64) {
        self.note(
            path,
            match read {
                Ok(file) => FileStamp::of_target(Some(&file.stat)),
                Err(ReadError::Missing) => FileStamp::of_target(None),
                Err(_) => FileStamp::default(),
            },
        );
        if read.as_ref().is_ok_and(|file| file.bytes.len() as u64 != file.stat.len.min(limit)) {
            self.lose();
        }
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
        fn directory(&self, path: &Path, within: ReadScope<'_>, mode: u32) -> Result<Box<dyn Directory + '_>, WriteError>;
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
        let stat = self.system.stat(path);
        self.note(path, FileStamp::of_target(stat.as_ref()));
        stat
    }

    fn link_stat(&self, path: &Path) -> Option<Stat> {
        let stat = self.system.link_stat(path);
        self.note(path, FileStamp::of_itself(stat.as_ref()));
        stat
    }

    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        self.note(path, FileStamp::of_itself(self.system.link_stat(path).as_ref()));
        self.system.read_link(path)
    }

    fn list(&self, dir: &Path, limit: usize) -> Result<Vec<DirEntry>, ReadError> {
        self.note(dir, FileStamp::of_target(self.system.stat(dir).as_ref()));
        if let Ok(mut seen) = self.seen.lock() {
            seen.listed.insert(dir.to_owned());
        }
        self.system.list(dir, limit)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, ReadError> {
        self.note(path, FileStamp::default());
        let real = self.system.canonical(path);
        // A link on the way leads past directories that the path does not name.
        if let Ok(real) = &real {
            self.note(real, FileStamp::default());
        }
        real
    }

    fn var(&self, name: &str) -> Option<OsString> {
        let value = self.system.var(name);
        if let Ok(mut seen) = self.seen.lock() {
            seen.vars.insert(name.to_owned(), value.clone());
        }
        value
    }

    fn current_dir(&self) -> Option<PathBuf> {
        let dir = self.system.current_dir();
        if let Ok(mut seen) = self.seen.lock() {
            seen.current_dir = Some(dir.clone());
        }
        dir
    }

    fn home(&self) -> Option<PathBuf> {
        let home = self.system.home();
        if let Ok(mut seen) = self.seen.lock() {
            seen.home = Some(home.clone());
        }
        home
    }
}

#[cfg(all(test, unix))]
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
        let ways: [(&str, LinkMaker); 3] = [
            ("a file", |tree| symlink("../later", tree.at("a/CLAUDE.md")).unwrap()),
            ("a directory on the way", |tree| symlink("later", tree.at("b")).unwrap()),
            ("a loop", |tree| symlink("CLAUDE.md", tree.at("a/CLAUDE.md")).unwrap()),
        ];
        for (what, make) in ways {
            let tree = TestTree::new();
            make(&tree);
            assert!(tree.access_log(Duration::from_secs(60)).is_none(), "{what}");
        }
    }

    /// The files of a directory that is moved keep their times.
    #[test]
    fn a_directory_moved_between_reading_and_check_leaves_no_log() {
        let swap = |tree: &TestTree| {
            fs::rename(tree.at("a"), tree.at("before")).unwrap();
            fs::rename(tree.at("c"), tree.at("a")).unwrap();
        };
        type AccessStep = fn(&RecordingSystem<'_>, &TestTree);
        let ways: [(&str, AccessStep); 5] = [
            ("read", |recorder, tree| _ = recorder.read(&tree.at("a/AGENTS.md"), ReadScope::Anywhere, 100)),
            ("missing", |recorder, tree| {
                _ = recorder.read(&tree.at("a/CLAUDE.md"), ReadScope::Anywhere, 100);
            }),
            ("looked at", |recorder, tree| _ = recorder.stat(&tree.at("a/AGENTS.md"))),
            ("looked at itself", |recorder, tree| _ = recorder.link_stat(&tree.at("a/CLAUDE.md"))),
            ("listed", |recorder, tree| _ = recorder.list(&tree.at("a/skills"), 100)),
        ];
        for (what, access) in ways {
            let tree = TestTree::new();
            fs::create_dir_all(tree.at("c/skills")).unwrap();
            fs::write(tree.at("c/AGENTS.md"), "Two.").unwrap();
            fs::write(tree.at("c/CLAUDE.md"), "Two.").unwrap();
            let mut recorder = RecordingSystem::new(&tree.system);
            recorder.began = recorder.began.checked_add(SignedDuration::from_secs(60)).unwrap();
            access(&recorder, &tree);
            swap(&tree);
            assert!(recorder.into_access_log().is_none(), "{what}");
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
        assert!(
            !access_log.holds(&tree.system),
            "in a directory that changed, what was missing is looked for"
        );
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
