//! Compares files of the work tree with the index, where git might run a filter.

use super::{
    checks,
    open::{WorkTree, broken},
    patterns::{PatternKind, Weights},
};
use crate::system::GitError;
use gix::{
    attrs::{StateRef, search::Outcome},
    bstr::{BStr, BString},
    hash::ObjectId,
    index::{Entry, State},
    objs::Kind,
    status::plumbing::index_as_worktree::traits::{CompareBlobs, ReadData},
    worktree::{Stack, stack::state::attributes::Source},
};
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};

/// The largest file of the work tree that is taken into memory, in bytes. A larger one is hashed as it lies on disk.
pub(super) const CONTENT_LIMIT: u64 = 8 * 1024 * 1024;

/// Compares as git does, but where git would run a filter it decides by size alone, or notes that it cannot.
#[derive(Clone)]
pub(super) struct BlobComparer<'a> {
    index: &'a State,
    root: PathBuf,
    filters: Filters,
    weights: Arc<Weights>,
    undecided: UndecidedPath,
    interrupt: &'a AtomicBool,
}

/// The first path, in git's order, of which it is not known whether it changed.
#[derive(Clone, Default)]
pub(super) struct UndecidedPath(Arc<Mutex<Option<(BString, UndecidedReason)>>>);

/// The reason why it is unknown if a file changed.
#[derive(Clone, Copy)]
pub(super) enum UndecidedReason {
    /// A filter would have to run.
    Filter,
    /// Line ends or encoding would have to be converted in a file that is larger than [`CONTENT_LIMIT`].
    Large,
    /// The attributes would take too many steps.
    Steps,
}

/// The filters and conversions of paths.
#[derive(Clone)]
struct Filters {
    drivers: Arc<[BString]>,
    attributes: Stack,
    outcome: Outcome,
    auto_crlf: bool,
    objects: gix::OdbHandle,
}

/// The conversion that git may apply to a file before it is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FilterConversion {
    Nothing,
    /// The line ends, unless the file is binary.
    LineEnds,
    /// Something else, too.
    Anything,
}

impl<'a> BlobComparer<'a> {
    pub(super) fn new(
        work_tree: &WorkTree,
        index: &'a State,
        weights: Arc<Weights>,
        interrupt: &'a AtomicBool,
    ) -> Result<BlobComparer<'a>, GitError> {
        Ok(BlobComparer {
            index,
            root: work_tree.root.clone(),
            filters: Filters::new(work_tree, index)?,
            weights,
            undecided: UndecidedPath::default(),
            interrupt,
        })
    }

    pub(super) fn undecided(&self) -> UndecidedPath {
        self.undecided.clone()
    }

    /// Returns whether git would run a filter on the file at `path`.
    pub(super) fn is_filtered(&mut self, path: &BStr) -> bool {
        !self.filters.drivers.is_empty() && self.filters.apply_to(path)
    }

    /// Compares a file that is too large to be converted in memory.
    fn compare_large(&mut self, entry: &Entry, path: &BStr, size: u64) -> gix::Result<Option<()>> {
        let (id, has_nul) = hash_file(&self.root.join(gix::path::from_bstr(path)?), size, self.interrupt)?;
        if id == entry.id {
            return Ok(None);
        }
        match self.filters.conversion(path) {
            FilterConversion::Nothing => return Ok(Some(())),
            FilterConversion::LineEnds if has_nul => return Ok(Some(())),
            FilterConversion::LineEnds | FilterConversion::Anything => {}
        }
        self.undecided.note(path, UndecidedReason::Large);
        Ok(None)
    }
}

impl UndecidedPath {
    /// Records a path.
    pub(super) fn note(&self, path: &BStr, reason: UndecidedReason) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(first, _)| path < first) {
            *first = Some((path.to_owned(), reason));
        }
    }

    /// Fails if a path was noted.
    pub(super) fn check(&self) -> Result<(), GitError> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            Some((path, UndecidedReason::Filter)) => Err(GitError::Filter(crate::provider::git::shown(path))),
            Some((path, UndecidedReason::Large)) => Err(GitError::Unsupported(format!(
                "`{}` has more than {CONTENT_LIMIT} bytes and attributes that convert it",
                crate::provider::git::shown(path)
            ))),
            Some((path, UndecidedReason::Steps)) => Err(GitError::Unsupported(format!(
                "`{}` has attributes that take too many steps",
                crate::provider::git::shown(path)
            ))),
            None => Ok(()),
        }
    }
}

impl Filters {
    fn new(work_tree: &WorkTree, index: &State) -> Result<Filters, GitError> {
        let attributes = work_tree
            .repo
            .attributes_only(index, Source::WorktreeThenIdMapping)
            .map_err(|error| broken("the attributes", &error))?
            .detach();
        Ok(Filters {
            drivers: work_tree.drivers.clone().into(),
            outcome: attributes.selected_attribute_matches([
                "filter",
                "text",
                "crlf",
                "eol",
                "ident",
                "working-tree-encoding",
            ]),
            attributes,
            auto_crlf: work_tree
                .string("core.autocrlf")
                .is_some_and(|value| value == "input" || work_tree.boolean("core.autocrlf", false)),
            objects: work_tree.repo.objects.clone(),
        })
    }

