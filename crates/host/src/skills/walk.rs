//! The walk through one root: which files count as skills, in byte order of the names, depth first.

use super::{
    ignored::{FILES, pattern},
    options::SkillOptions,
};
use crate::{
    ignore_patterns::IgnorePatterns,
    provider_context::{FILE_VARIABLE_LIMIT, ProviderContext},
    system::{DirEntry, FileId, FileKind, ReadError, ReadScope},
};
use ignore::Match;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    scope::Scope,
    skill::SKILL_FILE,
};
use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

/// The most entries that a directory may have.
const MOST_ENTRIES: usize = 20_000;
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

/// A path that the walk found.
#[derive(Debug)]
pub enum SkillCandidate {
    /// A file to be read.
    File(PathBuf),
    /// A path that an ignore file leaves out.
    Ignored {
        /// The path.
        path: PathBuf,
        /// The path of the ignore file, for display.
        by: String,
        /// The line of the pattern.
        line: usize,
    },
    /// A directory that was walked before under another name.
    Again {
        /// This name.
        path: PathBuf,
        /// The other.
        first: PathBuf,
    },
}

/// A walk over a root that passes on each path it finds.
pub struct SkillWalk<'a> {
    look: &'a ProviderContext<'a>,
    options: &'a SkillOptions,
    start: &'a WalkRoot,
    ignored: IgnorePatterns,
    /// The path of the current directory below the root, with a slash at its end.
    below: String,
    walked: Vec<(PathBuf, Option<FileId>)>,
    /// The number of entries of `walked` whose id is known.
    known: usize,
    found: &'a mut dyn FnMut(SkillCandidate),
}

impl<'a> SkillWalk<'a> {
    pub fn run(
        start: &'a WalkRoot,
        options: &'a SkillOptions,
        look: &'a ProviderContext<'a>,
        found: &'a mut dyn FnMut(SkillCandidate),
    ) {
        let mut walk = SkillWalk {
            look,
            options,
            start,
            ignored: IgnorePatterns::default(),
            below: String::new(),
            walked: Vec::new(),
            known: 0,
            found,
        };
        if walk.may_enter(&start.dir) {
            walk.dir(start.dir.clone(), 0);
        }
    }

    fn dir(&mut self, dir: PathBuf, depth: usize) {
        if self.walked.len() >= MOST_DIRS {
            return;
        }
        let entries = match self.look.system.list(&dir, MOST_ENTRIES) {
            Ok(entries) => entries,
            // A missing root is no fault; something else in its place is.
            Err(ReadError::Missing) => return,
            Err(error) => {
                self.left_out(&dir, DiagnosticCode::SkillInvalid, error);
                return;
            }
        };
        self.walked.push((dir.clone(), None));
        if self.walked.len() == MOST_DIRS {
            self.note(
                &dir,
                DiagnosticCode::SkillInvalid,
                &format!("is the last: a root may have {MOST_DIRS} directories"),
            );
        }
        let mark = self.ignored.mark();
        self.read_ignore_files(&dir, &entries);
        if self.start.descend_always || !self.is_skill(&dir, &entries) {
            for entry in &entries {
                self.entry(&dir, entry, depth);
            }
        }
        self.ignored.reset(mark);
    }

    /// Takes the SKILL.md of a directory; true if it has one, so that the directory is done.
    fn is_skill(&mut self, dir: &Path, entries: &[DirEntry]) -> bool {
        let Ok(at) =
            entries.binary_search_by(|entry| entry.name.as_encoded_bytes().cmp(SKILL_FILE.as_bytes()))
        else {
            return false;
        };
        let path = dir.join(SKILL_FILE);
        if self.kind(&path, &entries[at]) != Some(FileKind::File) {
            return false;
        }
        if self.is_ignored(&path, SKILL_FILE, false) {
            return false;
        }
        (self.found)(SkillCandidate::File(path));
        true
    }

