//! An import: the files of a catalog in, its index and its templates out.

use crate::{
    convert::{CONVERTER, MAX_BYTES, convert},
    header, readme, version,
};
use preface_core::{
    catalog::{CatalogEntry, CatalogIndex, Generation, INDEX_FORMAT},
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    prompt::fingerprint,
};
use std::collections::BTreeMap;

/// The files of a catalog, as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogSource {
    /// The files of its folder of prompts, in any order.
    pub files: Vec<SourceFile>,
    /// The README of the catalog, if there is one.
    pub readme: Option<Vec<u8>>,
    /// The version of the catalog, if it is not that of the README.
    pub version: Option<String>,
}

/// A file of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The name of the file, without a folder: `tool-description-bell.md`.
    pub name: String,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedCatalog {
    /// The catalog.
    pub index: CatalogIndex,
    /// Diagnostics about files that were left out, and about their heads.
    pub diagnostics: Vec<Diagnostic>,
}

/// The reason why a catalog cannot be imported at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The caller gave no version, and the README names none that is valid.
    #[error("the version of the catalog is not known: its README names none")]
    NoVersion,
    /// The version that the caller gave is not valid.
    #[error("`{0}` is no version of a catalog")]
    InvalidVersion(String),
    /// There are no files.
    #[error("the catalog has no files")]
    NoFiles,
    /// No file has a name and a body.
    #[error("none of the {files} files of the catalog is a prompt")]
    NoPrompt {
        /// The number of files.
        files: usize,
        /// The reasons why each of them was left out.
        diagnostics: Vec<Diagnostic>,
    },
}

/// Imports a catalog. The same files give the same bytes, whatever their order.
///
/// # Errors
/// Where no version is known, and where no file is a prompt. A single file or expression never refuses an import.
pub fn import(source: &CatalogSource) -> Result<ImportedCatalog, ImportError> {
    let mut diagnostics = Vec::new();
    let readme =
        source.readme.as_ref().map(|bytes| readme::read(&String::from_utf8_lossy(bytes))).unwrap_or_default();
    let version = match (&source.version, readme.version) {
        (Some(given), _) => version::plain(given).to_owned(),
        (None, Some(text)) => text,
        (None, None) => return Err(ImportError::NoVersion),
    };
    let Some(generation) = version::generation_of(&version) else {
        return Err(source.version.clone().map_or(ImportError::NoVersion, ImportError::InvalidVersion));
    };
    if source.files.is_empty() {
        return Err(ImportError::NoFiles);
    }
    let mut files: Vec<&SourceFile> = source.files.iter().collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let mut prompts: BTreeMap<String, (CatalogEntry, String)> = BTreeMap::new();
    for file in files {
        let mut own_diagnostics = Vec::new();
        let tokens = readme.tokens.get(&file.name).copied();
        let Some((entry, text)) = prompt(file, generation, tokens, &mut own_diagnostics) else {
            diagnostics.extend(own_diagnostics);
            continue;
        };
        if let Some((first, _)) = prompts.get(&entry.name) {
            let what = format!(
                "`{}` has the name of `{}`, `{}`, and is left out",
                file.name, first.file, entry.name
            );
            let diagnostic =
                Diagnostic::warning(DiagnosticCode::CatalogLeftOut, what).at(Place::file(None, &file.name));
            diagnostics.push(diagnostic.help("give one of them another name"));
            continue;
        }
        diagnostics.extend(own_diagnostics);
        prompts.insert(entry.name.clone(), (entry, text));
    }
    if prompts.is_empty() {
        return Err(ImportError::NoPrompt { files: source.files.len(), diagnostics });
    }
    let parts = prompts.into_iter().map(|(name, (entry, text))| (entry, (name, text)));
    let (entries, templates): (Vec<CatalogEntry>, BTreeMap<String, String>) = parts.unzip();
    let digest = CatalogIndex::digest_of_entries(&entries);
    let index = CatalogIndex {
        format: INDEX_FORMAT,
        version,
        generation,
        converter: CONVERTER,
        digest,
        prompts: entries,
        templates,
    };
    Ok(ImportedCatalog { index, diagnostics })
}

/// Reads and converts a file. `None` if it is left out, which is a diagnostic.
fn prompt(
    file: &SourceFile,
    generation: Generation,
    tokens: Option<u32>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(CatalogEntry, String)> {
    let text = readable(file, diagnostics)?;
    let header = header::read(text);
    let Some(name) = header.name else {
        let what = format!("`{}` has no usable name and is left out", file.name);
        let diagnostic = Diagnostic::warning(DiagnosticCode::CatalogLeftOut, what).at(Place::within(
            None,
            &file.name,
            text,
            0..0,
        ));
        diagnostics.push(diagnostic.help("give its head a line `name: …`"));
        return None;
    };
    let body = &text[header.body..];
    let body = body.strip_suffix("\r\n").or(body.strip_suffix('\n')).unwrap_or(body);
    let Some(converted) = convert(body, generation) else {
        let what = format!("`{}` is left out: as a template it has more than {MAX_BYTES} bytes", file.name);
        diagnostics.push(
            Diagnostic::warning(DiagnosticCode::CatalogLeftOut, what).at(Place::file(None, &file.name)),
        );
        return None;
    };
    let entry = CatalogEntry {
        name,
        file: file.name.clone(),
        description: header.description,
        changed_in: header.changed_in,
        tokens,
        bytes: body.len(),
        values: converted.values,
        digest: fingerprint(&file.bytes),
        template: fingerprint(&converted.template),
        expressions: converted.expressions,
    };
    Some((entry, converted.template))
}

/// Returns the text of a file, where it is UTF-8.
fn readable<'f>(file: &'f SourceFile, diagnostics: &mut Vec<Diagnostic>) -> Option<&'f str> {
    match std::str::from_utf8(&file.bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let at = error.valid_up_to();
            let line = file.bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            let what = format!("`{}` is not UTF-8 at byte {at} and is left out", file.name);
            let place = Place { span: Some(at..at + 1), line: Some(line), ..Place::file(None, &file.name) };
            diagnostics.push(
                Diagnostic::warning(DiagnosticCode::CatalogLeftOut, what)
                    .at(place)
                    .help("save the file as UTF-8"),
            );
            None
        }
    }
}
