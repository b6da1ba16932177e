//! An import: the files of a catalog in, its index and its compiled texts out.

use crate::{compile::compile, header, readme, version};
use preface_core::{
    catalog::{CatalogChunk, CatalogEntry, CatalogIndex, CatalogText, Generation, INDEX_FORMAT},
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
    /// The index of the catalog.
    pub index: CatalogIndex,
    /// The compiled texts in the order of the index, each with the name that it is stored under
    /// ([`CatalogEntry::compiled_file`]).
    pub texts: Vec<(String, CatalogText)>,
    /// Diagnostics about files that were left out, and about text that stays as it is written.
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
    let mut prompts: BTreeMap<String, (CatalogEntry, CatalogText)> = BTreeMap::new();
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
                Diagnostic::warning(DiagnosticCode::CatalogSameName, what).at(Place::file(None, &file.name));
            diagnostics.push(diagnostic.help("give one of them another name"));
            continue;
        }
        diagnostics.extend(own_diagnostics);
        prompts.insert(entry.name.clone(), (entry, text));
    }
    if prompts.is_empty() {
        return Err(ImportError::NoPrompt { files: source.files.len(), diagnostics });
    }
    let (entries, texts): (Vec<CatalogEntry>, Vec<CatalogText>) = prompts.into_values().unzip();
    let texts = entries.iter().map(CatalogEntry::compiled_file).zip(texts).collect();
    let digest = CatalogIndex::digest_of_entries(&entries);
    let index = CatalogIndex { format: INDEX_FORMAT, version, generation, digest, prompts: entries };
    Ok(ImportedCatalog { index, texts, diagnostics })
}

/// Reads and compiles a file. `None` if it is left out, which is a diagnostic.
pub(crate) fn prompt(
    file: &SourceFile,
    generation: Generation,
    tokens: Option<u32>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(CatalogEntry, CatalogText)> {
    let text = readable(file, diagnostics)?;
    let header = header::read(&file.name, text, diagnostics);
    let Some(name) = header.name else {
        let what = format!("`{}` has no usable name and is left out", file.name);
        let diagnostic = Diagnostic::warning(DiagnosticCode::CatalogNoName, what).at(Place::within(
            None,
            &file.name,
            text,
            0..0,
        ));
        diagnostics.push(diagnostic.help("give its head a line `name: …`"));
        return None;
    };
    let compiled = compile(&file.name, text, header.body, &header.variables, generation);
    diagnostics.extend(compiled.diagnostics);
    let count =
        |which: fn(&CatalogChunk) -> bool| compiled.chunks.iter().filter(|chunk| which(chunk)).count();
    let (values, kept) = (
        count(|chunk| matches!(chunk, CatalogChunk::Value { .. })),
        count(|chunk| matches!(chunk, CatalogChunk::Kept { .. })),
    );
    let first_line = text[..header.body].matches('\n').count() + 1;
    let text =
        CatalogText { prompt: name.clone(), file: file.name.clone(), first_line, chunks: compiled.chunks };
    let entry = CatalogEntry {
        name,
        file: file.name.clone(),
        description: header.description,
        changed_in: header.changed_in,
        variables: header.variables,
        tokens,
        bytes: compiled.bytes,
        values,
        kept,
        digest: fingerprint(&file.bytes),
        compiled: fingerprint(compiled_bytes(&text)),
    };
    Some((entry, text))
}

/// Returns the bytes that a compiled text is kept as: JSON on one line, and a line end.
///
/// [`CatalogEntry::compiled`] is their digest.
#[must_use]
pub fn compiled_bytes(text: &CatalogText) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(text).expect("a compiled text has string keys and finite numbers");
    bytes.push(b'\n');
    bytes
}

/// The longest name of a file, in bytes.
const MAX_NAME: usize = 200;

/// Returns the reason why a file cannot be stored under its name. Names end up in paths, so only plain ones are accepted.
fn name_fault(name: &str) -> Option<&'static str> {
    let Some(stem) = name.strip_suffix(".md") else { return Some("does not end in `.md`") };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.len() > MAX_NAME {
        return Some("is longer than 200 bytes");
    }
    if !stem.starts_with(|c: char| c.is_ascii_alphanumeric()) || !stem.chars().all(plain) {
        return Some(
            "has other characters than letters, digits, `-`, `_` and `.`, or starts with one of the last three",
        );
    }
    None
}

/// Returns the text of a file, where it has a name that can be kept and is UTF-8.
fn readable<'f>(file: &'f SourceFile, diagnostics: &mut Vec<Diagnostic>) -> Option<&'f str> {
    let place = Place::file(None, &file.name);
    if let Some(fault) = name_fault(&file.name) {
        let what = format!("`{}` is left out: its name {fault}", file.name.escape_debug());
        let diagnostic = Diagnostic::warning(DiagnosticCode::CatalogFileName, what).at(place);
        diagnostics.push(diagnostic.help("call it `name-of-the-prompt.md`"));
        return None;
    }
    match std::str::from_utf8(&file.bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let at = error.valid_up_to();
            let line = file.bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            let what = format!("`{}` is not UTF-8 at byte {at} and is left out", file.name);
            let place = Place { span: Some(at..at + 1), line: Some(line), ..place };
            diagnostics.push(
                Diagnostic::warning(DiagnosticCode::CatalogNotUtf8, what)
                    .at(place)
                    .help("save the file as UTF-8"),
            );
            None
        }
    }
}
