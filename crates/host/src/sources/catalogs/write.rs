//! Stores a catalog, and removes one.

use super::{catalog_file, place, read};
use crate::system::{System, WriteError, WriteMode};
use preface_core::{
    catalog::CatalogIndex,
    diagnostic::{Diagnostic, DiagnosticCode, Remedy},
};
use std::path::Path;

const DIR_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

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
    /// The catalog was there already.
    Same,
}

/// Stores a catalog. Texts of the same version with another digest are replaced only if `replace` allows it.
///
/// # Errors
/// `catalog/exists`: there are other texts of this version. `catalog/not-written`: the error of the system. Else as
/// [`super::index`].
pub fn write(
    system: &dyn System,
    index: &CatalogIndex,
    replace: ReplaceMode,
) -> Result<CatalogWriteOutcome, Box<Diagnostic>> {
    let path = catalog_file(system, &index.version)?;
    let written = match &read::index(system, &index.version) {
        Ok(old) if old == index => return Ok(CatalogWriteOutcome::Same),
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
    let bytes = serde_json::to_vec_pretty(index).map_err(|error| {
        let what = format!("the catalog {} cannot be stored: {error}", index.version);
        Box::new(Diagnostic::error(DiagnosticCode::CatalogRefused, what))
    })?;
    let made = path.parent().map_or(Ok(()), |dir| system.make_dirs(dir, DIR_MODE));
    made.and_then(|()| system.write(&path, &bytes, WriteMode::Replace, FILE_MODE))
        .map_err(|error| not_written(system, &path, &error))?;
    Ok(written)
}

/// Removes a catalog, or what is left of one.
///
/// # Errors
/// `catalog/missing`: there is none. `catalog/not-written`: the error of the system. `catalog/refused`: as [`super::index`].
pub fn remove(system: &dyn System, version: &str) -> Result<(), Box<Diagnostic>> {
    let path = catalog_file(system, version)?;
    if system.stat(&path).is_none() {
        return Err(read::missing(version));
    }
    system.remove(&path).map_err(|error| not_written(system, &path, &error))
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
