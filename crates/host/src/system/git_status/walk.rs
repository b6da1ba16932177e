//! Sees what differs between `HEAD`, the index and the work tree.

use super::{
    checks,
    filters::{self, BlobComparer, CONTENT_LIMIT, UndecidedPath, UndecidedReason},
    letters::Letters,
    open::{OBJECT_LIMIT, WorkTree, broken},
    patterns::{PATTERNS_LIMIT, PatternKind, Weights},
    renames::{self, DiffFile, FileContent, RenameDetection, RenameSide},
    submodules::{SubmoduleChanges, Submodules},
    tree,
};
use crate::{
    provider::git::Repository,
    system::{GitError, System as _, os::OsSystem},
};
use gix::{
    bstr::{BStr, BString, ByteSlice as _},
    diff::index::ChangeRef,
    hash::ObjectId,
    index::{State, entry::Mode},
    prelude::{FindExt as _, HeaderExt as _},
    status::{
        index_worktree,
        plumbing::{
            index_as_worktree::{Change, Conflict, EntryStatus},
            index_as_worktree_with_renames::{Entry, VisitEntry},
        },
    },
    worktree::stack::state::{attributes, ignore},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read as _,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The number of threads that compare files, each with a file in memory.
const THREADS: usize = 4;
/// The most bytes of possible new places of renamed files that are kept.
const CONTENTS_LIMIT: u64 = 64 * 1024 * 1024;

/// All that differs.
#[derive(Debug, Default)]
pub(super) struct StatusPaths {
    /// Tracked paths.
    pub paths: BTreeMap<BString, Letters>,
    /// Untracked paths, directories with a slash at their end.
    pub untracked: BTreeSet<BString>,
}

/// The untracked files that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UntrackedMode {
    /// The files that `status.showUntrackedFiles` selects.
    AsConfigured,
    /// None.
    No,
    /// Files, and directories that hold nothing tracked.
    Normal,
    /// Each file.
    All,
}

impl UntrackedMode {
    /// Asks the configuration where it is to decide.
    pub(super) fn mode(self, work_tree: &WorkTree) -> UntrackedMode {
        if self != UntrackedMode::AsConfigured {
            return self;
        }
        let value = work_tree.string("status.showUntrackedFiles").unwrap_or_default().to_ascii_lowercase();
        match value.as_slice() {
            b"no" | b"false" | b"off" | b"0" => UntrackedMode::No,
            b"all" => UntrackedMode::All,
            _ => UntrackedMode::Normal,
        }
    }
}

/// Compares `HEAD` with the index and the index with the work tree.
pub(super) fn look(
    work_tree: &WorkTree,
    untracked: UntrackedMode,
    depth: usize,
    interrupt: &AtomicBool,
) -> Result<StatusPaths, GitError> {
    let index = work_tree.repo.index_or_empty().map_err(|error| broken(INDEX, &error))?;
    let look = StatusWalk {
        work_tree,
        index: &index,
        untracked: untracked.mode(work_tree),
        detect: RenameDetection::configured(work_tree),
        limit: renames::limit(work_tree),
        depth,
        interrupt,
    };
    if index.is_sparse() {
        return Err(GitError::Unsupported("a sparse index".into()));
    }
    let mut seen = StatusPaths::default();
    look.at_the_index(&mut seen)?;
    look.at_the_work_tree(&mut seen)?;
    if interrupt.load(Ordering::Relaxed) {
        return Err(GitError::Broken("interrupted".into()));
    }
    Ok(seen)
}

struct StatusWalk<'a> {
    work_tree: &'a WorkTree,
    index: &'a State,
    untracked: UntrackedMode,
    detect: RenameDetection,
    limit: Option<u64>,
    depth: usize,
    interrupt: &'a AtomicBool,
}

