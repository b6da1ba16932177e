//! Imported catalogs: import and list.
//!
//! A catalog is a directory in the form of the public prompt catalog. It is read and converted to templates once, when it is
//! imported, and stored below the user's state directory ([`preface_host::catalogs`]).
//! Without the feature `catalog` nothing can be imported; catalogs that were imported before can be used.

#[cfg(feature = "catalog")]
mod import;
#[cfg(feature = "catalog")]
mod read_directory;

#[cfg(feature = "catalog")]
pub use import::{ImportReport, ImportStage, import};
pub use preface_host::catalogs::{
    CatalogWriteOutcome, ReplaceMode, StoredCatalog, dir, index, number, remove, versions,
};

use preface_core::{
    catalog::{CatalogEntry, CatalogIndex},
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
