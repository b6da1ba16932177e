//! Stores a catalog, and removes one. The index is written last and removed first: without it a catalog is not imported.

use super::{
    INDEX, catalog_dir, place,
    read::{self, index_fault},
};
use crate::system::{ReadError, ReadScope, System, WriteError, WriteMode};
use preface_core::{
    catalog::CatalogIndex,
    diagnostic::{Diagnostic, DiagnosticCode, Remedy},
};
use std::path::Path;

const DIR_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
/// The most entries of a directory that are looked at to remove them.
const LIST_LIMIT: usize = 10_000;

/// The handling of other texts of the same version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceMode {
    /// Existing texts stay.
    No,
    /// Existing texts are replaced.
    Yes,
}

/// The effect of storing a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogWriteOutcome {
    /// A new catalog was stored.
    New,
    /// Another catalog, or a broken one, was replaced.
    Replaced,
    /// The catalog was there already; files of it that were missing or changed were restored.
    Same,
}

/// Stores a catalog with its templates, which are in the order of the index. Texts of the same version with another digest are
/// replaced only if `replace` allows it. A catalog whose import was interrupted has to be imported again.
///
/// # Errors
/// `catalog/refused`: a name cannot be stored. `catalog/exists`: there are other texts of this version.
/// `catalog/not-written`: the error of the system. Else as [`super::index`].
pub fn write(
    system: &dyn System,
    index: &CatalogIndex,
    templates: &[String],
    replace: ReplaceMode,
) -> Result<CatalogWriteOutcome, Box<Diagnostic>> {
    let dir = catalog_dir(system, &index.version)?;
    let invalid = |why: &str| {
        let what = format!("the catalog {} cannot be stored: {why}", index.version);
        Box::new(Diagnostic::error(DiagnosticCode::CatalogRefused, what))
    };
    if let Some(fault) = index_fault(index) {
        return Err(invalid(&fault));
    }
    let bytes = serde_json::to_vec_pretty(index).map_err(|error| invalid(&error.to_string()))?;
    let written = match &read::index(system, &index.version) {
        Ok(old) if old == index => CatalogWriteOutcome::Same,
        Ok(old) if old.digest != index.digest && replace == ReplaceMode::No => {
            let what = format!("other texts of the catalog {} are imported: {}", index.version, old.pin());
            return Err(Diagnostic::error(DiagnosticCode::CatalogExists, what)
                .help(Remedy::flag(
                    format!("keep both under different versions, or replace them with {}", index.pin()),
                    "--replace",
                ))
                .into());
        }
        Err(diagnostic) if diagnostic.code == DiagnosticCode::CatalogMissing => CatalogWriteOutcome::New,
        Ok(_) | Err(_) => CatalogWriteOutcome::Replaced,
    };
    system.make_dirs(&dir, DIR_MODE).map_err(|error| not_written(system, &dir, &error))?;
    let write_file = |name: &str, bytes: &[u8]| {
        let path = dir.join(name);
        let there = system.read(&path, ReadScope::Anywhere, bytes.len() as u64);
        if there.is_ok_and(|there| *there.bytes == *bytes) {
            return Ok(());
        }
        let written = system.write(&path, bytes, WriteMode::Replace, FILE_MODE);
        written.map_err(|error| not_written(system, &path, &error))
    };
    for (entry, template) in index.prompts.iter().zip(templates) {
        write_file(&entry.file, template.as_bytes())?;
    }
    write_file(INDEX, &bytes)?;
    remove_files(system, &dir, |name| !index.prompts.iter().any(|entry| entry.file == name))?;
    Ok(written)
}

/// Removes a catalog, or what is left of one.
///
/// # Errors
/// `catalog/missing`: there is none. `catalog/not-written`: the error of the system; also if something else lies in its
/// directory. `catalog/refused`: as [`super::index`].
pub fn remove(system: &dyn System, version: &str) -> Result<(), Box<Diagnostic>> {
    let dir = catalog_dir(system, version)?;
    if system.stat(&dir).is_none() {
        return Err(read::missing(version));
    }
    let path = dir.join(INDEX);
    system.remove(&path).map_err(|error| not_written(system, &path, &error))?;
    remove_files(system, &dir, |_| true)?;
    system.remove_dir(&dir).map_err(|error| not_written(system, &dir, &error))
}

/// Removes templates, and what a killed process left of one.
fn remove_files(system: &dyn System, dir: &Path, goes: impl Fn(&str) -> bool) -> Result<(), Box<Diagnostic>> {
    let entries = match system.list(dir, LIST_LIMIT) {
        Ok(entries) => entries,
        Err(ReadError::Missing) => Vec::new(),
        Err(error) => return Err(read::unreadable(system, dir, &error.to_string())),
    };
    for name in entries.iter().filter_map(|entry| entry.name.to_str()) {
        if name.ends_with(".tmp") || name.ends_with(".md") && goes(name) {
            let path = dir.join(name);
            system.remove(&path).map_err(|error| not_written(system, &path, &error))?;
        }
    }
    Ok(())
}

fn not_written(system: &dyn System, path: &Path, error: &WriteError) -> Box<Diagnostic> {
    Diagnostic::error(
        DiagnosticCode::CatalogNotWritten,
        format!("the imported catalogs cannot be changed: {error}"),
    )
    .at(place(system, path))
    .help("PREFACE_HOME is the directory of catalogs")
    .into()
}
