//! Markdown files with a head of fields, from the three layers: agents, output styles, slash commands.
//!
//! A [`MarkdownKind`] defines where its files lie and what a head must have; `walk` finds files, `file` splits one, and [`load`] puts
//! the layers over each other: the strongest layer that has a sound file wins a name. Everything that was found is an
//! entry, whatever became of it, and nothing fails.

mod file;
mod walk;

pub use file::{MarkdownFile, body};
pub(crate) use file::{NO_YAML_HELP, read_by_line, read_file};
pub(crate) use walk::MarkdownPaths;

use crate::{extensions::roots, provider::context::ProviderContext};
use file::ReadMarkdown;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy},
    extension::{Entry, EntryOrigin, Status, select_active},
    lint::character::excerpt,
    origin::Piece,
    scope::Scope,
    section::Language,
    suggestion::did_you_mean,
};
use serde::Serialize;
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// An agent, output style or command of one layer.
pub type MarkdownEntry<T> = Entry<Markdown<T>>;

/// Returns the active entries by name, at most so many: a project's give way to those of the user.
pub(crate) fn active<T>(entries: &[MarkdownEntry<T>], most: usize) -> Vec<&MarkdownEntry<T>> {
    let mut active: Vec<_> = entries.iter().filter(|entry| entry.active).collect();
    active.sort_by_key(|entry| (Reverse(entry.origin.scope.entry_rank()), entry.name.as_str()));
    active.truncate(most);
    active.sort_by(|a, b| a.name.cmp(&b.name));
    active
}

/// Returns the help for a name that no active entry has: a name that is nearly the same, else the list of the kind.
#[must_use]
pub fn help_for_unknown<T>(name: &str, entries: &[MarkdownEntry<T>], kind: &str) -> Remedy {
    let names = entries.iter().filter(|entry| entry.active).map(|entry| entry.name.as_str());
    match did_you_mean(name, names) {
        Some(near) => format!("did you mean `{}`?", shown(near)).into(),
        None => Remedy::list(kind),
    }
}

/// The fields of an entry that only such files have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Markdown<T> {
    /// The path below the directory of its kind, without `.md`.
    pub below: String,
    /// The size of the file; `None` if it could not be read.
    pub bytes: Option<u64>,
    /// The contents of the head; `None` if the file is not valid.
    #[serde(flatten)]
    pub what: Option<T>,
    /// The text after the head, trimmed and otherwise unchanged.
    #[serde(skip)]
    pub body: Vec<Piece>,
    /// The language of the text: bundled files are templates.
    #[serde(skip)]
    pub language: Language,
}

