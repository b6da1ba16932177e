//! Compares a stored catalog with the digests of its import.

use preface_catalog::StoredCatalogFiles;
use preface_core::{
    catalog::CatalogIndex,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
};
use preface_host::{catalogs, system::System};

/// The result of verifying a stored catalog.
#[derive(Clone, Debug)]
pub struct CatalogVerification {
    /// The version.
    pub version: String,
    /// The index, if it can be read.
    pub index: Option<CatalogIndex>,
    /// The problems that were found; empty if all files match.
    pub diagnostics: Diagnostics,
}

/// Reads a catalog whole, compiles its files once more, and compares index, files and compiled texts with each other.
#[must_use]
pub fn verify(system: &dyn System, version: &str) -> CatalogVerification {
    let version = version.to_owned();
    let index = match catalogs::index(system, &version) {
        Ok(index) => index,
        Err(diagnostic) => {
            return CatalogVerification { version, index: None, diagnostics: vec![*diagnostic] };
        }
    };
    let mut diagnostics = Diagnostics::new();
    let catalogs::ImportedCatalogFiles { raw, compiled } = catalogs::files(system, &index, &mut diagnostics);
    let found = preface_catalog::verify(&index, &StoredCatalogFiles { files: raw, compiled });
    // A file that could not be read is missing, too; it is reported once.
    let paths: Vec<String> = diagnostics
        .iter()
        .filter_map(|diagnostic: &Diagnostic| Some(diagnostic.place.as_ref()?.path.clone()))
        .collect();
    diagnostics.extend(found.into_iter().filter(|diagnostic| {
        let name = diagnostic.place.as_ref().map_or("", |place| place.path.as_str());
        diagnostic.code != DiagnosticCode::CatalogMissing || !paths.iter().any(|path| path.ends_with(name))
    }));
    CatalogVerification { version, index: Some(index), diagnostics }
}
