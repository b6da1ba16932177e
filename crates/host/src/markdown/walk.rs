//! The walk through one directory of a layer: which files count, in byte order of their paths.

use crate::{
    provider_context::ProviderContext,
    system::{DirEntry, FileKind, ReadError},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    lint::hidden::escape_hidden,
    scope::Scope,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The most files that are read.
const MOST_FILES: usize = 1_000;
/// The most entries that a directory may have.
const MOST_ENTRIES: usize = 20_000;
/// The most directories that are read.
const MOST_DIRS: usize = 1_000;
/// The deepest level of files below the directory.
const DEPTH: usize = 8;
/// The most diagnostics of one walk.
const MOST_NOTES: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkdownPath {
    pub path: PathBuf,
    /// The path below the directory, with `/`, without `.md`.
    pub below: String,
}

/// One directory and what is below it.
pub(super) struct MarkdownTree<'a> {
    look: &'a ProviderContext<'a>,
    scope: Scope,
    /// The directory that links must stay within; `None` for no limit.
    within: Option<&'a Path>,
    found: Vec<MarkdownPath>,
    /// The real paths of the directories that were read.
    walked: BTreeSet<PathBuf>,
    diagnostics: usize,
}

impl<'a> MarkdownTree<'a> {
    /// Returns the files below a directory; none if it does not exist.
    pub(super) fn walk(
        scope: Scope,
        dir: &Path,
        within: Option<&'a Path>,
        look: &'a ProviderContext<'a>,
    ) -> Vec<MarkdownPath> {
        let (found, walked) = (Vec::new(), BTreeSet::new());
        let mut tree = MarkdownTree { look, scope, within, found, walked, diagnostics: 0 };
        match look.system.canonical(dir) {
            Ok(real) => {
                if tree.may_enter(dir, &real) {
                    tree.dir(dir, real, "", 0);
                }
            }
            Err(ReadError::Missing) => {}
            Err(error) => tree.left_out(dir, DiagnosticCode::MarkdownDirectory, &error),
        }
        tree.finish(dir)
    }

    fn finish(mut self, dir: &Path) -> Vec<MarkdownPath> {
        let more = self.found.len().saturating_sub(MOST_FILES);
        if more > 0 {
            // A directory of thousands hides none of those beside it.
            self.found.sort_by_cached_key(|found| (found.below.matches('/').count(), found.below.clone()));
            self.found.truncate(MOST_FILES);
            let why = format!("{more} files of it: {MOST_FILES} are the most");
            self.diagnostics = 0;
            self.left_out(dir, DiagnosticCode::MarkdownTooMany, &why);
        }
        self.found.sort_by(|a, b| a.below.cmp(&b.below));
        self.found
    }

    fn dir(&mut self, dir: &Path, real: PathBuf, below: &str, depth: usize) {
        if self.walked.len() >= MOST_DIRS {
            let why = format!("{MOST_DIRS} directories are the most");
            return self.left_out(dir, DiagnosticCode::MarkdownTooMany, &why);
        }
        if !self.walked.insert(real.clone()) {
            return self.left_out(
                dir,
                DiagnosticCode::MarkdownDirectory,
                &"it was looked into by another name",
            );
        }
        match self.look.system.list(dir, MOST_ENTRIES) {
            Ok(entries) => {
                entries
                    .iter()
                    .for_each(|entry| self.entry(&dir.join(&entry.name), &real, entry, below, depth));
            }
            Err(ReadError::Missing) => {}
            Err(ReadError::TooLarge { limit, .. }) => {
                self.left_out(
                    dir,
                    DiagnosticCode::MarkdownTooMany,
                    &format!("it has more than {limit} entries"),
                );
            }
            Err(error) => self.left_out(dir, DiagnosticCode::MarkdownDirectory, &error),
        }
    }

    fn entry(&mut self, path: &Path, real: &Path, entry: &DirEntry, below: &str, depth: usize) {
        let name = entry.name.to_string_lossy();
        if name.starts_with('.') {
            return;
        }
        let is_dir = match entry.kind {
            FileKind::Dir => true,
            FileKind::Link => self.look.system.stat(path).is_some_and(|stat| stat.kind == FileKind::Dir),
            FileKind::File | FileKind::Special => false,
        };
        if !is_dir {
            // A pipe or a broken link of that name is reported when it is read.
            if let Some(stem) = name.strip_suffix(".md").filter(|stem| !stem.is_empty()) {
                self.found.push(MarkdownPath { path: path.to_owned(), below: format!("{below}{stem}") });
            }
            return;
        }
        if depth == DEPTH {
            return self.left_out(
                path,
                DiagnosticCode::MarkdownTooMany,
                &format!("it lies deeper than {DEPTH} directories"),
            );
        }
        let real = match entry.kind {
            FileKind::Link => match self.look.system.canonical(path) {
                Ok(real) if self.may_enter(path, &real) => real,
                _ => return,
            },
            _ => real.join(&entry.name),
        };
        self.dir(path, real, &format!("{below}{name}/"), depth + 1);
    }

    /// True if a directory lies where it may. Asked of the first and of links only: what else lies below is inside.
    fn may_enter(&mut self, dir: &Path, real: &Path) -> bool {
        if self.within.is_none_or(|root| self.look.may_lie_at(real, root)) {
            return true;
        }
        let help = self.look.help_for_outside(real);
        self.report(
            dir,
            DiagnosticCode::FileOutside,
            &ReadError::Outside { target: real.to_owned() },
            Some(help),
        );
        false
    }

    fn left_out(&mut self, path: &Path, code: DiagnosticCode, why: &dyn std::fmt::Display) {
        self.report(path, code, why, None);
    }

    fn report(
        &mut self,
        path: &Path,
        code: DiagnosticCode,
        why: &dyn std::fmt::Display,
        help: Option<String>,
    ) {
        self.diagnostics += 1;
        if self.diagnostics > MOST_NOTES {
            return;
        }
        let shown = self.look.places.source(self.scope, path).path.clone();
        let more = if self.diagnostics == MOST_NOTES { "; there may be more" } else { "" };
        let why = format!("{}{more}", escape_hidden(&why.to_string()));
        let diagnostic = Diagnostic::left_out(Severity::Warning, code, &shown, why)
            .at(Place::file(Some(self.scope), shown));
        self.look.note(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
}