/// A kind of files.
#[derive(Debug)]
pub struct MarkdownKind<T> {
    /// The directory below each layer, such as `agents`.
    pub dir: &'static str,
    /// The word for one file of the kind, as messages use it.
    pub word: &'static str,
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
pub fn load<T>(kind: &MarkdownKind<T>, context: &ProviderContext<'_>) -> Vec<MarkdownEntry<T>> {
    let before = context.diagnostics.borrow().len();
    let mut entries = Vec::new();
    for scope in kind.layers {
        match scope {
            Scope::Bundled => load_bundle(kind, context, &mut entries),
            scope => load_layer(kind, *scope, context, &mut entries),
        }
    }
    settle(kind, &mut entries, context);
    remove_repeated(before, context);
    entries
}

/// Removes the diagnostics added since `before` that had been reported already.
pub(crate) fn remove_repeated(before: usize, context: &ProviderContext<'_>) {
    let mut diagnostics = context.diagnostics.borrow_mut();
    let new = diagnostics.split_off(before);
    let new: Diagnostics = new.into_iter().filter(|diagnostic| !diagnostics.contains(diagnostic)).collect();
    diagnostics.extend(new);
}

/// Returns an untrusted text on one line for a message.
pub(crate) fn shown(text: &str) -> String {
    excerpt(text, 200)
}

fn load_bundle<T>(
    kind: &MarkdownKind<T>,
    context: &ProviderContext<'_>,
    entries: &mut Vec<MarkdownEntry<T>>,
) {
    let Some(bundle) = context.bundle else { return };
    let folder = format!("bundles/{bundle}/{}/", kind.dir);
    for path in context.system.bundled_list(&folder) {
        let Some(below) = path[folder.len()..].strip_suffix(".md").filter(|below| !below.contains('/'))
        else {
            continue;
        };
        let Some(bytes) = context.system.bundled(&path) else { continue };
        let reading = file::of_bundle(&path, below, &bytes, kind, context);
        entries.push(entry(kind, reading, context));
    }
}

/// The most text that the files of one kind have together in a layer.
const MOST_BYTES: usize = 16 << 20;

fn load_layer<T>(
    kind: &MarkdownKind<T>,
    scope: Scope,
    context: &ProviderContext<'_>,
    entries: &mut Vec<MarkdownEntry<T>>,
) {
    let Some(dir) = root(scope, context).map(|root| root.join(kind.dir)) else { return };
    let within = within(scope, context);
    let mut room = MOST_BYTES;
    for found in walk::walk(scope, &dir, within, context) {
        let Some(reading) = file::of_layer(scope, &found, kind, context) else {
            continue;
        };
        let entry = entry(kind, reading, context);
        let bytes = entry.value.body.iter().map(|piece| piece.text.len()).sum();
        let Some(left) = room.checked_sub(bytes) else {
            let what = format!(
                "{} holds more than {} MiB of text; what comes after it by name was left out",
                context.places.shown(&dir),
                MOST_BYTES >> 20
            );
            context.note(
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
fn root(scope: Scope, context: &ProviderContext<'_>) -> Option<PathBuf> {
    roots(context).into_iter().find_map(|(of, root)| (of == scope).then_some(root))
}

/// The directory that links may not lead out of; `None` for the user's own files.
fn within<'l>(scope: Scope, context: &'l ProviderContext<'_>) -> Option<&'l Path> {
    (scope == Scope::Project).then(|| context.layer_root())
}

fn entry<T>(
    kind: &MarkdownKind<T>,
    reading: ReadMarkdown<T>,
    context: &ProviderContext<'_>,
) -> MarkdownEntry<T> {
    let file = match reading {
        Ok(file) => file,
        Err(entry) => return *entry,
    };
    match (kind.read)(&file) {
        Ok(parsed) => {
            context.diagnostics.borrow_mut().extend(parsed.diagnostics.iter().cloned());
            let mut entry = file.entry(parsed.name, parsed.diagnostics);
            entry.status = Status::Ok;
            (entry.value.what, entry.value.body) = (Some(parsed.what), file.body);
            entry.value.language = file.language;
            entry
        }
        Err(diagnostic) => {
            let Diagnostic { severity, code, message, .. } = &*diagnostic;
            let message = Diagnostic::left_out(*severity, *code, &file.source.path, message).message;
            let diagnostic = Diagnostic { message, ..*diagnostic };
            context.note(diagnostic.clone());
            file.entry(file.own_name(), vec![diagnostic])
        }
    }
}

/// Decides which entry of a name is active.
fn settle<T>(kind: &MarkdownKind<T>, entries: &mut [MarkdownEntry<T>], context: &ProviderContext<'_>) {
    let mut names: BTreeMap<String, Vec<&mut MarkdownEntry<T>>> = BTreeMap::new();
    // Of two files of one layer the first is used.
    for entry in entries.iter_mut().rev() {
        names.entry((kind.key)(&entry.name)).or_default().push(entry);
    }
    for mut same in names.into_values() {
        same.sort_by_key(|entry| (entry.origin.scope, entry.status == Status::Ok));
        let is_valid = |entry: &MarkdownEntry<T>, scope: Scope| {
            entry.status == Status::Ok && entry.origin.scope == scope
        };
        if same.iter().any(|entry| is_valid(entry, Scope::Global)) {
            let of_project = same.iter_mut().filter(|entry| is_valid(entry, Scope::Project));
            of_project.for_each(|entry| require_grant(kind, entry, context));
        }
        select_active(&mut same, false, &|_, _| true);
        for entry in same.into_iter().rev() {
            let Some(winner) = &entry.shadowed_by else { continue };
            let diagnostic = shadow_diagnostic(kind, entry, winner);
            context.note(diagnostic.clone());
            entry.diagnostics.push(diagnostic);
        }
    }
}

/// Leaves a file of the project out that has the name of one of the user's, unless it is granted.
fn require_grant<T>(kind: &MarkdownKind<T>, entry: &mut MarkdownEntry<T>, context: &ProviderContext<'_>) {
    let Some(dir) = root(Scope::Project, context).map(|root| root.join(kind.dir)) else { return };
    let path = dir.join(format!("{}.md", entry.value.below));
    let before = context.diagnostics.borrow().len();
    if !context.may_replace(&file::request(Scope::Project, &path, context)) {
        entry.status = Status::Untrusted;
        entry.diagnostics.extend(context.diagnostics.borrow()[before..].iter().cloned());
    }
}

/// Two files of one layer with one name are a mistake; a stronger layer's is there to win.
fn shadow_diagnostic<T>(
    kind: &MarkdownKind<T>,
    loser: &MarkdownEntry<T>,
    winner: &EntryOrigin,
) -> Diagnostic {
    let (name, word, path) = (shown(&loser.name), kind.word, &loser.origin.path);
    let diagnostic = if loser.origin.scope == winner.scope {
        let what = format!("duplicate {word}: `{name}`: {} is used, {path} is not", winner.path);
        Diagnostic::warning(DiagnosticCode::ScopeCollision, what).help("rename one of them")
    } else {
        let what = format!("{word} `{name}` of {path} is hidden by {}", winner.path);
        Diagnostic::info(DiagnosticCode::ScopeShadows, what)
    };
    diagnostic.at(loser.place())
}