impl StatusWalk<'_> {
    /// Fills in how the index differs from `HEAD`.
    fn at_the_index(&self, seen: &mut StatusPaths) -> Result<(), GitError> {
        let repo = &self.work_tree.repo;
        let head = repo.head_tree_id_or_empty().map_err(|error| broken(HEAD, &error))?;
        let (mut gone, mut new) = (Vec::new(), Vec::new());
        let mut modified = Vec::new();
        // Without patterns of its own the library would only look below the process's directory.
        let empty = State::new(repo.object_hash());
        let everything = repo
            .pathspec(false, None::<&str>, false, &empty, attributes::Source::IdMapping)
            .map_err(|error| broken(INDEX, &error))?;
        let tree = tree::paths(repo, head.detach(), self.interrupt)?;
        gix::diff::index(
            &tree,
            self.index,
            |change| {
                match change {
                    ChangeRef::Addition { location, entry_mode, id, .. } => new.push(DiffFile {
                        path: location.into_owned(),
                        mode: entry_mode,
                        id: id.into_owned(),
                        stays: false,
                    }),
                    ChangeRef::Deletion { location, entry_mode, id, .. } => gone.push(DiffFile {
                        path: location.into_owned(),
                        mode: entry_mode,
                        id: id.into_owned(),
                        stays: false,
                    }),
                    ChangeRef::Modification {
                        location,
                        previous_entry_mode,
                        previous_id,
                        entry_mode,
                        ..
                    } => {
                        let letter = if kind(previous_entry_mode) == kind(entry_mode) { b'M' } else { b'T' };
                        modified.push((
                            letter,
                            DiffFile {
                                path: location.into_owned(),
                                mode: previous_entry_mode,
                                id: previous_id.into_owned(),
                                stays: true,
                            },
                        ));
                    }
                    ChangeRef::Rewrite { .. } => {}
                }
                Ok(ControlFlow::Continue(()))
            },
            None::<gix::diff::index::RewriteOptions<'_, gix::Repository>>,
            &mut everything.into_parts().0,
            &mut |_, _, _, _| false,
        )
        .map_err(|error| broken(INDEX, &error))?;
        // A file that is only intended to be added is not in the index yet, so `HEAD`'s file has gone.
        for entry in self.index.entries() {
            if entry.flags.contains(gix::index::entry::Flags::INTENT_TO_ADD) {
                let path = entry.path(self.index);
                if let Some(before) = tree.entry_by_path(path) {
                    gone.push(DiffFile {
                        path: path.to_owned(),
                        mode: before.mode,
                        id: before.id,
                        stays: false,
                    });
                }
            }
        }
        for (letter, file) in modified {
            seen.paths.entry(file.path.clone()).or_default().index = Some(letter);
            if self.detect == RenameDetection::Copies {
                gone.push(file);
            }
        }
        gone.sort_by(|left, right| left.path.cmp(&right.path));
        let mut content = |_, file: &DiffFile| self.blob(file.id);
        let pairs = renames::pairs(&gone, &new, self.detect, self.limit, self.interrupt, &mut content)?;
        let sources: BTreeSet<&BString> = pairs.iter().map(|pair| &pair.from).collect();
        for file in gone.iter().filter(|file| !file.stays && !sources.contains(&file.path)) {
            seen.paths.entry(file.path.clone()).or_default().index = Some(b'D');
        }
        for file in &new {
            seen.paths.entry(file.path.clone()).or_default().index = Some(b'A');
        }
        for pair in pairs {
            let letters = seen.paths.entry(pair.to).or_default();
            letters.index = Some(pair.letter);
            letters.from = Some(pair.from);
        }
        Ok(())
    }

    /// Fills in how the work tree differs from the index.
    fn at_the_work_tree(&self, seen: &mut StatusPaths) -> Result<(), GitError> {
        let repo = &self.work_tree.repo;
        let weights = Arc::new(self.check_patterns()?);
        let mut compare = BlobComparer::new(self.work_tree, self.index, weights, self.interrupt)?;
        let undecided = compare.undecided();
        let submodules =
            Submodules::new(self.work_tree, self.index, self.untracked, self.depth, self.interrupt)?;
        let dirwalk_options = match self.untracked {
            UntrackedMode::No => None,
            _ => Some(
                repo.dirwalk_options()
                    .map_err(|error| broken(INDEX, &error))?
                    .emit_untracked(gix::dir::walk::EmissionMode::Matching),
            ),
        };
        let mut collect = StatusCollector::default();
        repo.index_worktree_status(
            self.index,
            None::<&BStr>,
            &mut collect,
            compare.clone(),
            submodules.clone(),
            &mut gix::progress::Discard,
            self.interrupt,
            index_worktree::Options {
                sorting: None,
                dirwalk_options,
                rewrites: None,
                thread_limit: Some(THREADS),
            },
        )
        .map_err(|error| broken("a file of the work tree", &error))?;
        submodules.check()?;
        undecided.check()?;

        let mut intended = Vec::new();
        let mut conflicts = Vec::new();
        let mut removed = Vec::new();
        let mut stays = Vec::new();
        for (path, mode, id, status) in collect.tracked {
            checks::check_interrupt(self.interrupt)?;
            let letters = match status {
                EntryStatus::NeedsUpdate(_) => continue,
                EntryStatus::Conflict { summary, .. } => {
                    conflicts.push(path.clone());
                    let [index, work_tree] = conflict(summary);
                    Letters { index: Some(index), work_tree: Some(work_tree), ..Letters::default() }
                }
                EntryStatus::IntentToAdd => {
                    intended.push(path);
                    continue;
                }
                // Also gone, or something else in its place.
                EntryStatus::Change(_) if mode.is_submodule() && submodules.ignore(path.as_bstr()) => {
                    continue;
                }
                EntryStatus::Change(change) => {
                    let mut letters = seen.paths.remove(&path).unwrap_or_default();
                    let letter = match change {
                        Change::Removed if self.holds_a_commit(&path) && !mode.is_submodule() => b'M',
                        Change::Removed => {
                            removed.push(DiffFile { path: path.clone(), mode, id, stays: false });
                            b'D'
                        }
                        Change::Type { .. } if self.is_special(&path) && kind(mode) == kind(Mode::FILE) => {
                            b'M'
                        }
                        Change::Type { .. } => b'T',
                        Change::Modification { .. } => b'M',
                        Change::SubmoduleModification(dirty) => {
                            letters.dirty = dirty;
                            match dirty {
                                SubmoduleChanges { moved: true, .. } => b'M',
                                SubmoduleChanges { modified: true, .. } => b'm',
                                _ => b'?',
                            }
                        }
                    };
                    if matches!(letter, b'M' | b'T') && self.detect == RenameDetection::Copies {
                        stays.push(DiffFile { path: path.clone(), mode, id, stays: true });
                    }
                    letters.work_tree = Some(letter);
                    letters
                }
            };
            seen.paths.insert(path, letters);
        }
        removed.extend(stays);
        self.add_intended(seen, removed, intended, conflicts, &mut compare, &undecided)?;
        undecided.check()?;
        if self.untracked != UntrackedMode::No {
            self.add_untracked(seen, collect.untracked)?;
        }
        Ok(())
    }

    /// Fills in files that are only intended to be added, some of which may be a removed file's new place.
    ///
    /// To git a file with a conflict may be such a place too, though only the conflict is shown there.
    fn add_intended(
        &self,
        seen: &mut StatusPaths,
        mut removed: Vec<DiffFile>,
        intended: Vec<BString>,
        conflicts: Vec<BString>,
        compare: &mut BlobComparer<'_>,
        undecided: &UndecidedPath,
    ) -> Result<(), GitError> {
        removed.sort_by(|left, right| left.path.cmp(&right.path));
        let mut new = Vec::new();
        let mut contents = BTreeMap::new();
        if self.detect != RenameDetection::Nothing && !removed.is_empty() {
            let places: BTreeSet<&BString> =
                intended.iter().chain(conflicts.iter().filter(|path| self.is_file(path))).collect();
            let mut kept = 0;
            for path in places {
                checks::check_interrupt(self.interrupt)?;
                if compare.is_filtered(path.as_bstr()) {
                    undecided.note(path.as_bstr(), UndecidedReason::Filter);
                    continue;
                }
                let (mode, content) = self.file(path)?;
                kept += content.len() as u64;
                if kept > CONTENTS_LIMIT {
                    let what = format!("more than {CONTENTS_LIMIT} bytes of files that may be renamed");
                    return Err(GitError::Unsupported(what));
                }
                let id = gix::objs::compute_hash(self.index.object_hash(), gix::objs::Kind::Blob, &content)
                    .map_err(|error| broken(&quoted_name(path), &error))?;
                contents.insert(path.clone(), content);
                new.push(DiffFile { path: path.clone(), mode, id, stays: false });
            }
        }
        let mut content = |side, file: &DiffFile| match side {
            RenameSide::Gone => self.blob(file.id),
            RenameSide::New => contents.get(&file.path).cloned().map(FileContent::Bytes),
        };
        let pairs = renames::pairs(&removed, &new, self.detect, self.limit, self.interrupt, &mut content)?;
        for path in intended {
            seen.paths.entry(path).or_default().work_tree = Some(b'A');
        }
        for pair in pairs {
            let went = removed.iter().any(|file| file.path == pair.from && !file.stays);
            if went && let Some(letters) = seen.paths.get_mut(&pair.from) {
                letters.work_tree = None;
                if letters.index.is_none() {
                    seen.paths.remove(&pair.from);
                }
            }
            if conflicts.contains(&pair.to) {
                continue;
            }
            let letters = seen.paths.entry(pair.to).or_default();
            letters.work_tree = Some(pair.letter);
            letters.from = Some(pair.from);
        }
        Ok(())
    }

    /// Fills in untracked files, by directories where nothing below them is tracked.
    fn add_untracked(&self, seen: &mut StatusPaths, found: Vec<(BString, bool)>) -> Result<(), GitError> {
        let mut all = found;
        if self.untracked == UntrackedMode::All {
            // The library does not look into a directory that is in a tracked file's place.
            let replaced: Vec<BString> = seen
                .paths
                .iter()
                .filter(|(_, letters)| letters.work_tree == Some(b'D'))
                .map(|(path, _)| path.clone())
                .collect();
            for path in replaced {
                if self.dir_at(&path).is_some() && self.repository_at(&path).is_none() {
                    self.files_below(path, &mut all)?;
                }
            }
        }
        for (path, is_dir) in all {
            if self.is_in_submodule(path.as_bstr()) {
                continue;
            }
            let mut shown = match self.untracked {
                UntrackedMode::All => path.clone(),
                _ => path
                    .find_iter(b"/")
                    .map(|end| &path[..end])
                    .find(|dir| !self.has_entries_below(dir.as_bstr()))
                    .map_or_else(|| path.clone(), BString::from),
            };
            if self.has_entry(shown.as_bstr()) {
                continue;
            }
            if is_dir || shown != path {
                shown.push(b'/');
            }
            seen.untracked.insert(shown);
        }
        Ok(())
    }

    /// Checks each file of patterns that the library will open, beside tracked files and in the directories that it lists
    /// for untracked ones, and the time that it will take to try the patterns.
    fn check_patterns(&self) -> Result<Weights, GitError> {
        let repo = &self.work_tree.repo;
        let mut weights = Weights::default();
        let info = repo.common_dir().join("info");
        weights.file(PatternKind::Ignore, "".into(), &info.join("exclude"))?;
        weights.file(PatternKind::Attributes, "".into(), &info.join("attributes"))?;
        for (kind, path) in &self.work_tree.patterns {
            if let Ok(path) = gix::path::from_bstr(path.as_bstr()) {
                weights.file(*kind, "".into(), &path)?;
            }
        }
        let check = |weights: &mut Weights, dir: &BStr, place: &Path| -> Result<(), GitError> {
            checks::check_interrupt(self.interrupt)?;
            for kind in [PatternKind::Ignore, PatternKind::Attributes] {
                weights.file(kind, dir, &place.join(kind.name()))?;
            }
            Ok(())
        };
        // What was read for tracked files is not read again.
        let mut seen = BTreeSet::from([BString::default()]);
        let mut last = None;
        for entry in self.index.entries() {
            let path = entry.path(self.index);
            let (dir, name) = match path.rfind_byte(b'/') {
                Some(end) => (path[..end].as_bstr(), path[end + 1..].as_bstr()),
                None => (b"".as_bstr(), path),
            };
            if let Some(kind) =
                [PatternKind::Ignore, PatternKind::Attributes].into_iter().find(|kind| name == kind.name())
            {
                // Where the file is not checked out, the library reads it from the index.
                let header =
                    repo.objects.header(entry.id).map_err(|error| broken(&quoted_name(path), &error))?;
                if header.size() > PATTERNS_LIMIT {
                    let (path, size) = (crate::provider::git::shown(path), header.size());
                    return Err(GitError::Unsupported(format!("`{path}` has {size} bytes")));
                }
                let place = self.at(&path.to_owned());
                if place.is_none_or(|place| fs::symlink_metadata(place).is_err())
                    && let Some(FileContent::Bytes(bytes)) = self.blob(entry.id)
                {
                    weights.text(kind, dir, &bytes)?;
                }
            }
            if last == Some(dir) {
                continue;
            }
            // The directories between two entries were checked with the first that is below them.
            for end in dir.find_iter(b"/").chain([dir.len()]) {
                let above = dir[..end].as_bstr();
                let is_below = |last: &BStr| {
                    last.strip_prefix(above.as_bytes()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
                };
                if !last.is_some_and(is_below)
                    && seen.insert(above.to_owned())
                    && let Some(place) = self.at(&above.to_owned())
                {
                    check(&mut weights, above, &place)?;
                }
            }
            last = Some(dir);
        }
        check(&mut weights, "".into(), &self.work_tree.root)?;
        if self.untracked == UntrackedMode::No {
            return Ok(weights);
        }
        let mut excludes = repo
            .excludes(self.index, None, ignore::Source::WorktreeThenIdMappingIfNotSkipped)
            .map_err(|error| broken("the ignore patterns", &error))?;
        let mut left = vec![BString::default()];
        while let Some(dir) = left.pop() {
            let Some(place) = self.at(&dir) else { continue };
            if !dir.is_empty() && self.has_own_git(&place)? {
                continue;
            }
            if seen.insert(dir.clone()) {
                check(&mut weights, dir.as_bstr(), &place)?;
            }
            let Ok(entries) = fs::read_dir(&place) else { continue };
            for entry in entries.flatten() {
                let name = entry.file_name();
                if name == ".git" {
                    continue;
                }
                let Ok(name) = gix::path::os_str_into_bstr(&name) else { continue };
                let mut path = dir.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(name);
                if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    if !self.has_entry(path.as_bstr()) {
                        weights.take(PatternKind::Ignore, path.as_bstr(), 1)?;
                    }
                    continue;
                }
                // Here, by the library, and once more before it lists the directory.
                weights.take(PatternKind::Ignore, path.as_bstr(), 3)?;
                let excluded = excludes
                    .at_entry(path.as_bstr(), Some(Mode::DIR))
                    .is_ok_and(|platform| platform.is_excluded());
                if !excluded {
                    left.push(path);
                }
            }
        }
        Ok(weights)
    }

    /// Returns whether a directory of the work tree has a `.git`.
    ///
    /// # Errors
    /// The library would look at what is not local to find out whether that is a repository.
    fn has_own_git(&self, dir: &Path) -> Result<bool, GitError> {
        let system = OsSystem::new(&[]);
        if system.link_stat(&dir.join(".git")).is_none() {
            return Ok(false);
        }
        match Repository::in_dir(&system, dir, self.work_tree.hard_links) {
            // A work tree whose repository was moved or removed.
            Err(GitError::Unlinked { .. }) if Repository::is_named_in_vain(&system, dir) => Ok(true),
            Err(problem @ GitError::Unlinked { .. }) => {
                let shown = crate::provider::git::shown_path(dir);
                Err(GitError::Unsupported(format!("a repository in `{shown}`: {problem}")))
            }
            _ => Ok(true),
        }
    }

    /// Lists the files below a directory that are not ignored.
    fn files_below(&self, dir: BString, found: &mut Vec<(BString, bool)>) -> Result<(), GitError> {
        let repo = &self.work_tree.repo;
        let mut excludes = repo
            .excludes(self.index, None, ignore::Source::WorktreeThenIdMappingIfNotSkipped)
            .map_err(|error| broken("the ignore patterns", &error))?;
        let mut left = vec![dir];
        while let Some(dir) = left.pop() {
            checks::check_interrupt(self.interrupt)?;
            let Some(Ok(entries)) = self.at(&dir).map(fs::read_dir) else { continue };
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                let name = PathBuf::from(entry.file_name());
                let Ok(name) = gix::path::into_bstr(name) else { continue };
                if name.as_ref() == ".git" {
                    continue;
                }
                let path = BString::from([dir.as_slice(), b"/", &name[..]].concat());
                let mode = if kind.is_dir() { Mode::DIR } else { Mode::FILE };
                let excluded = excludes
                    .at_entry(path.as_bstr(), Some(mode))
                    .is_ok_and(|platform| platform.is_excluded());
                if excluded {
                    continue;
                }
                match kind.is_dir() {
                    true if self.repository_at(&path).is_some() => found.push((path, true)),
                    true => left.push(path),
                    false if kind.is_file() || kind.is_symlink() => found.push((path, false)),
                    false => {}
                }
            }
        }
        Ok(())
    }

    /// Returns where a path of the repository lies.
    fn at(&self, path: &BString) -> Option<PathBuf> {
        Some(self.work_tree.root.join(gix::path::from_bstr(path.as_bstr()).ok()?))
    }

    /// Returns where a directory lies, if it is one and no link leads to it.
    fn dir_at(&self, path: &BString) -> Option<PathBuf> {
        let place = self.at(path)?;
        let is_dir = |place: &Path| fs::symlink_metadata(place).is_ok_and(|stat| stat.is_dir());
        place.ancestors().take_while(|above| *above != self.work_tree.root).all(is_dir).then_some(place)
    }

    /// Returns the repository of its own that a directory has.
    fn repository_at(&self, path: &BString) -> Option<Repository> {
        let dir = self.dir_at(path)?;
        Repository::in_dir(&OsSystem::new(&[]), &dir, self.work_tree.hard_links).ok().flatten()
    }

    /// Returns whether a path has a repository that git could add: one with a commit.
    fn holds_a_commit(&self, path: &BString) -> bool {
        self.repository_at(path).is_some_and(|repository| repository.has_commit(&OsSystem::new(&[])))
    }

    /// Returns whether a path is not a directory, and none of the directories on it is a link or missing.
    fn is_file(&self, path: &BString) -> bool {
        let parent = path.rfind_byte(b'/').map(|end| BString::from(&path[..end]));
        parent.is_none_or(|parent| self.dir_at(&parent).is_some())
            && self
                .at(path)
                .and_then(|place| fs::symlink_metadata(place).ok())
                .is_some_and(|stat| !stat.is_dir())
    }

    /// Returns whether a path is a pipe, a socket or a device.
    fn is_special(&self, path: &BString) -> bool {
        self.at(path).and_then(|path| fs::symlink_metadata(path).ok()).is_some_and(|stat| {
            let kind = stat.file_type();
            !kind.is_file() && !kind.is_symlink() && !kind.is_dir()
        })
    }

    /// Returns whether the index has an entry below a directory.
    fn has_entries_below(&self, dir: &BStr) -> bool {
        let below = [dir.as_bytes(), b"/"].concat();
        let entries = self.index.entries();
        let first = entries.partition_point(|entry| entry.path(self.index).as_bytes() < below.as_slice());
        entries.get(first).is_some_and(|entry| entry.path(self.index).starts_with(&below))
    }

    /// Returns whether the index has a path, merged or not.
    fn has_entry(&self, path: &BStr) -> bool {
        self.entry_mode(path).is_some()
    }

    fn entry_mode(&self, path: &BStr) -> Option<Mode> {
        let entries = self.index.entries();
        let first = entries.partition_point(|entry| entry.path(self.index) < path);
        entries.get(first).filter(|entry| entry.path(self.index) == path).map(|entry| entry.mode)
    }

    /// Returns whether a path is in a submodule, which decides itself what is untracked.
    fn is_in_submodule(&self, path: &BStr) -> bool {
        path.find_iter(b"/")
            .any(|end| self.entry_mode(path[..end].as_bstr()).is_some_and(|mode| mode.is_submodule()))
    }

    /// Reads a blob.
    fn blob(&self, id: ObjectId) -> Option<FileContent> {
        let objects = &self.work_tree.repo.objects;
        let size = objects.header(id).ok()?.size();
        if size > OBJECT_LIMIT {
            return Some(FileContent::Large(size));
        }
        let mut buffer = Vec::new();
        objects.find_blob(&id, &mut buffer).ok()?;
        Some(FileContent::Bytes(buffer))
    }

    /// Reads a file of the work tree as git would store it.
    fn file(&self, path: &BString) -> Result<(Mode, Vec<u8>), GitError> {
        let Some(place) = self.at(path) else { return Ok((Mode::FILE, Vec::new())) };
        let stat = fs::symlink_metadata(&place).map_err(|error| broken(&quoted_name(path), &error))?;
        if stat.is_symlink() {
            let target = fs::read_link(&place).map_err(|error| broken(&quoted_name(path), &error))?;
            let target = gix::path::into_bstr(target).map_err(|error| broken(&quoted_name(path), &error))?;
            return Ok((Mode::SYMLINK, target.to_vec()));
        }
        if !stat.is_file() {
            return Ok((Mode::FILE, Vec::new()));
        }
        let (mut pipeline, _) =
            self.work_tree.repo.filter_pipeline(None).map_err(|error| broken(&quoted_name(path), &error))?;
        if stat.len() > CONTENT_LIMIT {
            let (path, size) = (crate::provider::git::shown(path), stat.len());
            return Err(GitError::Unsupported(format!("`{path}` has {size} bytes and may be renamed")));
        }
        let file = filters::open_file(&place).map_err(|error| broken(&quoted_name(path), &error))?;
        let relative =
            gix::path::from_bstr(path.as_bstr()).map_err(|error| broken(&quoted_name(path), &error))?;
        let mut stored = pipeline
            .convert_to_git(file, &relative, self.index)
            .map_err(|error| broken(&quoted_name(path), &error))?;
        let mut content = Vec::new();
        match stored.as_bytes() {
            Some(bytes) => content.extend_from_slice(bytes),
            None => {
                _ = stored.read_to_end(&mut content).map_err(|error| broken(&quoted_name(path), &error))?;
            }
        }
        Ok((Mode::FILE, content))
    }
}

