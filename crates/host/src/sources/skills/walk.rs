//! The walk through one root: which files count as skills, in byte order of the names, depth first.

use super::{
    Loader,
    ignored::{FILES, pattern},
};
use crate::{
    directory_walk::{DirectoryWalk, WalkLimits, WalkVisitor, WalkedDirectory},
    ignore_patterns::IgnorePatterns,
    provider::context::{Extent, FILE_VARIABLE_LIMIT},
    system::{FileKind, ReadError, ReadScope},
};
use ignore::Match;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    scope::Scope,
    skill::SKILL_FILE,
};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The most directories that a root may have.
const MOST_DIRS: usize = 50_000;

/// A root to walk.
#[derive(Clone, Debug)]
pub struct WalkRoot {
    /// The directory.
    pub dir: PathBuf,
    /// The scope of the root.
    pub scope: Scope,
    /// True if every `*.md` directly in it is a skill.
    pub direct: bool,
    /// True if every `*.md` below it is a skill.
    pub loose: bool,
    /// True if a directory that is a skill may contain others.
    pub descend_always: bool,
    /// The directory that links must stay within; `None` for no limit.
    pub within: Option<PathBuf>,
}

/// A walk over a root that gives the loader each path it finds.
pub(super) struct SkillWalk<'a, 'l> {
    loader: &'a mut Loader<'l>,
    start: &'a WalkRoot,
    ignored: IgnorePatterns,
    /// The numbers of ignore files at the directories around the current one.
    marks: Vec<usize>,
}

impl<'a, 'l> SkillWalk<'a, 'l> {
    pub(super) fn run(start: &'a WalkRoot, loader: &'a mut Loader<'l>) {
        let limits = WalkLimits {
            directories: MOST_DIRS,
            depth: loader.options.depth,
            unreadable: DiagnosticCode::SkillInvalid,
            too_many: DiagnosticCode::SkillInvalid,
            too_deep: DiagnosticCode::SkillIgnored,
        };
        let context = loader.context;
        let mut walk = SkillWalk { loader, start, ignored: IgnorePatterns::default(), marks: Vec::new() };
        DirectoryWalk::run(&start.dir, start.scope, start.within.as_deref(), limits, context, &mut walk);
    }

    /// Takes the SKILL.md of a directory; true if it has one, so that the directory is done.
    fn is_skill(&mut self, directory: &WalkedDirectory<'_>) -> bool {
        let name = OsStr::new(SKILL_FILE);
        let Some(entry) = directory.entries.iter().find(|entry| entry.name == name) else { return false };
        let path = directory.path.join(name);
        let kind = match entry.kind {
            FileKind::Link => self.loader.context.system.stat(&path).map(|stat| stat.kind),
            kind => Some(kind),
        };
        if kind != Some(FileKind::File) || self.is_ignored(directory, name, false) {
            return false;
        }
        self.loader.take(self.start, &path);
        true
    }

    /// True if a file of this name, this deep, is a skill.
    fn counts(&self, name: &[u8], depth: usize) -> bool {
        let markdown = || name.len() > 3 && name.ends_with(b".md");
        let in_root = depth == 0;
        // Where a SKILL.md ends the walk of its directory, it was taken before the others were looked at.
        let declared = self.start.descend_always && name == SKILL_FILE.as_bytes();
        declared && !(in_root && self.start.direct)
            || in_root && self.start.direct && markdown()
            || !in_root && self.start.loose && markdown()
    }

    fn is_ignored(&mut self, directory: &WalkedDirectory<'_>, name: &OsStr, is_dir: bool) -> bool {
        if self.ignored.mark() == 0 {
            return false;
        }
        let below = format!("{}{}", directory.below, name.to_string_lossy());
        let Match::Ignore((by, line)) = self.ignored.matched(&below, is_dir) else { return false };
        self.loader.add_ignored(self.start, &directory.path.join(name), by, line);
        true
    }

    fn read_ignore_files(&mut self, directory: &WalkedDirectory<'_>) {
        for file in FILES {
            if !directory.entries.iter().any(|entry| entry.name == file) {
                continue;
            }
            let path = directory.path.join(file);
            let within = self.start.within.as_deref().map_or(ReadScope::Anywhere, ReadScope::Root);
            // Its text reaches no prompt: it can only leave something out, and each time that is reported.
            let read = match self.start.scope {
                Scope::Project => self.loader.context.open(&path, within, FILE_VARIABLE_LIMIT, Extent::Whole),
                _ => self.loader.context.system.read(&path, within, FILE_VARIABLE_LIMIT),
            };
            match read {
                Ok(read) => {
                    let shown = self.loader.context.places.source(self.start.scope, &path).path.clone();
                    let (text, prefix) = (String::from_utf8_lossy(&read.bytes), directory.below.len());
                    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                    let patterns: Vec<String> = text.lines().map(|line| pattern(line, prefix > 0)).collect();
                    let lines = (1..).zip(patterns.iter().map(String::as_str));
                    if let Err(error) = self.ignored.add(&shown, lines, prefix, true) {
                        self.note(&path, &format!("was not read: {error}"));
                    }
                }
                Err(ReadError::Missing) => {}
                Err(error) => {
                    self.note(&path, &format!("was not read: {error}"));
                }
            }
        }
    }

    fn note(&self, path: &Path, what: &str) {
        let shown = self.loader.context.places.source(self.start.scope, path).path.clone();
        let diagnostic = Diagnostic::warning(DiagnosticCode::SkillIgnored, format!("{shown} {what}"));
        self.loader.context.note(diagnostic.at(Place::file(Some(self.start.scope), shown)));
    }
}

impl WalkVisitor for SkillWalk<'_, '_> {
    fn enter(&mut self, directory: &WalkedDirectory<'_>) -> bool {
        self.marks.push(self.ignored.mark());
        self.read_ignore_files(directory);
        self.start.descend_always || !self.is_skill(directory)
    }

    fn leave(&mut self) {
        self.ignored.reset(self.marks.pop().unwrap_or_default());
    }

    fn file(&mut self, directory: &WalkedDirectory<'_>, name: &OsStr, kind: Option<FileKind>) {
        if kind == Some(FileKind::File)
            && self.counts(name.as_encoded_bytes(), directory.depth)
            && !self.is_ignored(directory, name, false)
        {
            self.loader.take(self.start, &directory.path.join(name));
        }
    }

    fn enters(&mut self, directory: &WalkedDirectory<'_>, name: &OsStr) -> bool {
        name != "node_modules" && !self.is_ignored(directory, name, true)
    }

    fn again(&mut self, path: &Path, first: &Path) -> bool {
        let first = self.loader.context.places.source(self.start.scope, first).path.clone();
        self.loader.add_duplicate(self.start, path, first);
        true
    }
}
