//! The one loader of skills: which there are, in which order, and which of them has a name.
//!
//! [`options`] holds what differs between readers of skills, `walk` finds files, `read` reads one, and here the roots
//! are put in their order: the first skill of a name wins. The prompt, the listing and `/skill:NAME` use only this.

mod entry;
mod ignored;
pub mod options;
mod read;
mod roots;
mod walk;

pub use entry::{LoadedSkill, SkillEntry, SkillFile, SkillOmission};
pub use options::SkillOptions;

use crate::{
    markdown::{self, shown},
    provider_context::{CONTEXT_FILE_LIMIT, ProviderContext},
    system::FileId,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    extension::{EntryOrigin, Status},
    origin::Piece,
    skill::command,
};
use read::IdentifiedSkill;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use walk::{SkillCandidate, SkillWalk, WalkRoot};

/// Finds, reads and checks the skills. What is wrong, hidden or left out is an entry and a diagnostic; nothing fails.
#[must_use]
pub fn load(options: &SkillOptions, look: &ProviderContext<'_>) -> Vec<SkillEntry> {
    let mut loader = Loader {
        look,
        options,
        entries: Vec::new(),
        names: BTreeMap::new(),
        files: BTreeMap::new(),
        collisions: Vec::new(),
    };
    for (start, by) in roots::discover(options, look) {
        match by {
            Some(by) => loader.path(&start, &by),
            None => loader.root(&start),
        }
    }
    for (path, by) in roots::explicit_paths(options, look) {
        loader.path(&roots::explicit_start(&path, look), &by);
    }
    loader.finish()
}

/// Expands `/skill:NAME ARGS`, hidden skills too. Returns `None` if the text is no such command, names no
/// skill, or the file cannot be read any more, which is reported.
#[must_use]
pub fn expand(text: &str, entries: &[SkillEntry], look: &ProviderContext<'_>) -> Option<String> {
    let command_line = command::read(text)?;
    let entry = entries.iter().find(|entry| entry.active && entry.name == command_line.name)?;
    let loaded = entry.value.loaded.as_ref()?;
    let wanted = read::request(entry.origin.scope, &loaded.path, loaded.within.as_deref(), look);
    let wanted = crate::provider_context::ReadRequest { code: Some(DiagnosticCode::HookError), ..wanted };
    let before = look.diagnostics.borrow().len();
    let Some(file) = look.read(&wanted) else {
        if look.diagnostics.borrow().len() == before {
            let what = format!("skill_expansion: {} is not there any more", entry.origin.path);
            look.note(Diagnostic::warning(DiagnosticCode::HookError, what));
        }
        return None;
    };
    let text = String::from_utf8_lossy(&file.bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Some(command::expand(&loaded.skill, text, command_line.args))
}

/// Reads the text of a valid skill without its head. Returns `None` if it cannot be read any more, with a
/// diagnostic unless the file is gone.
#[must_use]
pub fn body(entry: &SkillEntry, look: &ProviderContext<'_>) -> Option<Vec<Piece>> {
    let loaded = entry.value.loaded.as_ref()?;
    let wanted = read::request(entry.origin.scope, &loaded.path, loaded.within.as_deref(), look);
    let file = look.read(&wanted)?;
    Some(markdown::body(look.decoded(entry.origin.scope, &loaded.path, &file)))
}

/// Returns whether a skill may take the place of one of the user's: a project's by a grant alone.
#[must_use]
pub(crate) fn may_replace(entry: &SkillEntry, own: &SkillEntry, look: &ProviderContext<'_>) -> bool {
    let Some(loaded) = entry.value.loaded.as_ref().filter(|_| entry.origin.scope > own.origin.scope) else {
        return true;
    };
    look.may_replace(&read::request(entry.origin.scope, &loaded.path, loaded.within.as_deref(), look))
}

/// The entries that were read so far.
struct Loader<'a> {
    look: &'a ProviderContext<'a>,
    options: &'a SkillOptions,
    entries: Vec<SkillEntry>,
    /// The index of the entry that is used for a name.
    names: BTreeMap<String, usize>,
    /// The index of the entry of a real file.
    files: BTreeMap<FileId, usize>,
    /// Reported after all other diagnostics.
    collisions: Vec<Diagnostic>,
}

