//! Checks of a stored import: index, raw files and compiled texts.

use crate::{
    SourceFile, generation_of,
    import::{compiled_bytes, prompt},
};
use preface_core::{
    catalog::{CatalogEntry, CatalogIndex, INDEX_FORMAT},
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    prompt::fingerprint,
};
use std::collections::{BTreeMap, BTreeSet};

/// The files that are stored beside an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredCatalogFiles {
    /// The files as they were imported, by name.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The compiled texts, by the name that they are kept under.
    pub compiled: BTreeMap<String, Vec<u8>>,
}

/// Compares an index with the files beside it, and reports the differences. Each is an error, except for files without an
/// entry, which are not read: they are warnings.
#[must_use]
pub fn verify(index: &CatalogIndex, kept: &StoredCatalogFiles) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let error = |code: DiagnosticCode, path: &str, what: String| {
        Diagnostic::error(code, what).at(Place::file(None, path)).help("import the catalog again")
    };
    if index.format != INDEX_FORMAT {
        let what = format!("the index is of form {}, and {INDEX_FORMAT} is what is read here", index.format);
        diagnostics.push(error(DiagnosticCode::CatalogFormat, "index", what));
        return diagnostics;
    }
    if generation_of(&index.version) != Some(index.generation) {
        let what = format!("the index has version {} and another generation", index.version);
        diagnostics.push(error(DiagnosticCode::CatalogGeneration, "index", what));
    }
    if CatalogIndex::digest_of_entries(&index.prompts) != index.digest {
        let what = "the digest of the index is not that of its entries".to_owned();
        diagnostics.push(error(DiagnosticCode::CatalogIndexDigest, "index", what));
    }
    let mut names = BTreeSet::new();
    let (mut files, mut texts) = (BTreeSet::new(), BTreeSet::new());
    for entry in &index.prompts {
        let stored = entry.compiled_file();
        if !names.insert(&*entry.name) || !files.insert(entry.file.clone()) {
            let what = format!("the index lists `{}` or its file twice", entry.name);
            diagnostics.push(error(DiagnosticCode::CatalogSameName, &entry.file, what));
        }
        let text = kept.compiled.get(&stored);
        match text {
            None => {
                diagnostics.push(error(
                    DiagnosticCode::CatalogMissing,
                    &stored,
                    format!("`{stored}` is missing"),
                ));
            }
            Some(bytes) if fingerprint(bytes) != entry.compiled => {
                let what = format!("`{stored}` is not what the index has the digest of");
                diagnostics.push(error(DiagnosticCode::CatalogDigest, &stored, what));
            }
            Some(_) => {}
        }
        match kept.files.get(&entry.file) {
            None => diagnostics.push(error(
                DiagnosticCode::CatalogMissing,
                &entry.file,
                format!("`{}` is missing", entry.file),
            )),
            Some(bytes) if fingerprint(bytes) != entry.digest => {
                let what = format!("`{}` is not what the index has the digest of", entry.file);
                diagnostics.push(error(DiagnosticCode::CatalogDigest, &entry.file, what));
            }
            Some(bytes) => {
                let file = SourceFile { name: entry.file.clone(), bytes: bytes.clone() };
                let again = prompt(&file, index.generation, entry.tokens, &mut Vec::new());
                if text.is_some_and(|text| {
                    again.as_ref().is_none_or(|(_, again)| compiled_bytes(again) != *text)
                }) {
                    let what = format!("`{stored}` is not what `{}` compiles to", entry.file);
                    diagnostics.push(error(DiagnosticCode::CatalogCompiled, &stored, what));
                }
                if again.is_some_and(|(again, _)| {
                    CatalogEntry { compiled: entry.compiled.clone(), ..again } != *entry
                }) {
                    let what = format!("the index and the file differ for `{}`", entry.file);
                    diagnostics.push(error(DiagnosticCode::CatalogEntry, &entry.file, what));
                }
            }
        }
        texts.insert(stored);
    }
    let of_no_entry = |names: &BTreeSet<String>, name: &&String| !names.contains(*name);
    let left = kept.files.keys().filter(|name| of_no_entry(&files, name));
    for name in left.chain(kept.compiled.keys().filter(|name| of_no_entry(&texts, name))) {
        let what = format!("`{name}` belongs to no prompt of the index");
        let diagnostic =
            Diagnostic::warning(DiagnosticCode::CatalogSuperfluous, what).at(Place::file(None, name));
        diagnostics.push(diagnostic.help("remove the file, or import the catalog again"));
    }
    diagnostics
}
