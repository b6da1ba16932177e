//! Imports a catalog: reads its directory, converts it and stores it.

use super::read_directory::gather;
use preface_catalog::{ImportError, ImportedCatalog};
use preface_core::{
    catalog::{CatalogEntry, CatalogIndex, Generation},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    lint::hidden::escape_hidden,
};
use preface_host::{
    catalogs::{self, CatalogWriteOutcome, ReplaceMode},
    system::System,
};
use serde::Serialize;
use std::path::Path;

/// The progress of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportStage {
    /// Reading the directory.
    Reading,
    /// Converting this number of files.
    Converting(usize),
    /// Writing this number of prompts.
    Writing(usize),
}

/// The result of an import.
#[derive(Clone, Debug, Serialize)]
pub struct ImportReport {
    /// The version of the catalog.
    pub version: String,
    /// The syntax of its bodies.
    pub generation: Generation,
    /// The number of its prompts.
    pub prompts: usize,
    /// The bytes of all bodies.
    pub bytes: usize,
    /// The tokens of all bodies, as the README has them.
    pub tokens: u64,
    /// The number of prompts with a token count in the README.
    pub counted: usize,
    /// The number of `${…}` in all prompts.
    pub values: usize,
    /// The digest of all files.
    pub digest: String,
    /// The pin of this catalog for a profile.
    pub pin: String,
    /// The effect on the catalog that was stored before.
    #[serde(serialize_with = "word")]
    pub written: CatalogWriteOutcome,
    /// The diagnostics: of files that were left out, and of their heads.
    #[serde(rename = "diagnostics")]
    pub diagnostics: Diagnostics,
}

fn word<S: serde::Serializer>(written: &CatalogWriteOutcome, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match written {
        CatalogWriteOutcome::New => "new",
        CatalogWriteOutcome::Replaced => "replaced",
        CatalogWriteOutcome::Same => "same",
    })
}

/// Imports the catalog in a directory: its `README.md`, and the prompts in its directory `system-prompts`. Nothing outside
/// of it is read. `version` is needed if the README names none. `at` receives the progress.
///
/// # Errors
/// There is no catalog in the directory, or no version is known, or other texts of this version are kept already and
/// `replace` does not allow to replace them; then the earlier import is unchanged. Or it cannot be written.
pub fn import(
    system: &dyn System,
    dir: &Path,
    version: Option<String>,
    replace: ReplaceMode,
    at: &mut dyn FnMut(ImportStage),
) -> Result<ImportReport, Box<Diagnostic>> {
    let mut diagnostics = Diagnostics::new();
    at(ImportStage::Reading);
    let source = gather(system, dir, version, &mut diagnostics)?;
    at(ImportStage::Converting(source.files.len()));
    let ImportedCatalog { index, diagnostics: of_import } =
        preface_catalog::import(&source).map_err(|error| refused(&error, dir))?;
    diagnostics.extend(of_import);
    at(ImportStage::Writing(index.prompts.len()));
    let written = catalogs::write(system, &index, replace)?;
    let tokens = || index.prompts.iter().filter_map(|entry| entry.tokens);
    let sum = |of: fn(&CatalogEntry) -> usize| index.prompts.iter().map(of).sum();
    Ok(ImportReport {
        generation: index.generation,
        prompts: index.prompts.len(),
        bytes: sum(|entry| entry.bytes),
        tokens: tokens().map(u64::from).sum(),
        counted: tokens().count(),
        values: sum(|entry| entry.values),
        pin: CatalogIndex::pin(&index),
        version: index.version,
        digest: index.digest,
        written,
        diagnostics,
    })
}

fn refused(error: &ImportError, dir: &Path) -> Box<Diagnostic> {
    let place = Place::file(None, escape_hidden(&dir.display().to_string()));
    let what = error.to_string();
    let diagnostic = Diagnostic::error(DiagnosticCode::CatalogRefused, escape_hidden(&what)).at(place);
    Box::new(match error {
        ImportError::NoVersion | ImportError::InvalidVersion(_) => {
            diagnostic.help("name the version: three numbers with dots between them, such as `2.1.37`")
        }
        ImportError::NoFiles => {
            diagnostic.help("a prompt is a `.md` file with a head `<!-- name: … -->` in `system-prompts`")
        }
        ImportError::NoPrompt { diagnostics, .. } => match diagnostics.first() {
            Some(first) => diagnostic.help(format!("the first of them: {}", escape_hidden(&first.message))),
            None => diagnostic,
        },
    })
}
