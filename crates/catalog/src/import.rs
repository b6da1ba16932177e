//! An import: the files of a catalog in, its index and its compiled texts out.

use crate::{compile::compile, header, readme, version};
use preface_core::{
    catalog::{CatalogText, Chunk, Entry, INDEX_FORMAT, Index},
    diagnostic::{Diagnostic, Place},
};
use std::{collections::BTreeMap, fmt};

/// The files of a catalog, as somebody read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The files of its folder of prompts, in any order.
    pub files: Vec<SourceFile>,
    /// Its README, if it has one.
    pub readme: Option<Vec<u8>>,
    /// The version of the catalog, where the caller knows better than the README.
    pub version: Option<String>,
}

/// A file of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name without a folder: `tool-description-bell.md`.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What an import gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// What the catalog holds.
    pub index: Index,
    /// The compiled texts in the order of the index, each with the name that it is kept under ([`Entry::compiled_file`]).
    pub texts: Vec<(String, CatalogText)>,
    /// What was left out, and what stays as it is written.
    pub notes: Vec<Diagnostic>,
}

/// Why a catalog cannot be imported at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// Neither the caller nor the README says a version; or what the caller says is none.
    NoVersion {
        /// What the caller said.
        given: Option<String>,
    },
    /// No file has a name and a body.
    NoPrompt {
        /// How many files there were.
        files: usize,
        /// Why each of them was left out.
        notes: Vec<Diagnostic>,
    },
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::NoVersion { given: Some(given) } => {
                write!(f, "`{given}` is no version of a catalog")
            }
            ImportError::NoVersion { given: None } => {
                f.write_str("the version of the catalog is not known: its README names none")
            }
            ImportError::NoPrompt { files: 0, .. } => f.write_str("the catalog has no files"),
            ImportError::NoPrompt { files, .. } => {
                write!(f, "none of the {files} files of the catalog is a prompt")
            }
        }
    }
}

impl std::error::Error for ImportError {}

/// Imports a catalog. The same files give the same bytes, whatever their order.
///
/// # Errors
/// Where no version is known, and where no file is a prompt. A single file or expression never refuses an import.
pub fn import(source: &Source) -> Result<Imported, ImportError> {
    let mut notes = Vec::new();
    let readme =
        source.readme.as_ref().map(|bytes| readme::read(&String::from_utf8_lossy(bytes))).unwrap_or_default();
    let version = match (&source.version, readme.version) {
        (Some(given), _) => version::plain(given).to_owned(),
        (None, Some(said)) => said,
        (None, None) => return Err(ImportError::NoVersion { given: None }),
    };
    let Some(generation) = version::generation_of(&version) else {
        return Err(ImportError::NoVersion { given: source.version.clone() });
    };
    let mut files: Vec<&SourceFile> = source.files.iter().collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let mut prompts: BTreeMap<String, (Entry, CatalogText)> = BTreeMap::new();
    for file in files {
        let Some(text) = readable(file, &mut notes) else { continue };
        let header = header::read(&file.name, text, &mut notes);
        let Some(name) = header.name else {
            let what = format!("`{}` has no usable name and is left out", file.name);
            let place = Place::within(None, &file.name, text, 0..0);
            notes.push(
                Diagnostic::warning("catalog/no-name", what).at(place).help("give its head a line `name: …`"),
            );
            continue;
        };
        if let Some((first, _)) = prompts.get(&name) {
            let what = format!("`{}` has the name of `{}`, `{name}`, and is left out", file.name, first.file);
            let place = Place::file(None, &file.name);
            notes.push(
                Diagnostic::warning("catalog/same-name", what)
                    .at(place)
                    .help("give one of them another name"),
            );
            continue;
        }
        let compiled = compile(&file.name, text, header.body, &header.variables, generation);
        notes.extend(compiled.notes);
        let entry = Entry {
            name: name.clone(),
            file: file.name.clone(),
            description: header.description,
            changed_in: header.changed_in,
            variables: header.variables,
            tokens: readme.tokens.get(&file.name).copied(),
            bytes: compiled.bytes,
            values: compiled.chunks.iter().filter(|chunk| matches!(chunk, Chunk::Value { .. })).count(),
            kept: compiled.chunks.iter().filter(|chunk| matches!(chunk, Chunk::Kept { .. })).count(),
            digest: digest(&file.bytes),
            compiled: String::new(),
        };
        let text = CatalogText {
            prompt: name.clone(),
            file: file.name.clone(),
            first_line: first_line(text, header.body),
            chunks: compiled.chunks,
        };
        let entry = Entry { compiled: digest(&compiled_bytes(&text)), ..entry };
        prompts.insert(name, (entry, text));
    }
    if prompts.is_empty() {
        return Err(ImportError::NoPrompt { files: source.files.len(), notes });
    }
    let (entries, texts): (Vec<Entry>, Vec<CatalogText>) = prompts.into_values().unzip();
    let texts = entries.iter().map(Entry::compiled_file).zip(texts).collect();
    let digest = index_digest(&entries);
    let index = Index { format: INDEX_FORMAT, version, generation, digest, prompts: entries };
    Ok(Imported { index, texts, notes })
}

/// Returns the bytes that a compiled text is kept as: JSON on one line, and a line end.
///
/// [`Entry::compiled`] is their digest.
#[must_use]
pub fn compiled_bytes(text: &CatalogText) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(text).expect("a compiled text has string keys and finite numbers");
    bytes.push(b'\n');
    bytes
}

/// Returns the digest of a catalog from its entries: over the lines `name`, tab, digest of the file, by name.
pub(crate) fn index_digest(entries: &[Entry]) -> String {
    let mut lines: Vec<(&str, &str)> = entries.iter().map(|entry| (&*entry.name, &*entry.digest)).collect();
    lines.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for (name, digest) in lines {
        for part in [name, "\t", digest, "\n"] {
            hasher.update(part.as_bytes());
        }
    }
    format!("blake3:{}", hasher.finalize().to_hex())
}

/// Returns the digest of bytes, `blake3:…`.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("blake3:{}", blake3::hash(bytes).to_hex())
}

/// Returns the text of a file, where it has a name that can be kept and is UTF-8.
fn readable<'f>(file: &'f SourceFile, notes: &mut Vec<Diagnostic>) -> Option<&'f str> {
    let plain = file.name.strip_suffix(".md").is_some_and(|stem| {
        !stem.is_empty()
            && !stem.starts_with('.')
            && !stem.contains(|c: char| c.is_control() || "/\\:".contains(c))
    });
    let place = Place::file(None, &file.name);
    if !plain {
        let what = format!("`{}` is no name of a prompt's file and is left out", file.name.escape_default());
        let remedy = "a prompt is a `.md` file in the folder itself";
        notes.push(Diagnostic::warning("catalog/file-name", what).at(place).help(remedy));
        return None;
    }
    match std::str::from_utf8(&file.bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let at = error.valid_up_to();
            let line = file.bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            let what = format!("`{}` is not UTF-8 at byte {at} and is left out", file.name);
            let place = Place { span: Some(at..at + 1), line: Some(line), ..place };
            notes
                .push(Diagnostic::warning("catalog/not-utf8", what).at(place).help("save the file as UTF-8"));
            None
        }
    }
}

/// The line that the byte `body` of a file stands on, from 1.
pub(crate) fn first_line(text: &str, body: usize) -> usize {
    text[..body].matches('\n').count() + 1
}