/// The subject of messages about the target of `HEAD`.
const HEAD: &str = "what `HEAD` leads to (a ref, `packed-refs` or the commit)";
/// The index, for a message.
const INDEX: &str = "`.git/index`";

/// Names a file of the repository in a message.
fn quoted_name(path: impl AsRef<[u8]>) -> String {
    format!("`{}`", crate::provider::git::shown(path.as_ref()))
}

/// Takes down what the library reports.
#[derive(Default)]
struct StatusCollector {
    tracked: Vec<(BString, Mode, ObjectId, EntryStatus<(), SubmoduleChanges>)>,
    untracked: Vec<(BString, bool)>,
}

impl<'index> VisitEntry<'index> for StatusCollector {
    type ContentChange = ();
    type SubmoduleStatus = SubmoduleChanges;

    fn visit_entry(&mut self, entry: Entry<'index, (), SubmoduleChanges>) {
        match entry {
            Entry::Modification { entry, rela_path, status, .. } => {
                self.tracked.push((rela_path.to_owned(), entry.mode, entry.id, status));
            }
            Entry::DirectoryContents { entry, .. } if entry.status == gix::dir::entry::Status::Untracked => {
                let is_dir = entry.disk_kind.is_some_and(|kind| kind.is_dir());
                self.untracked.push((entry.rela_path, is_dir));
            }
            Entry::DirectoryContents { .. } | Entry::Rewrite { .. } => {}
        }
    }
}

/// Returns the file type bits of a mode: regular, link, submodule.
fn kind(mode: Mode) -> u32 {
    mode.bits() & 0o170_000
}

/// Git's letters for a path with a conflict.
fn conflict(summary: Conflict) -> [u8; 2] {
    *match summary {
        Conflict::BothDeleted => b"DD",
        Conflict::AddedByUs => b"AU",
        Conflict::DeletedByThem => b"UD",
        Conflict::AddedByThem => b"UA",
        Conflict::DeletedByUs => b"DU",
        Conflict::BothAdded => b"AA",
        Conflict::BothModified => b"UU",
    }
}
