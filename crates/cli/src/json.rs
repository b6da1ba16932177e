//! The JSON documents that several commands print. `docs/reference/json.md` describes the dialect.

use preface_core::diagnostic::Diagnostic;
use serde::Serialize;

/// The document of a list.
#[derive(Serialize)]
pub struct ListDocument<'a, T> {
    /// The kind of the entries.
    pub kind: &'static str,
    /// The entries, in the order of the table.
    pub entries: Vec<T>,
    /// The diagnostics of the list.
    pub diagnostics: &'a [Diagnostic],
}

impl<T> ListDocument<'_, T> {
    /// Returns the document of entries without diagnostics.
    pub fn of(kind: &'static str, entries: impl IntoIterator<Item = T>) -> Self {
        ListDocument { kind, entries: entries.into_iter().collect(), diagnostics: &[] }
    }
}