impl Loader<'_> {
    fn root(&mut self, start: &WalkRoot) {
        let (look, options) = (self.look, self.options);
        SkillWalk::run(start, options, look, &mut |candidate| match candidate {
            SkillCandidate::File(path) => self.take(start, &path),
            SkillCandidate::Ignored { path, by, line } => self.add_ignored(start, &path, by, line),
            SkillCandidate::Again { path, first } => {
                let first = look.places.source(start.scope, &first).path.clone();
                self.add_duplicate(start, &path, first);
            }
        });
    }

    /// Takes an explicit path, which is a file or a directory.
    fn path(&mut self, start: &WalkRoot, by: &str) {
        let path = &start.dir;
        let wrong = |what: &str| {
            let shown = self.look.places.source(start.scope, path).path.clone();
            let diagnostic = Diagnostic::warning(DiagnosticCode::SkillInvalid, what)
                .at(Place::file(Some(start.scope), shown));
            self.look.note(diagnostic.help(format!("named by {by}")));
        };
        match self.look.system.stat(path).map(|stat| stat.kind) {
            None => wrong("skill path does not exist"),
            Some(crate::system::FileKind::Dir) => self.root(start),
            Some(crate::system::FileKind::File) if path.as_os_str().as_encoded_bytes().ends_with(b".md") => {
                self.take(start, path);
            }
            Some(_) => wrong("skill path is not a markdown file"),
        }
    }

    fn take(&mut self, start: &WalkRoot, path: &Path) {
        let Some(IdentifiedSkill { mut entry, id }) = read::read(start, path, self.options, self.look) else {
            return;
        };
        if entry.status != Status::Ok {
            self.entries.push(entry);
            return;
        }
        if let Some(first) = id.and_then(|id| self.files.get(&id))
            && let Some(first) = self.same_file(*first, path)
        {
            self.add_duplicate(start, path, first);
            return;
        }
        let at = self.entries.len();
        if let Some(&winner) = self.names.get(&entry.name) {
            let winner_path = self.entries[winner].origin.path.clone();
            let name = shown(&entry.name);
            let loser = entry.origin.path.clone();
            self.collisions.push(
                Diagnostic::warning(DiagnosticCode::SkillCollision, format!("name \"{name}\" collision"))
                    .at(Place::file(Some(entry.origin.scope), loser.clone()))
                    .help(format!("{winner_path} is used, {loser} is not; rename one of them")),
            );
            entry.shadowed_by = Some(self.entries[winner].origin.clone());
            self.entries[winner].shadows.push(entry.origin.clone());
        } else {
            entry.active = true;
            self.names.insert(entry.name.clone(), at);
            if let Some(id) = id {
                self.files.insert(id, at);
            }
        }
        self.entries.push(entry);
    }

    /// Two names of one inode may be two hard links, which are two files.
    fn same_file(&self, first: usize, path: &Path) -> Option<String> {
        let first = &self.entries[first];
        let known = &first.value.loaded.as_ref()?.path;
        let system = self.look.system;
        (known == path || system.canonical(known).ok()? == system.canonical(path).ok()?)
            .then(|| first.origin.path.clone())
    }

    fn add_ignored(&mut self, start: &WalkRoot, path: &Path, by: String, line: usize) {
        let mut entry = read::unread(start, path, self.look);
        let diagnostic = Diagnostic::info(
            DiagnosticCode::SkillIgnored,
            format!("{} was left out by {by}:{line}", entry.origin.path),
        );
        let mut place = Place::file(Some(start.scope), by.clone());
        place.line = Some(line);
        self.look.note(diagnostic.at(place));
        entry.value.left_out = Some(SkillOmission::Ignored { path: by, line });
        self.entries.push(entry);
    }

    fn add_duplicate(&mut self, start: &WalkRoot, path: &Path, first: String) {
        let mut entry = read::unread(start, path, self.look);
        if entry.origin.path == first {
            // Named twice, it is one file all the same.
            return;
        }
        let path = &entry.origin.path;
        let why = format!("it is the same as {first}");
        let diagnostic = Diagnostic::left_out(Severity::Info, DiagnosticCode::SkillDuplicate, path, why);
        self.look.note(diagnostic.at(Place::file(Some(start.scope), path.clone())));
        entry.value.left_out = Some(SkillOmission::Duplicate { path: first });
        self.entries.push(entry);
    }

    fn finish(mut self) -> Vec<SkillEntry> {
        for at in 0..self.entries.len() {
            let broken = &self.entries[at];
            if broken.status == Status::Disabled
                && broken.value.left_out.is_none()
                && let Some(&winner) = self.names.get(&broken.name)
                && winner > at
            {
                let origin: EntryOrigin = broken.origin.clone();
                self.entries[winner].fallback_from.get_or_insert(origin);
            }
        }
        self.look.diagnostics.borrow_mut().append(&mut self.collisions);
        self.entries
    }
}

/// The most that is read of a skill.
const SKILL_LIMIT: u64 = CONTEXT_FILE_LIMIT;

/// Returns the name of a file's directory.
fn directory_name(path: &Path) -> String {
    let dir = path.parent().and_then(Path::file_name);
    dir.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns the directory of a file.
fn directory(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}
