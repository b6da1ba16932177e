//! A walk over a directory of a layer and what is below it, depth first, in byte order of the names. It has limits,
//! follows no link out of where it may look, and reads no directory twice.

use crate::{
    provider::context::ProviderContext,
    system::{DirEntry, FileKind, ReadError},
};
use preface_core::{diagnostic::DiagnosticCode, scope::Scope};
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The most entries that a directory may have.
const MOST_ENTRIES: usize = 20_000;
/// The most diagnostics of one walk.
const MOST_DIAGNOSTICS: usize = 20;

/// The limits of a walk, and the codes of what it leaves out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WalkLimits {
    /// The most directories that are read.
    pub directories: usize,
    /// The deepest level of files below the directory.
    pub depth: usize,
    /// The code of a directory that cannot be read, or was read under another name.
    pub unreadable: DiagnosticCode,
    /// The code of too many directories or entries.
    pub too_many: DiagnosticCode,
    /// The code of a directory that lies too deep.
    pub too_deep: DiagnosticCode,
}

/// A directory of a walk.
pub(crate) struct WalkedDirectory<'a> {
    pub path: &'a Path,
    /// The path below the first directory, with a slash at its end; empty for the first.
    pub below: &'a str,
    /// The number of directories above it.
    pub depth: usize,
    /// The entries, sorted by name.
    pub entries: &'a [DirEntry],
}

/// The part of a walk that decides what is taken. Names that start with a dot are not asked about.
pub(crate) trait WalkVisitor {
    /// Returns whether the entries of a directory are looked at.
    fn enter(&mut self, _directory: &WalkedDirectory<'_>) -> bool {
        true
    }

    /// Ends a directory.
    fn leave(&mut self) {}

    /// Takes what is no directory; `kind` is that of a link's target, `None` if it leads nowhere.
    fn file(&mut self, directory: &WalkedDirectory<'_>, name: &OsStr, kind: Option<FileKind>);

    /// Returns whether a directory is entered.
    fn enters(&mut self, _directory: &WalkedDirectory<'_>, _name: &OsStr) -> bool {
        true
    }

    /// Takes a directory that was read under another name; false if that is to be reported.
    fn again(&mut self, _path: &Path, _first: &Path) -> bool {
        false
    }
}

/// A walk.
pub(crate) struct DirectoryWalk<'a> {
    context: &'a ProviderContext<'a>,
    scope: Scope,
    /// The directory that links must stay within; `None` for no limit.
    within: Option<&'a Path>,
    limits: WalkLimits,
    visitor: &'a mut dyn WalkVisitor,
    /// The directories that were read, by real path.
    walked: BTreeMap<PathBuf, PathBuf>,
    diagnostics: usize,
}

impl<'a> DirectoryWalk<'a> {
    /// Walks over a directory, if it exists.
    pub(crate) fn run(
        dir: &Path,
        scope: Scope,
        within: Option<&'a Path>,
        limits: WalkLimits,
        context: &'a ProviderContext<'a>,
        visitor: &'a mut dyn WalkVisitor,
    ) {
        let walked = BTreeMap::new();
        let mut walk = DirectoryWalk { context, scope, within, limits, visitor, walked, diagnostics: 0 };
        if let Some(real) = walk.real(dir) {
            walk.directory(dir, real, "", 0);
        }
    }

    /// Returns where a directory really lies, if that is where it may. Asked of the first and of links only: what else lies
    /// below is inside.
    fn real(&mut self, dir: &Path) -> Option<PathBuf> {
        let real = match self.within {
            Some(root) => self.context.enter(dir, root).and_then(|real| self.outside_of_git(real, root)),
            None => self.context.system.canonical(dir),
        };
        match real {
            Ok(real) => Some(real),
            Err(ReadError::Missing) => None,
            Err(error) => {
                self.left_out(dir, self.limits.unreadable, &error);
                None
            }
        }
    }

    /// Refuses what git keeps in a project: a link leads there.
    fn outside_of_git(&self, real: PathBuf, root: &Path) -> Result<PathBuf, ReadError> {
        let has_git = |path: &Path| path.iter().any(|name| name == ".git");
        if has_git(&real) {
            let root = self.context.system.canonical(root)?;
            if real.strip_prefix(root).is_ok_and(has_git) {
                return Err(ReadError::Outside { target: real });
            }
        }
        Ok(real)
    }

    fn directory(&mut self, path: &Path, real: PathBuf, below: &str, depth: usize) {
        let WalkLimits { directories, unreadable, too_many, .. } = self.limits;
        if let Some(first) = self.walked.get(&real) {
            if !self.visitor.again(path, first) {
                self.limit(path, unreadable, "it was looked into by another name".to_owned());
            }
            return;
        }
        if self.walked.len() >= directories {
            return self.limit(path, too_many, format!("{directories} directories are the most"));
        }
        self.walked.insert(real.clone(), path.to_owned());
        let entries = match self.context.system.list(path, MOST_ENTRIES) {
            Ok(entries) => entries,
            Err(ReadError::Missing) => return,
            Err(ReadError::TooLarge { limit, .. }) => {
                return self.limit(path, too_many, format!("it has more than {limit} entries"));
            }
            Err(error) => return self.left_out(path, unreadable, &error),
        };
        let directory = WalkedDirectory { path, below, depth, entries: &entries };
        if self.visitor.enter(&directory) {
            let visible = entries.iter().filter(|entry| !entry.name.as_encoded_bytes().starts_with(b"."));
            visible.for_each(|entry| self.entry(&directory, &real, entry));
        }
        self.visitor.leave();
    }

    fn entry(&mut self, directory: &WalkedDirectory<'_>, real: &Path, entry: &DirEntry) {
        let path = directory.path.join(&entry.name);
        let kind = match entry.kind {
            FileKind::Link => self.context.system.stat(&path).map(|stat| stat.kind),
            kind => Some(kind),
        };
        if kind != Some(FileKind::Dir) {
            return self.visitor.file(directory, &entry.name, kind);
        }
        if !self.visitor.enters(directory, &entry.name) {
            return;
        }
        let WalkLimits { depth, too_deep, .. } = self.limits;
        if directory.depth >= depth {
            return self.limit(&path, too_deep, format!("it lies deeper than {depth} directories"));
        }
        let real = match entry.kind {
            FileKind::Link => self.real(&path),
            _ => Some(real.join(&entry.name)),
        };
        if let Some(real) = real {
            let below = format!("{}{}/", directory.below, entry.name.to_string_lossy());
            self.directory(&path, real, &below, directory.depth + 1);
        }
    }

    fn limit(&mut self, path: &Path, code: DiagnosticCode, why: String) {
        self.left_out(path, code, &ReadError::Other(why));
    }

    fn left_out(&mut self, path: &Path, code: DiagnosticCode, error: &ReadError) {
        self.diagnostics += 1;
        if self.diagnostics > MOST_DIAGNOSTICS {
            return;
        }
        let mut diagnostic = self.context.left_out(self.scope, path, code, error);
        if self.diagnostics == MOST_DIAGNOSTICS {
            diagnostic.message.push_str("; there may be more");
        }
        self.context.note(diagnostic);
    }
}
