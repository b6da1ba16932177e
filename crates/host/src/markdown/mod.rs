//! Markdown files with a head of fields, from the three layers: agents, output styles, slash commands.
//!
//! A [`MarkdownKind`] defines where its files lie and what a head must have; `walk` finds files, `file` splits one, and [`load`] puts
//! the layers over each other: the strongest layer that has a sound file wins a name. Everything that was found is an
//! entry, whatever became of it, and nothing fails.

mod entry;
mod file;
mod walk;

pub use entry::{FileEntry, Markdown, MarkdownEntry};
pub use file::{MarkdownFile, body};
pub(crate) use file::{NO_YAML_HELP, read_by_line};

use crate::provider_context::ProviderContext;
use file::{HeadKeys, MarkdownOutcome};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    extension::{EntryOrigin, Status},
    lint::character::excerpt,
    scope::Scope,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use walk::MarkdownTree;

/// A kind of files.
#[derive(Debug)]
pub struct MarkdownKind<T> {
    /// The directory below each layer, such as `agents`.
    pub dir: &'static str,
    /// The word for one file of the kind, as messages use it.
    pub word: &'static str,
    /// The code for two files of one layer with the same name.
    pub collision: DiagnosticCode,
    /// The code for a file that a stronger layer hides.
    pub shadowed: DiagnosticCode,
    /// The layers that can have such files.
    pub layers: &'static [Scope],
    /// The keys whose value is the rest of the line, not parsed as YAML.
    pub literal: &'static [&'static str],
    /// The test for keys of the head that are read line by line.
    pub is_key: fn(&str) -> bool,
    /// The function that returns the key by which names are compared.
    pub key: fn(&str) -> String,
    /// Reads the head of a file.
    pub read: fn(&MarkdownFile) -> Result<ParsedMarkdown<T>, Box<Diagnostic>>,
}

impl<T> MarkdownKind<T> {
    fn head(&self) -> HeadKeys {
        HeadKeys { literal: self.literal, is_key: self.is_key }
    }
}

/// The contents of a valid file.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedMarkdown<T> {
    /// The name.
    pub name: String,
    /// The other fields.
    pub what: T,
    /// The diagnostics about the file.
    pub diagnostics: Diagnostics,
}

/// Finds, reads and checks the files of a kind: layer by layer, the weakest first, each sorted by path. A
/// diagnostic is reported once per build.
#[must_use]
pub fn load<T>(kind: &MarkdownKind<T>, look: &ProviderContext<'_>) -> Vec<MarkdownEntry<T>> {
    let before = look.diagnostics.borrow().len();
    let mut entries = Vec::new();
    for scope in kind.layers {
        match scope {
            Scope::Bundled => load_bundle(kind, look, &mut entries),
            scope => load_layer(kind, *scope, look, &mut entries),
        }
    }
    settle(kind, &mut entries, look);
    remove_repeated(before, look);
    entries
}

/// Removes the diagnostics added since `before` that had been reported already.
pub(crate) fn remove_repeated(before: usize, look: &ProviderContext<'_>) {
    let mut diagnostics = look.diagnostics.borrow_mut();
    let new = diagnostics.split_off(before);
    let new: Diagnostics = new.into_iter().filter(|diagnostic| !diagnostics.contains(diagnostic)).collect();
    diagnostics.extend(new);
}

/// Returns an untrusted text on one line for a message.
pub(crate) fn shown(text: &str) -> String {
    excerpt(text, 200)
}

fn load_bundle<T>(kind: &MarkdownKind<T>, look: &ProviderContext<'_>, entries: &mut Vec<MarkdownEntry<T>>) {
    let Some(bundle) = look.bundle else { return };
    let folder = format!("bundles/{bundle}/{}/", kind.dir);
    for path in look.system.bundled_list(&folder) {
        let Some(below) = path[folder.len()..].strip_suffix(".md").filter(|below| !below.contains('/'))
        else {
            continue;
        };
        let Some(bytes) = look.system.bundled(&path) else { continue };
        let reading = file::of_bundle(&path, below, &bytes, kind.head(), look);
        entries.push(entry(kind, reading, look));
    }
}

/// The most text that the files of one kind have together in a layer.
const MOST_BYTES: usize = 16 << 20;

fn load_layer<T>(
    kind: &MarkdownKind<T>,
    scope: Scope,
    look: &ProviderContext<'_>,
    entries: &mut Vec<MarkdownEntry<T>>,
) {
    let Some(dir) = root(scope, look).map(|root| root.join(kind.dir)) else { return };
    let within = within(scope, look);
    let mut room = MOST_BYTES;
    for found in MarkdownTree::walk(scope, &dir, within, look) {
        let Some(reading) = file::of_layer(scope, &found, kind.head(), look) else {
            continue;
        };
        let entry = entry(kind, reading, look);
        let bytes = entry.value.body.iter().map(|piece| piece.text.len()).sum();
        let Some(left) = room.checked_sub(bytes) else {
            let what = format!(
                "{} holds more than {} MiB of text; what comes after it by name was left out",
                look.places.shown(&dir),
                MOST_BYTES >> 20
            );
            look.note(
                Diagnostic::warning(DiagnosticCode::MarkdownTooMany, what)
                    .help("move what is not needed out of it"),
            );
            break;
        };
        room = left;
        entries.push(entry);
    }
}

