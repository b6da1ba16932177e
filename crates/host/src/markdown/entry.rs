//! A file that was found, whatever became of it.

use super::file::{MarkdownFile, UnreadMarkdown};
use preface_core::{
    diagnostic::Diagnostics,
    extension::{EntryOrigin, Status},
    origin::Piece,
    section::Language,
};
use serde::Serialize;

/// A file of one layer. In JSON it is a row of a listing; the keys of `value` are beside its own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileEntry<V> {
    /// The name from the file's head, else from its path.
    pub name: String,
    /// The layer and path of the file.
    pub origin: EntryOrigin,
    /// True if this file is used for its name.
    pub active: bool,
    /// The valid files that it hides, the weakest layer's first.
    pub shadows: Vec<EntryOrigin>,
    /// The file that hides it.
    pub shadowed_by: Option<EntryOrigin>,
    /// The invalid file of a stronger layer that this one replaces.
    pub fallback_from: Option<EntryOrigin>,
    /// The state of the file.
    pub status: Status,
    /// The size of its file; `None` if it could not be read.
    pub bytes: Option<u64>,
    /// The diagnostics about the file.
    pub diagnostics: Diagnostics,
    /// The fields of its kind.
    #[serde(flatten)]
    pub value: V,
}

impl<V> FileEntry<V> {
    /// Returns an entry that has only a name, an origin and a value.
    pub(crate) fn new(name: String, origin: EntryOrigin, value: V) -> Self {
        FileEntry {
            name,
            origin,
            active: false,
            shadows: Vec::new(),
            shadowed_by: None,
            fallback_from: None,
            status: Status::Disabled,
            bytes: None,
            diagnostics: Diagnostics::new(),
            value,
        }
    }
}

/// An agent, output style or command of one layer.
pub type MarkdownEntry<T> = FileEntry<Markdown<T>>;

/// The part of an entry that skills do not have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Markdown<T> {
    /// The path below the directory of its kind, without `.md`.
    pub below: String,
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

impl<T> MarkdownEntry<T> {
    pub(super) fn of(name: String, file: &MarkdownFile, diagnostics: Diagnostics) -> Self {
        let entry = Self::found(name, EntryOrigin::from(file), file.below.clone());
        MarkdownEntry { bytes: Some(file.bytes), diagnostics, ..entry }
    }

    fn found(name: String, origin: EntryOrigin, below: String) -> Self {
        let value = Markdown { below, what: None, body: Vec::new(), language: Language::Verbatim };
        FileEntry::new(name, origin, value)
    }
}

impl<T> From<UnreadMarkdown> for MarkdownEntry<T> {
    fn from(unread: UnreadMarkdown) -> Self {
        let UnreadMarkdown { name, origin, below, bytes, status, diagnostics } = unread;
        MarkdownEntry { status, bytes, diagnostics, ..Self::found(name, origin, below) }
    }
}

impl From<&MarkdownFile> for EntryOrigin {
    fn from(file: &MarkdownFile) -> Self {
        EntryOrigin { scope: file.source.scope, path: file.source.path.clone() }
    }
}
