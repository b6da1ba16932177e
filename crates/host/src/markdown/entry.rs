//! A file that was found, whatever became of it.

use super::file::{MarkdownFile, Unread};
use preface_core::{
    diagnostic::Diagnostics,
    extension::{EntryOrigin, Status},
    origin::Piece,
    section::Language,
};
use serde::Serialize;

/// A file of one layer. In JSON it is a row of a listing, and what it brings is beside these keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileEntry<V> {
    /// Its name: the one that it gives itself, else that of its file.
    pub name: String,
    /// Where it comes from.
    pub origin: EntryOrigin,
    /// True where this one answers to its name.
    pub active: bool,
    /// The sound files that it hides, the weakest layer's first.
    pub shadows: Vec<EntryOrigin>,
    /// The file that hides it.
    pub shadowed_by: Option<EntryOrigin>,
    /// The broken file of a stronger layer that it stays active in spite of.
    pub fallback_from: Option<EntryOrigin>,
    /// How it fared.
    pub status: Status,
    /// The size of its file; `None` where it could not be read.
    pub bytes: Option<u64>,
    /// What came up about it.
    pub diagnostics: Diagnostics,
    /// What it brings.
    #[serde(flatten)]
    pub value: V,
}

impl<V> FileEntry<V> {
    /// Returns the entry of a file of which nothing is known yet.
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
    /// Its path below the directory of its kind, without `.md`.
    pub below: String,
    /// What it says; `None` where it is not sound.
    #[serde(flatten)]
    pub what: Option<T>,
    /// Its text, after the head; trimmed, otherwise as it stands in the file.
    #[serde(skip)]
    pub body: Vec<Piece>,
    /// How that text is read: what is bundled is a template.
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

impl<T> From<Unread> for MarkdownEntry<T> {
    fn from(unread: Unread) -> Self {
        let Unread { name, origin, below, bytes, status, notes } = unread;
        MarkdownEntry { status, bytes, diagnostics: notes, ..Self::found(name, origin, below) }
    }
}

impl From<&MarkdownFile> for EntryOrigin {
    fn from(file: &MarkdownFile) -> Self {
        EntryOrigin { scope: file.source.scope, path: file.source.path.clone() }
    }
}
