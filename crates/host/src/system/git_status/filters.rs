//! Compares files of the work tree with the index, where git might run a filter.

use super::open::{WorkTree, broken};
use crate::system::GitTrouble;
use gix::{
    attrs::{StateRef, search::Outcome},
    bstr::{BStr, BString},
    index::{Entry, State},
    status::plumbing::index_as_worktree::traits::{CompareBlobs, HashEq, ReadData},
    worktree::{Stack, stack::state::attributes::Source},
};
use std::sync::{Arc, Mutex, PoisonError};

/// Compares as git does, but where git would run a filter it decides by size alone, or notes that it cannot.
#[derive(Clone)]
pub(super) struct Compare<'index> {
    index: &'index State,
    filters: Option<Filters>,
    undecided: Undecided,
}

/// The first path, in git's order, of which only a filter can tell whether it changed.
#[derive(Clone, Default)]
pub(super) struct Undecided(Arc<Mutex<Option<BString>>>);

/// Says which paths have a filter.
#[derive(Clone)]
struct Filters {
    drivers: Arc<[BString]>,
    attributes: Stack,
    outcome: Outcome,
    objects: gix::OdbHandle,
}

impl<'index> Compare<'index> {
    pub(super) fn new(work_tree: &WorkTree, index: &'index State) -> Result<Compare<'index>, GitTrouble> {
        let filters = match work_tree.drivers.is_empty() {
            true => None,
            false => Some(Filters::new(work_tree, index)?),
        };
        Ok(Compare { index, filters, undecided: Undecided::default() })
    }

    pub(super) fn undecided(&self) -> Undecided {
        self.undecided.clone()
    }

    /// Says whether git would run a filter on the file at `path`.
    pub(super) fn is_filtered(&mut self, path: &BStr) -> bool {
        self.filters.as_mut().is_some_and(|filters| filters.apply_to(path))
    }
}

impl Undecided {
    /// Notes a path.
    pub(super) fn note(&self, path: &BStr) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|first| path < first) {
            *first = Some(path.to_owned());
        }
    }

    /// Fails if a path was noted.
    pub(super) fn check(&self) -> Result<(), GitTrouble> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            Some(path) => Err(GitTrouble::Filter(crate::provider::git::shown(path))),
            None => Ok(()),
        }
    }
}

impl Filters {
    fn new(work_tree: &WorkTree, index: &State) -> Result<Filters, GitTrouble> {
        let attributes = work_tree
            .repo
            .attributes_only(index, Source::WorktreeThenIdMapping)
            .map_err(|error| broken(&error))?
            .detach();
        Ok(Filters {
            drivers: work_tree.drivers.clone().into(),
            outcome: attributes.selected_attribute_matches(["filter"]),
            attributes,
            objects: work_tree.repo.objects.clone(),
        })
    }

    fn apply_to(&mut self, path: &BStr) -> bool {
        let mode = Some(gix::index::entry::Mode::FILE);
        let Ok(platform) = self.attributes.at_entry(path, mode, &self.objects) else { return true };
        self.outcome.reset();
        platform.matching_attributes(&mut self.outcome);
        self.outcome.iter_selected().any(|found| match found.assignment.state {
            StateRef::Value(name) => self.drivers.iter().any(|driver| driver == name.as_bstr()),
            _ => false,
        })
    }
}

impl CompareBlobs for Compare<'_> {
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
        if entry.mode != gix::index::entry::Mode::SYMLINK && self.is_filtered(path) {
            self.undecided.note(path);
            return Ok(None);
        }
        HashEq.compare_blobs(entry, size, data, buffer).map(|changed| changed.map(|_| ()))
    }
}
