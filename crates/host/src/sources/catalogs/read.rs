//! Reads and lists stored catalogs.

use super::{CATALOGS_LIMIT, ENDING, STORED_LIMIT, catalog_file, dir, names::number, place};
use crate::system::{ReadError, ReadScope, System};
use preface_core::{
    catalog::{CatalogEntry, CatalogIndex, INDEX_FORMAT},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy},
    lint::hidden::escape_hidden,
    prompt::fingerprint,
    suggestion,
};
use std::path::Path;

/// A stored catalog.
#[derive(Clone, Debug)]
pub struct StoredCatalog {
    /// The version.
    pub version: String,
    /// The index, or the reason why it cannot be used.
    pub index: Result<CatalogIndex, Box<Diagnostic>>,
}

/// Finds the catalogs that are kept, by their version from the oldest on. What lies among them and is none is noted.
#[must_use]
pub fn versions(system: &dyn System, diagnostics: &mut Diagnostics) -> Vec<StoredCatalog> {
    let Some(dir) = dir(system) else { return Vec::new() };
    let entries = match system.list(&dir, CATALOGS_LIMIT) {
        Ok(entries) => entries,
        Err(ReadError::Missing) => return Vec::new(),
        Err(error) => {
            let what = format!("the catalogs cannot be listed: {error}");
            diagnostics.push(Diagnostic::error(DiagnosticCode::CatalogDamaged, what).at(place(system, &dir)));
            return Vec::new();
        }
    };
    let mut found = Vec::new();
    for entry in entries {
        let Some(stem) = entry.name.to_str().and_then(|name| name.strip_suffix(ENDING)) else { continue };
        if number(stem).is_some() {
            found.push(stem.to_owned());
        } else {
            let what = "a file among the catalogs is not a catalog: its name is not a version";
            let place = place(system, &dir.join(&entry.name));
            diagnostics.push(Diagnostic::warning(DiagnosticCode::CatalogRefused, what).at(place));
        }
    }
    found.sort_by_cached_key(|version| (number(version), version.clone()));
    found.into_iter().map(|version| StoredCatalog { index: index(system, &version), version }).collect()
}

/// Reads a catalog, and checks that it is whole: its form, its version, and the digests of its files and templates.
///
/// # Errors
/// `catalog/refused`: no version, or the user has no directory. `catalog/missing`: not imported.
/// `catalog/damaged`: it is not what was written.
pub fn index(system: &dyn System, version: &str) -> Result<CatalogIndex, Box<Diagnostic>> {
    let path = catalog_file(system, version)?;
    let read = match system.read(&path, ReadScope::Anywhere, STORED_LIMIT) {
        Ok(read) => read,
        Err(ReadError::Missing) => return Err(missing(version)),
        Err(error) => return Err(unreadable(system, &path, &error.to_string())),
    };
    let fault = |what: String| Err(changed_error(system, &path, &what));
    let index: CatalogIndex = match serde_json::from_slice(&read.bytes) {
        Ok(index) => index,
        Err(error) => return fault(format!("it is no index: {}", escape_hidden(&error.to_string()))),
    };
    if index.format != INDEX_FORMAT {
        return fault(format!(
            "its form is {}, and this version of preface reads {INDEX_FORMAT}",
            index.format
        ));
    }
    if index.version != version {
        return fault(format!("its index has version `{}`", escape_hidden(&index.version)));
    }
    let is_whole = |entry: &CatalogEntry| fingerprint(index.template(&entry.name)) == entry.template;
    if CatalogIndex::digest_of_entries(&index.prompts) != index.digest || !index.prompts.iter().all(is_whole)
    {
        return fault("it is not what was imported".to_owned());
    }
    Ok(index)
}

/// Reports that a catalog has no prompt of this name, and suggests a similar one.
#[must_use]
pub fn no_prompt(index: &CatalogIndex, name: &str) -> Box<Diagnostic> {
    let what = format!("the catalog {} has no prompt `{}`", index.version, escape_hidden(name));
    let names = index.prompts.iter().map(|entry| entry.name.as_str());
    let diagnostic = Diagnostic::error(DiagnosticCode::CatalogNoPrompt, what);
    let near = suggestion::did_you_mean(name, names);
    let near = near.map(|near| format!("did you mean `{}`? ", escape_hidden(near))).unwrap_or_default();
    let list = format_args!("catalog list {}", index.version).to_string();
    Box::new(diagnostic.help(Remedy::command(format!("{near}see which there are"), list)))
}

/// Reports that a catalog is not imported.
pub(super) fn missing(version: &str) -> Box<Diagnostic> {
    let what = format!("the catalog {version} is not imported");
    Diagnostic::error(DiagnosticCode::CatalogMissing, what)
        .help(Remedy::command("import it, or choose one that is imported", "catalog import DIR"))
        .into()
}

pub(super) fn unreadable(system: &dyn System, path: &Path, why: &str) -> Box<Diagnostic> {
    Diagnostic::error(
        DiagnosticCode::CatalogDamaged,
        format!("a file of an imported catalog cannot be read: {why}"),
    )
    .at(place(system, path))
    .help(again())
    .into()
}

fn changed_error(system: &dyn System, path: &Path, why: &str) -> Box<Diagnostic> {
    let what = format!("a file of an imported catalog was changed: {why}");
    Diagnostic::error(DiagnosticCode::CatalogDamaged, what).at(place(system, path)).help(again()).into()
}

fn again() -> Remedy {
    Remedy::command("import it again", "catalog import DIR")
}