    fn entry(&mut self, dir: &Path, entry: &DirEntry, depth: usize) {
        let name = entry.name.as_encoded_bytes();
        if name.starts_with(b".") || name == b"node_modules" || entry.kind == FileKind::Special {
            return;
        }
        let counts = self.counts(name, depth);
        if entry.kind == FileKind::File && !counts {
            return;
        }
        let path = dir.join(&entry.name);
        let shown = entry.name.to_string_lossy();
        match self.kind(&path, entry) {
            Some(FileKind::File) if counts && !self.is_ignored(&path, &shown, false) => {
                (self.found)(SkillCandidate::File(path));
            }
            Some(FileKind::Dir) => {
                if self.is_ignored(&path, &shown, true) {
                    return;
                }
                if depth >= self.options.depth {
                    let limit = self.options.depth;
                    let why = format!("it lies deeper than {limit} directories");
                    self.left_out(&path, DiagnosticCode::SkillIgnored, why);
                    return;
                }
                if entry.kind == FileKind::Link {
                    if !self.may_enter(&path) {
                        return;
                    }
                    if let Some(first) = self.walked_as(&path) {
                        (self.found)(SkillCandidate::Again { path, first });
                        return;
                    }
                }
                let before = self.below.len();
                self.below.push_str(&shown);
                self.below.push('/');
                self.dir(path, depth + 1);
                self.below.truncate(before);
            }
            _ => {}
        }
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

    fn kind(&self, path: &Path, entry: &DirEntry) -> Option<FileKind> {
        match entry.kind {
            FileKind::Link => self.look.system.stat(path).map(|stat| stat.kind),
            kind => Some(kind),
        }
    }

    fn is_ignored(&mut self, path: &Path, name: &str, is_dir: bool) -> bool {
        if self.ignored.mark() == 0 {
            return false;
        }
        let before = self.below.len();
        self.below.push_str(name);
        let found = self.ignored.matched(&self.below, is_dir);
        self.below.truncate(before);
        let Match::Ignore((by, line)) = found else { return false };
        (self.found)(SkillCandidate::Ignored { path: path.to_owned(), by, line });
        true
    }

    fn read_ignore_files(&mut self, dir: &Path, entries: &[DirEntry]) {
        // Names that start with a dot come together.
        let from = entries.partition_point(|entry| entry.name.as_encoded_bytes() < b".".as_slice());
        let dotted = |entry: &&DirEntry| entry.name.as_encoded_bytes().starts_with(b".");
        if !entries[from..]
            .iter()
            .take_while(dotted)
            .any(|entry| FILES.iter().any(|file| entry.name == *file))
        {
            return;
        }
        for file in FILES {
            if !entries.iter().any(|entry| entry.name == *file) {
                continue;
            }
            let path = dir.join(file);
            let within = self.start.within.as_deref().map_or(ReadScope::Anywhere, ReadScope::Root);
            // Its text reaches no prompt: it can only leave something out, and each time that is reported.
            let read = match self.start.scope {
                Scope::Project => self.look.open(&path, within, FILE_VARIABLE_LIMIT),
                _ => self.look.system.read(&path, within, FILE_VARIABLE_LIMIT),
            };
            match read {
                Ok(read) => {
                    let shown = self.look.places.source(self.start.scope, &path).path.clone();
                    let (text, prefix) = (String::from_utf8_lossy(&read.bytes), self.below.len());
                    let patterns: Vec<String> = text.lines().map(|line| pattern(line, prefix > 0)).collect();
                    let lines = (1..).zip(patterns.iter().map(String::as_str));
                    if let Err(error) = self.ignored.add(&shown, lines, prefix, true) {
                        self.note(&path, DiagnosticCode::SkillIgnored, &format!("was not read: {error}"));
                    }
                }
                Err(ReadError::Missing) => {}
                Err(error) => {
                    self.note(&path, DiagnosticCode::SkillIgnored, &format!("was not read: {error}"));
                }
            }
        }
    }

    /// True if a directory lies where it may. Checked for roots and links only: what else lies below is inside.
    fn may_enter(&self, dir: &Path) -> bool {
        let Some(root) = &self.start.within else { return true };
        match self.look.enter(dir, root) {
            Err(error @ ReadError::Outside { .. }) => {
                self.look.note(self.look.left_out(
                    self.start.scope,
                    dir,
                    DiagnosticCode::FileOutside,
                    &error,
                ));
                false
            }
            Err(ReadError::Missing) => false,
            // What else is wrong is reported by the list.
            _ => true,
        }
    }

    /// Returns the name by which the directory that a link leads to was walked already. Ids are read only here:
    /// without links no directory is met twice.
    fn walked_as(&mut self, link: &Path) -> Option<PathBuf> {
        let id = self.look.system.stat(link)?.id?;
        for (path, known) in &mut self.walked[self.known..] {
            *known = self.look.system.stat(path).and_then(|stat| stat.id);
        }
        self.known = self.walked.len();
        let first = self.walked.iter().find(|(_, known)| *known == Some(id))?;
        Some(first.0.clone())
    }

    fn left_out(&self, path: &Path, code: DiagnosticCode, why: impl Display) {
        let shown = self.look.places.source(self.start.scope, path).path.clone();
        let diagnostic = Diagnostic::left_out(Severity::Warning, code, &shown, why);
        self.look.note(diagnostic.at(Place::file(Some(self.start.scope), shown)));
    }

    fn note(&self, path: &Path, code: DiagnosticCode, what: &str) {
        let shown = self.look.places.source(self.start.scope, path).path.clone();
        self.look.note(
            Diagnostic::warning(code, format!("{shown} {what}"))
                .at(Place::file(Some(self.start.scope), shown)),
        );
    }
}
