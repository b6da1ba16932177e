//! The walk through one directory of a layer: which files count, in byte order of their paths.

use crate::{
    directory_walk::{DirectoryWalk, WalkLimits, WalkVisitor, WalkedDirectory},
    provider::context::ProviderContext,
    system::{FileKind, ReadError},
};
use preface_core::{diagnostic::DiagnosticCode, scope::Scope};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The most files that are read.
const MOST_FILES: usize = 1_000;

const LIMITS: WalkLimits = WalkLimits {
    directories: 1_000,
    depth: 8,
    unreadable: DiagnosticCode::LayerDirectory,
    too_many: DiagnosticCode::MarkdownTooMany,
    too_deep: DiagnosticCode::MarkdownTooMany,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkdownPath {
    pub path: PathBuf,
    /// The path below the directory, with `/`, without `.md`.
    pub below: String,
}

/// The most files of a walk that are looked at.
const MOST_FOUND: usize = 20_000;

/// The Markdown files that a walk finds.
#[derive(Default)]
pub(crate) struct MarkdownPaths(pub Vec<MarkdownPath>);

impl WalkVisitor for MarkdownPaths {
    fn file(&mut self, directory: &WalkedDirectory<'_>, name: &OsStr, _kind: Option<FileKind>) {
        // A pipe or a broken link of that name is reported when it is read.
        if let Some(stem) = name.to_string_lossy().strip_suffix(".md").filter(|stem| !stem.is_empty())
            && self.0.len() < MOST_FOUND
        {
            let below = format!("{}{stem}", directory.below);
            self.0.push(MarkdownPath { path: directory.path.join(name), below });
        }
    }
}

/// Returns the files below a directory; none if it does not exist.
pub(super) fn walk(
    scope: Scope,
    dir: &Path,
    within: Option<&Path>,
    context: &ProviderContext<'_>,
) -> Vec<MarkdownPath> {
    let mut paths = MarkdownPaths::default();
    DirectoryWalk::run(dir, scope, within, LIMITS, context, &mut paths);
    let MarkdownPaths(mut found) = paths;
    let more = found.len().saturating_sub(MOST_FILES);
    if more > 0 {
        // A directory of thousands hides none of those beside it.
        found.sort_by_cached_key(|found| (found.below.matches('/').count(), found.below.clone()));
        found.truncate(MOST_FILES);
        let why = ReadError::Other(format!("{more} files of it: {MOST_FILES} are the most"));
        context.note(context.left_out(scope, dir, DiagnosticCode::MarkdownTooMany, &why));
    }
    found.sort_by(|a, b| a.below.cmp(&b.below));
    found
}
