//! Looks into submodules, as far as the configuration wants it.

use super::{
    DEPTH_LIMIT,
    open::{self, WorkTree, broken},
    walk::{self, UntrackedMode},
};
use crate::{
    provider::git::{Repository, config},
    system::{FileKind, GitError, HardLinks, ReadError, ReadScope, System as _, os::OsSystem},
};
use gix::{
    bstr::{BStr, BString, ByteSlice as _},
    index::{Entry, State},
    status::plumbing::index_as_worktree::traits::SubmoduleStatus,
};
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};

/// The differences in a submodule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SubmoduleChanges {
    /// True if another commit is checked out than the index has.
    pub moved: bool,
    /// Tracked content differs.
    pub modified: bool,
    /// There are untracked files.
    pub untracked: bool,
}

/// The changes of a submodule that are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ignore {
    #[default]
    Nothing,
    Untracked,
    Dirty,
    All,
}

impl Ignore {
    fn named(value: &BStr) -> Option<Ignore> {
        match value.as_bytes() {
            b"none" => Some(Ignore::Nothing),
            b"untracked" => Some(Ignore::Untracked),
            b"dirty" => Some(Ignore::Dirty),
            b"all" => Some(Ignore::All),
            _ => None,
        }
    }
}

/// The submodules of one work tree.
#[derive(Clone)]
pub(super) struct Submodules<'a> {
    root: PathBuf,
    hard_links: HardLinks,
    rules: Arc<SubmoduleRules>,
    depth: usize,
    interrupt: &'a AtomicBool,
    problem: Arc<Mutex<Option<GitError>>>,
}

/// The ignore rules by path, and the default.
struct SubmoduleRules {
    by_path: BTreeMap<BString, Ignore>,
    default: Ignore,
}

impl<'a> Submodules<'a> {
    pub(super) fn new(
        work_tree: &WorkTree,
        index: &State,
        untracked: UntrackedMode,
        depth: usize,
        interrupt: &'a AtomicBool,
    ) -> Result<Submodules<'a>, GitError> {
        Ok(Submodules {
            root: work_tree.root.clone(),
            hard_links: work_tree.hard_links,
            rules: Arc::new(SubmoduleRules::read(work_tree, index, untracked)?),
            depth,
            interrupt,
            problem: Arc::default(),
        })
    }

    /// Returns whether nothing is shown of the submodule at `path`.
    pub(super) fn ignore(&self, path: &BStr) -> bool {
        self.rules.of(path) == Ignore::All
    }

    /// Fails if a submodule could not be looked at.
    pub(super) fn check(&self) -> Result<(), GitError> {
        match self.problem.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }

    fn look(&self, entry: &Entry, path: &BStr) -> Result<Option<SubmoduleChanges>, GitError> {
        let ignore = self.rules.of(path);
        if ignore == Ignore::All {
            return Ok(None);
        }
        let Ok(relative) = gix::path::from_bstr(path) else { return Ok(None) };
        let Some(found) =
            Repository::in_dir(&OsSystem::new(&[]), &self.root.join(relative), self.hard_links)?
        else {
            // Not checked out, so not changed.
            return Ok(None);
        };
        if self.depth >= DEPTH_LIMIT {
            return Err(GitError::Unsupported(format!("submodules more than {DEPTH_LIMIT} deep")));
        }
        let work_tree = open::work_tree(&found, self.interrupt)?;
        let mut dirty = SubmoduleChanges {
            moved: work_tree.repo.head_id().is_ok_and(|head| head.detach() != entry.id),
            ..SubmoduleChanges::default()
        };
        if ignore != Ignore::Dirty {
            let untracked = match ignore {
                Ignore::Untracked => UntrackedMode::No,
                _ => UntrackedMode::AsConfigured,
            };
            let seen = walk::look(&work_tree, untracked, self.depth + 1, self.interrupt)?;
            dirty.untracked = !seen.untracked.is_empty();
            for letters in seen.paths.values() {
                dirty.untracked |= letters.dirty.untracked;
                let only_untracked_inside =
                    letters.dirty == SubmoduleChanges { untracked: true, ..SubmoduleChanges::default() };
                dirty.modified |= !only_untracked_inside;
            }
        }
        Ok((dirty != SubmoduleChanges::default()).then_some(dirty))
    }
}

impl SubmoduleStatus for Submodules<'_> {
    type Output = SubmoduleChanges;

    fn status(&mut self, entry: &Entry, path: &BStr) -> gix::Result<Option<SubmoduleChanges>> {
        Ok(self.look(entry, path).unwrap_or_else(|problem| {
            self.problem.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(problem);
            None
        }))
    }
}

impl SubmoduleRules {
    /// Reads what is ignored from `.gitmodules` and the configuration, which goes first.
    fn read(
        work_tree: &WorkTree,
        index: &State,
        untracked: UntrackedMode,
    ) -> Result<SubmoduleRules, GitError> {
        let mut default = work_tree
            .string("diff.ignoreSubmodules")
            .and_then(|value| Ignore::named(value.as_bstr()))
            .unwrap_or_default();
        if untracked.mode(work_tree) == UntrackedMode::No && default == Ignore::Nothing {
            default = Ignore::Untracked;
        }
        let mut by_path = BTreeMap::new();
        // Like git, look at `.gitmodules` only if there is a submodule.
        let is_needed = index.entries().iter().any(|entry| entry.mode.is_submodule());
        if is_needed
            && check_modules(work_tree)?
            && let Some(modules) =
                work_tree.repo.modules().map_err(|error| broken("`.gitmodules`", &error))?
        {
            let settings = work_tree.repo.config_snapshot();
            for name in modules.names() {
                let Ok(path) = modules.path(name) else { continue };
                let setting = settings
                    .plumbing()
                    .string_by("submodule", Some(name), "ignore")
                    .or_else(|| modules.config().string_by("submodule", Some(name), "ignore"));
                if let Some(ignore) = setting.and_then(|value| Ignore::named(value.as_bstr())) {
                    by_path.insert(path, ignore);
                }
            }
        }
        let is_conflict = |entry: &Entry| entry.stage_raw() != 0 && entry.path(index) == ".gitmodules";
        if index.entries().iter().any(is_conflict) {
            default = Ignore::All;
        }
        Ok(SubmoduleRules { by_path, default })
    }

    fn of(&self, path: &BStr) -> Ignore {
        self.by_path.get(path).copied().unwrap_or(self.default)
    }
}

/// Refuses a `.gitmodules` that git cannot read (the library would read more of it). Returns false if
/// something else has the name: then git knows of no submodules.
fn check_modules(work_tree: &WorkTree) -> Result<bool, GitError> {
    let broken = |words: String| GitError::Broken(format!("`.gitmodules`: {words}"));
    let (system, path) = (OsSystem::new(&[]), work_tree.root.join(".gitmodules"));
    if system.link_stat(&path).is_some_and(|stat| stat.kind == FileKind::Link) {
        return Ok(false);
    }
    match system.read(&path, ReadScope::Root(&work_tree.root), open::CONFIGURATION_LIMIT) {
        Ok(file) => config::check(&String::from_utf8_lossy(&file.bytes))
            .map(|()| true)
            .map_err(|line| broken(format!("line {line} is no configuration"))),
        Err(error @ ReadError::TooLarge { .. }) => Err(broken(error.to_string())),
        Err(error) => Ok(error == ReadError::Missing),
    }
}
