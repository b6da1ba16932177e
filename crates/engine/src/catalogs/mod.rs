//! Imported catalogs: import, list, compare, verify.
//!
//! A catalog is a directory in the form of the public prompt catalog. It is read and compiled once, when it is imported, and
//! stored below the user's state directory ([`preface_host::catalogs`]); a build reads no more than the texts that it uses.
//! Without the feature `catalog` nothing can be imported; catalogs that were imported before can be used.

#[cfg(feature = "catalog")]
mod compare;
#[cfg(feature = "catalog")]
mod import;
#[cfg(feature = "catalog")]
mod read_directory;
#[cfg(feature = "catalog")]
mod verify;
mod words;

#[cfg(feature = "catalog")]
pub use compare::{CatalogComparison, compare};
#[cfg(feature = "catalog")]
pub use import::{ImportReport, ImportStage, LiteralExpressions, import};
#[cfg(feature = "catalog")]
pub use preface_catalog::{
    CatalogDifference, CatalogPrompt, Likeness, PromptChange, PromptRename, VariableDifference,
};
pub use preface_host::catalogs::{
    CatalogWriteOutcome, ReplaceMode, StoredCatalog, dir, index, number, raw, remove, text, versions,
};
#[cfg(feature = "catalog")]
pub use verify::{CatalogVerification, verify};
pub use words::{WordRun, words};

use preface_core::{
    catalog::{CatalogChunk, CatalogEntry, CatalogIndex, CatalogText},
    diagnostic::Diagnostic,
};

/// Finds a prompt by its name, with or without its category, or by the name of its file, with or without its ending. The case
/// of a name does not matter, and a name that several could mean is none.
///
/// # Errors
/// `catalog/no-prompt`, with a name that is close.
pub fn find<'i>(index: &'i CatalogIndex, name: &str) -> Result<&'i CatalogEntry, Box<Diagnostic>> {
    let is_file = |entry: &&CatalogEntry| {
        entry.file == name || entry.file.strip_suffix(".md").is_some_and(|stem| stem == name)
    };
    let found = index.entry(name).or_else(|| index.prompts.iter().find(is_file));
    let name_of = |entry: &CatalogEntry| entry.name.to_lowercase();
    let short_of = |entry: &CatalogEntry| {
        name_of(entry).split_once(": ").map_or_else(String::new, |(_, name)| name.to_owned())
    };
    let only = |of: &dyn Fn(&CatalogEntry) -> String| {
        let wanted = name.to_lowercase();
        let mut matching = index.prompts.iter().filter(|entry| of(entry) == wanted);
        matching.next().filter(|_| matching.next().is_none())
    };
    found
        .or_else(|| only(&name_of))
        .or_else(|| only(&short_of))
        .ok_or_else(|| preface_host::catalogs::no_prompt(index, name))
}

/// Returns the body of a prompt with escapes decoded and expressions unchanged.
#[must_use]
pub fn body(text: &CatalogText) -> String {
    let written = text.chunks.iter().map(|chunk| match chunk {
        CatalogChunk::Text { text, .. } => text.as_str(),
        CatalogChunk::Value { written, .. } | CatalogChunk::Kept { written, .. } => written,
    });
    written.collect()
}
