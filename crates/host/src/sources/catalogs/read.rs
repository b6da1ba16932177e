//! Reads a stored catalog: its index, and one of its texts.

use super::{
    CATALOGS_LIMIT, FILE_LIMIT, INDEX, INDEX_LIMIT, PROMPTS_LIMIT, catalog_dir, dir,
    names::{number, stem_fault},
    place,
};
use crate::system::{FileKind, ReadError, ReadScope, System};
use preface_core::{
    catalog::{CatalogIndex, INDEX_FORMAT},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy},
    lint::hidden::escape_hidden,
    prompt::fingerprint,
    suggestion,
};
use std::{collections::BTreeSet, path::Path};

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
    for entry in entries.into_iter().filter(|entry| entry.kind != FileKind::File) {
        match entry.name.to_str().filter(|name| number(name).is_some()) {
            Some(version) => found.push(version.to_owned()),
            None => {
                let path = dir.join(&entry.name);
                let what = "a file among the catalogs is not a catalog: its name is not a version";
                diagnostics
                    .push(Diagnostic::warning(DiagnosticCode::CatalogRefused, what).at(place(system, &path)));
            }
        }
    }
    found.sort_by_cached_key(|version| (number(version), version.clone()));
    found.into_iter().map(|version| StoredCatalog { index: index(system, &version), version }).collect()
}

/// Reads the index of a catalog, and checks that it is whole: its form, its version, its names, and that its digest is that
/// of its entries.
///
/// # Errors
/// `catalog/refused`: no version, or the user has no directory. `catalog/missing`: not imported.
/// `catalog/damaged`: it is not what was written.
pub fn index(system: &dyn System, version: &str) -> Result<CatalogIndex, Box<Diagnostic>> {
    let dir = catalog_dir(system, version)?;
    let path = dir.join(INDEX);
    let read = match system.read(&path, ReadScope::Anywhere, INDEX_LIMIT) {
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
    match index_fault(&index) {
        Some(what) => fault(what),
        None => Ok(index),
    }
}

/// Reads the template of one prompt, and checks that it is what was written. Nothing else of the catalog is read.
///
/// # Errors
/// `catalog/no-prompt`: there is none of this name. `catalog/damaged`: it is not what was written.
pub fn template(system: &dyn System, index: &CatalogIndex, name: &str) -> Result<String, Box<Diagnostic>> {
    let entry = index.entry(name).ok_or_else(|| no_prompt(index, name))?;
    let path = catalog_dir(system, &index.version)?.join(&entry.file);
    let read = system.read(&path, ReadScope::Anywhere, FILE_LIMIT);
    let bytes = read.map_err(|error| unreadable(system, &path, &error.to_string()))?.into_bytes();
    match String::from_utf8(bytes) {
        Ok(text) if fingerprint(&text) == entry.template => Ok(text),
        _ => Err(changed_error(system, &path, "it is not what was imported")),
    }
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

/// Returns the problem of an index; `None` if it is valid.
pub(super) fn index_fault(index: &CatalogIndex) -> Option<String> {
    if index.prompts.len() > PROMPTS_LIMIT {
        return Some(format!("it has more than {PROMPTS_LIMIT} prompts"));
    }
    let (mut names, mut files) = (BTreeSet::new(), BTreeSet::new());
    for entry in &index.prompts {
        let shown = escape_hidden(&entry.file);
        if let Some(fault) = stem_fault(&entry.file) {
            return Some(format!("`{shown}` cannot be kept: {fault}"));
        }
        if !names.insert(entry.name.as_str()) {
            return Some(format!("two of its prompts are called `{}`", escape_hidden(&entry.name)));
        }
        // Some file systems ignore the case of names.
        if !files.insert(entry.file.to_ascii_lowercase()) {
            return Some(format!("two of its files are called `{shown}`"));
        }
    }
    (CatalogIndex::digest_of_entries(&index.prompts) != index.digest)
        .then(|| "its digest is not that of its prompts".to_owned())
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
