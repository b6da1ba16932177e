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
    provider::context::{CONTEXT_FILE_LIMIT, ProviderContext},
    system::FileKind,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    extension::{Status, select_active},
    origin::Piece,
    skill::command,
};
use roots::SwitchedOff;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use walk::{SkillWalk, WalkRoot};

/// Finds, reads and checks the skills. What is wrong, hidden or left out is an entry and a diagnostic; nothing fails.
#[must_use]
pub fn load(options: &SkillOptions, context: &ProviderContext<'_>) -> Vec<SkillEntry> {
    let mut loader = Loader {
        context,
        options,
        switched_off: SwitchedOff::read(options, context),
        entries: Vec::new(),
        names: BTreeSet::new(),
        files: BTreeMap::new(),
    };
    for (start, by) in roots::discover(options, context) {
        match by {
            Some(by) => loader.path(&start, &by),
            None => SkillWalk::run(&start, &mut loader),
        }
    }
    for (path, by) in roots::explicit_paths(options, context) {
        loader.path(&roots::explicit_start(&path, context), &by);
    }
    loader.finish()
}

/// Expands `/skill:NAME ARGS`, hidden skills too. Returns `None` if the text is no such command, names no
/// skill, or the file cannot be read any more, which is reported.
#[must_use]
pub fn expand(text: &str, entries: &[SkillEntry], context: &ProviderContext<'_>) -> Option<String> {
    let command_line = command::read(text)?;
    let entry = entries.iter().find(|entry| entry.active && entry.name == command_line.name)?;
    let loaded = entry.value.loaded.as_ref()?;
    let wanted = read::request(entry.origin.scope, &loaded.path, loaded.within.as_deref(), context);
    let wanted = crate::provider::context::ReadRequest { code: Some(DiagnosticCode::HookError), ..wanted };
    let before = context.diagnostics.borrow().len();
    let Some(file) = context.read(&wanted) else {
        if context.diagnostics.borrow().len() == before {
            let what = format!("skill_expansion: {} is not there any more", entry.origin.path);
            context.note(Diagnostic::warning(DiagnosticCode::HookError, what));
        }
        return None;
    };
    let text = String::from_utf8_lossy(&file.bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Some(command::expand(&entry.name, &entry.value.location, text, command_line.args))
}

/// Reads the text of a valid skill without its head. Returns `None` if it cannot be read any more, with a
/// diagnostic unless the file is gone.
#[must_use]
pub fn body(entry: &SkillEntry, context: &ProviderContext<'_>) -> Option<Vec<Piece>> {
    let loaded = entry.value.loaded.as_ref()?;
    let wanted = read::request(entry.origin.scope, &loaded.path, loaded.within.as_deref(), context);
    let file = context.read(&wanted)?;
    Some(markdown::body(context.decoded(entry.origin.scope, &loaded.path, &file)))
}

/// Returns whether a skill may take the place of one of the user's: a project's by a grant alone.
#[must_use]
pub(crate) fn may_replace(entry: &SkillEntry, own: &SkillEntry, context: &ProviderContext<'_>) -> bool {
    let Some(loaded) = entry.value.loaded.as_ref().filter(|_| entry.origin.scope > own.origin.scope) else {
        return true;
    };
    context.may_replace(&read::request(entry.origin.scope, &loaded.path, loaded.within.as_deref(), context))
}

/// The entries that were read so far.
struct Loader<'a> {
    context: &'a ProviderContext<'a>,
    options: &'a SkillOptions,
    switched_off: Vec<SwitchedOff>,
    entries: Vec<SkillEntry>,
    /// The names that are taken.
    names: BTreeSet<String>,
    /// The paths of the skills that are used, for display, by real path.
    files: BTreeMap<PathBuf, String>,
}

impl Loader<'_> {
    /// Takes an explicit path, which is a file or a directory.
    fn path(&mut self, start: &WalkRoot, by: &str) {
        let path = &start.dir;
        let wrong = |what: &str| {
            let shown = self.context.places.source(start.scope, path).path.clone();
            let diagnostic = Diagnostic::warning(DiagnosticCode::SkillInvalid, what)
                .at(Place::file(Some(start.scope), shown));
            self.context.note(diagnostic.help(format!("named by {by}")));
        };
        match self.context.system.stat(path).map(|stat| stat.kind) {
            None => wrong("skill path does not exist"),
            Some(FileKind::Dir) => SkillWalk::run(start, self),
            Some(FileKind::File) if path.as_os_str().as_encoded_bytes().ends_with(b".md") => {
                self.take(start, path);
            }
            Some(_) => wrong("skill path is not a markdown file"),
        }
    }

    fn take(&mut self, start: &WalkRoot, path: &Path) {
        if let Some(off) = self.switched_off.iter().find(|off| off.matches(start.scope, path)) {
            let (by, line) = (off.place.path.clone(), off.place.line.unwrap_or_default());
            return self.add_ignored(start, path, by, line);
        }
        let Some(entry) = read::read(start, path, self.options, self.context) else { return };
        if entry.status != Status::Ok {
            self.entries.push(entry);
            return;
        }
        let real = self.context.real(path);
        if let Some(first) = self.files.get(&real) {
            let first = first.clone();
            return self.add_duplicate(start, path, first);
        }
        if self.names.insert(entry.name.clone()) {
            self.files.insert(real, entry.origin.path.clone());
        }
        self.entries.push(entry);
    }

    fn add_ignored(&mut self, start: &WalkRoot, path: &Path, by: String, line: usize) {
        let mut entry = read::unread(start, path, self.context);
        let diagnostic = Diagnostic::info(
            DiagnosticCode::SkillIgnored,
            format!("{} was left out by {by}:{line}", entry.origin.path),
        );
        let mut place = Place::file(Some(start.scope), by.clone());
        place.line = Some(line);
        self.context.note(diagnostic.at(place));
        entry.value.left_out = Some(SkillOmission::Ignored { path: by, line });
        self.entries.push(entry);
    }

    fn add_duplicate(&mut self, start: &WalkRoot, path: &Path, first: String) {
        let mut entry = read::unread(start, path, self.context);
        if entry.origin.path == first {
            // Named twice, it is one file all the same.
            return;
        }
        let path = &entry.origin.path;
        let why = format!("it is the same as {first}");
        let diagnostic = Diagnostic::left_out(Severity::Info, DiagnosticCode::SkillDuplicate, path, why);
        self.context.note(diagnostic.at(Place::file(Some(start.scope), path.clone())));
        entry.value.left_out = Some(SkillOmission::Duplicate { path: first });
        self.entries.push(entry);
    }

    fn finish(mut self) -> Vec<SkillEntry> {
        let mut names: BTreeMap<String, Vec<&mut SkillEntry>> = BTreeMap::new();
        for entry in self.entries.iter_mut().rev().filter(|entry| entry.value.left_out.is_none()) {
            names.entry(entry.name.clone()).or_default().push(entry);
        }
        for same in names.values_mut() {
            select_active(same, false, &|_, _| true);
        }
        // Reported after all other diagnostics.
        for entry in &mut self.entries {
            let Some(winner) = &entry.shadowed_by else { continue };
            let what = format!("name \"{}\" collision", shown(&entry.name));
            let help = format!("{} is used, {} is not; rename one of them", winner.path, entry.origin.path);
            let diagnostic = Diagnostic::warning(DiagnosticCode::ScopeCollision, what);
            let diagnostic = diagnostic.at(entry.place()).help(help);
            self.context.note(diagnostic.clone());
            entry.diagnostics.push(diagnostic);
        }
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
