//! The reach of a file: where its imports may lead, and what an `@path` in it means.

use crate::{
    places::{normal, resolve_links},
    provider::{context::ProviderContext, git},
    system::{FileKind, ReadError, ReadScope},
};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
    rc::Rc,
};

/// The directory that links and imports of a file must stay within.
#[derive(Clone, Debug)]
pub enum ImportReach {
    /// No limit: the file is the user's own.
    Anywhere,
    /// Inside this directory, a real path, and not in its `.git`.
    Tree(Rc<Path>),
}

impl ImportReach {
    /// Returns the limit for reading files.
    pub fn within(&self) -> ReadScope<'_> {
        match self {
            ImportReach::Anywhere => ReadScope::Anywhere,
            ImportReach::Tree(root) => ReadScope::Root(root),
        }
    }

    /// Returns true if a real path may be read.
    pub fn holds(&self, real: &Path) -> bool {
        match self {
            ImportReach::Anywhere => true,
            ImportReach::Tree(root) => real.starts_with(root) && !is_in_git_dir(real, root),
        }
    }
}

/// Returns true if a real path is inside a `.git` of a tree.
pub fn is_in_git_dir(real: &Path, tree: &Path) -> bool {
    let is_git = |rest: &Path| rest.components().any(|part| part.as_os_str() == ".git");
    real.strip_prefix(tree).is_ok_and(is_git)
}

/// The trees that directories are in, each looked up once.
#[derive(Debug, Default)]
pub struct TreeCache(RefCell<BTreeMap<PathBuf, ImportReach>>);

impl TreeCache {
    /// The git work tree that holds a directory, else the directory. A work tree that holds the user's home counts for
    /// nothing: it holds more than a project.
    pub fn of(&self, dir: &Path, context: &ProviderContext<'_>) -> ImportReach {
        if let Some(known) = self.0.borrow().get(dir) {
            return known.clone();
        }
        let home = context.places.home.as_ref().map(|home| resolve_links(context.system, home));
        let root = git::work_tree_root(context.system, dir)
            .filter(|root| home.as_ref().is_none_or(|home| !home.starts_with(root)))
            .unwrap_or_else(|| resolve_links(context.system, dir));
        let reach = ImportReach::Tree(root.into());
        self.0.borrow_mut().insert(dir.to_owned(), reach.clone());
        reach
    }
}

/// The result of looking up an `@path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// A file: its path, its real path and its size.
    File { path: PathBuf, real: PathBuf, len: u64 },
    /// Nothing.
    Missing,
    /// A path outside of the reach, whether it exists or not.
    Outside,
    /// Something that is not a file.
    Kind(FileKind),
    /// A path that cannot be looked up.
    Unreadable(ReadError),
}

/// Returns the path that `written` names in a file of `dir`; `None` below a home directory that there is not.
pub fn named(written: &str, dir: &Path, context: &ProviderContext<'_>) -> Option<PathBuf> {
    match written.strip_prefix("~/") {
        Some(rest) => context.places.home.as_ref().map(|home| normal(home, Path::new(rest))),
        None => Some(normal(dir, Path::new(written))),
    }
}

/// Looks up the path `written` in a file of `dir`.
pub fn find(written: &str, dir: &Path, reach: &ImportReach, context: &ProviderContext<'_>) -> ImportTarget {
    let Some(path) = named(written, dir, context) else { return ImportTarget::Missing };
    let real = match context.system.canonical(&path) {
        Ok(real) => real,
        Err(error) => {
            return match error {
                // A missing file shows nothing of what is outside.
                _ if !reach.holds(&resolve_links(context.system, &path)) => ImportTarget::Outside,
                ReadError::Missing => ImportTarget::Missing,
                error => ImportTarget::Unreadable(error),
            };
        }
    };
    let is_allowed = reach.holds(&real) || context.bounds.follows(&real);
    if !is_allowed || matches!(reach, ImportReach::Tree(_)) && !context.in_roots(&path) {
        return ImportTarget::Outside;
    }
    match context.system.stat(&real) {
        Some(stat) if stat.kind == FileKind::File => ImportTarget::File { path, real, len: stat.len },
        Some(stat) => ImportTarget::Kind(stat.kind),
        None => ImportTarget::Missing,
    }
}