/// The directory of a layer, where it may be looked into.
fn root(scope: Scope, look: &ProviderContext<'_>) -> Option<PathBuf> {
    match scope {
        Scope::Global => look.places.global.clone(),
        Scope::Project if look.gate.allows_layer() => look.places.project.clone(),
        _ => None,
    }
}

/// The directory that links may not lead out of; `None` for the user's own files.
fn within<'l>(scope: Scope, look: &'l ProviderContext<'_>) -> Option<&'l Path> {
    (scope == Scope::Project).then(|| look.layer_root())
}

fn entry<T>(
    kind: &MarkdownKind<T>,
    reading: MarkdownOutcome,
    look: &ProviderContext<'_>,
) -> MarkdownEntry<T> {
    match reading {
        MarkdownOutcome::Unread(unread) => unread.into(),
        MarkdownOutcome::File(file) => match (kind.read)(&file) {
            Ok(parsed) => {
                look.diagnostics.borrow_mut().extend(parsed.diagnostics.iter().cloned());
                let mut entry = MarkdownEntry::of(parsed.name, &file, parsed.diagnostics);
                entry.status = Status::Ok;
                (entry.value.what, entry.value.body) = (Some(parsed.what), file.body);
                entry.value.language = file.language;
                entry
            }
            Err(diagnostic) => {
                let Diagnostic { severity, code, message, .. } = &*diagnostic;
                let message = Diagnostic::left_out(*severity, *code, &file.source.path, message).message;
                let diagnostic = Box::new(Diagnostic { message, ..*diagnostic });
                look.note((*diagnostic).clone());
                MarkdownEntry::of(file.own_name(), &file, vec![*diagnostic])
            }
        },
    }
}

/// Decides which entry of a name is active.
fn settle<T>(kind: &MarkdownKind<T>, entries: &mut [MarkdownEntry<T>], look: &ProviderContext<'_>) {
    let mut names: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        names.entry((kind.key)(&entry.name)).or_default().push(at);
    }
    for same in names.into_values() {
        let is_sound = |entry: &MarkdownEntry<T>, scope: Scope| {
            entry.status == Status::Ok && entry.origin.scope == scope
        };
        let has_own = same.iter().any(|at| is_sound(&entries[*at], Scope::Global));
        for at in same.iter().filter(|_| has_own) {
            if is_sound(&entries[*at], Scope::Project) {
                require_grant(kind, &mut entries[*at], look);
            }
        }
        let sound = |at: &&usize| entries[**at].status == Status::Ok;
        let Some(strongest) = same.iter().filter(sound).map(|at| entries[*at].origin.scope).max() else {
            continue;
        };
        let wins = |at: &&usize| entries[**at].origin.scope == strongest;
        let Some(&winner) = same.iter().filter(sound).find(wins) else { continue };
        let origin = entries[winner].origin.clone();
        for at in same.into_iter().filter(|at| *at != winner) {
            let other = &mut entries[at];
            let from: EntryOrigin = other.origin.clone();
            if other.status != Status::Ok {
                if other.status == Status::Disabled && from.scope > origin.scope {
                    entries[winner].fallback_from = Some(from);
                }
                continue;
            }
            other.shadowed_by = Some(origin.clone());
            let diagnostic = shadow_diagnostic(kind, &other.name, &from, &origin);
            other.diagnostics.push(diagnostic.clone());
            look.note(diagnostic);
            entries[winner].shadows.push(from);
        }
        entries[winner].active = true;
    }
}

/// Leaves a file of the project out that has the name of one of the user's, unless it is granted.
fn require_grant<T>(kind: &MarkdownKind<T>, entry: &mut MarkdownEntry<T>, look: &ProviderContext<'_>) {
    let Some(dir) = root(Scope::Project, look).map(|root| root.join(kind.dir)) else { return };
    let path = dir.join(format!("{}.md", entry.value.below));
    let before = look.diagnostics.borrow().len();
    if !look.may_replace(&file::request(Scope::Project, &path, look)) {
        entry.status = Status::Untrusted;
        entry.diagnostics.extend(look.diagnostics.borrow()[before..].iter().cloned());
    }
}

/// Two files of one layer with one name are a mistake; a stronger layer's is there to win.
fn shadow_diagnostic<T>(
    kind: &MarkdownKind<T>,
    name: &str,
    loser: &EntryOrigin,
    winner: &EntryOrigin,
) -> Diagnostic {
    let (name, word) = (shown(name), kind.word);
    let place = Place::file(Some(loser.scope), loser.path.clone());
    if loser.scope == winner.scope {
        let what = format!("duplicate {word}: `{name}`: {} is used, {} is not", winner.path, loser.path);
        return Diagnostic::warning(kind.collision, what).at(place).help("rename one of them");
    }
    let what = format!("{word} `{name}` of {} is hidden by {}", loser.path, winner.path);
    Diagnostic::info(kind.shadowed, what).at(place)
}