    fn apply_to(&mut self, path: &BStr) -> bool {
        let Some(outcome) = self.matches(path) else { return true };
        let filter = outcome.iter_selected().find_map(|found| match found.assignment.state {
            StateRef::Value(name) if found.assignment.name.as_str() == "filter" => Some(name.to_owned()),
            _ => None,
        });
        filter.is_some_and(|name| self.drivers.iter().any(|driver| driver == name.as_ref().as_bstr()))
    }

    /// Returns what git may change in the file at `path`, filters aside.
    fn conversion(&mut self, path: &BStr) -> FilterConversion {
        let auto_crlf = self.auto_crlf;
        let Some(outcome) = self.matches(path) else { return FilterConversion::Anything };
        let (mut auto, mut text, mut binary, mut other) = (auto_crlf, false, false, false);
        for found in outcome.iter_selected() {
            match (found.assignment.name.as_str(), found.assignment.state) {
                ("filter", _) | (_, StateRef::Unspecified) => {}
                ("text" | "crlf", StateRef::Unset) => binary = true,
                ("text", StateRef::Value(value)) if value.as_bstr() == "auto" => auto = true,
                ("text" | "crlf" | "eol", _) => text = true,
                (_, StateRef::Unset) => {}
                _ => other = true,
            }
        }
        if other || text && !binary {
            FilterConversion::Anything
        } else if auto && !binary {
            FilterConversion::LineEnds
        } else {
            FilterConversion::Nothing
        }
    }

    /// Looks up the attributes of a path.
    fn matches(&mut self, path: &BStr) -> Option<&Outcome> {
        let mode = Some(gix::index::entry::Mode::FILE);
        let platform = self.attributes.at_entry(path, mode, &self.objects).ok()?;
        self.outcome.reset();
        platform.matching_attributes(&mut self.outcome);
        Some(&self.outcome)
    }
}

/// Returns the id that a file has if nothing is converted, and whether it has a NUL byte, as only binary files do.
fn hash_file(path: &Path, size: u64, interrupt: &AtomicBool) -> gix::Result<(ObjectId, bool)> {
    struct NulDetector<R>(R, bool);
    impl<R: Read> Read for NulDetector<R> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let read = self.0.read(buffer)?;
            self.1 |= buffer[..read].contains(&0);
            Ok(read)
        }
    }
    let mut stream = NulDetector(open_file(path).map_err(gix::hash::io::from_std_io)?, false);
    let id = gix::objs::compute_stream_hash(
        gix::hash::Kind::Sha1,
        Kind::Blob,
        &mut stream,
        size,
        &mut gix::progress::Discard,
        interrupt,
    )?;
    Ok((id, stream.1))
}

/// Opens a file of the work tree. A pipe in its place does not block.
pub(super) fn open_file(path: &Path) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(std::io::Error::other("not a regular file")),
    }
}

impl CompareBlobs for BlobComparer<'_> {
    type Output = ();

    fn compare_blobs<'a, 'b>(
        &mut self,
        entry: &Entry,
        size: u64,
        data: impl ReadData<'a>,
        buffer: &mut Vec<u8>,
    ) -> gix::Result<Option<()>> {
        // A size of 0 for a blob that is not empty means that the index has never seen the file.
        let size_is_known = entry.id.is_empty_blob() || entry.stat.size != 0;
        if size_is_known && u64::from(entry.stat.size) != size & u64::from(u32::MAX) {
            return Ok(Some(()));
        }
        let path = entry.path(self.index);
        let is_link = entry.mode == gix::index::entry::Mode::SYMLINK;
        // Here, and by the library.
        if self.weights.take(PatternKind::Attributes, path, 2).is_err() {
            self.undecided.note(path, UndecidedReason::Steps);
            return Ok(None);
        }
        if !is_link && self.is_filtered(path) {
            self.undecided.note(path, UndecidedReason::Filter);
            return Ok(None);
        }
        if checks::check_interrupt(self.interrupt).is_err() {
            return Ok(None);
        }
        if !is_link && size > CONTENT_LIMIT {
            return self.compare_large(entry, path, size);
        }
        let mut stream = data.stream_worktree_file()?;
        let id = match (stream.as_bytes(), stream.size()) {
            (Some(bytes), _) => gix::objs::compute_hash(entry.id.kind(), Kind::Blob, bytes)?,
            (None, Some(size)) => {
                let progress = &mut gix::progress::Discard;
                let kind = entry.id.kind();
                gix::objs::compute_stream_hash(kind, Kind::Blob, &mut stream, size, progress, self.interrupt)?
            }
            (None, None) => {
                stream.read_to_end(buffer).map_err(gix::hash::io::from_std_io)?;
                gix::objs::compute_hash(entry.id.kind(), Kind::Blob, buffer)?
            }
        };
        Ok((id != entry.id).then_some(()))
    }
}
