//! Our own catalogs: the texts of a small harbour, in both generations.
#![allow(dead_code)]

use preface_catalog::{CatalogSource, ImportedCatalog, SourceFile, import};
use preface_core::catalog::CatalogText;
use std::{fs, path::Path};

/// The older generation.
pub const A: &str = "a";
/// The newer one.
pub const B: &str = "b";

/// Reads the files of a catalog.
pub fn source(catalog: &str) -> CatalogSource {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/catalogs").join(catalog);
    source_at(&directory)
}

/// Reads the files of the catalog in a directory.
pub fn source_at(directory: &Path) -> CatalogSource {
    let entries = fs::read_dir(directory.join("system-prompts")).unwrap().map(Result::unwrap);
    let file = |entry: fs::DirEntry| SourceFile {
        name: entry.file_name().into_string().unwrap(),
        bytes: fs::read(entry.path()).unwrap(),
    };
    let readme = Some(fs::read(directory.join("README.md")).unwrap());
    CatalogSource { files: entries.map(file).collect(), readme, version: None }
}

/// Imports a catalog.
pub fn imported(catalog: &str) -> ImportedCatalog {
    import(&source(catalog)).unwrap()
}

/// Returns a text by its file, without the ending.
pub fn text<'i>(imported: &'i ImportedCatalog, file: &str) -> &'i CatalogText {
    let name = format!("{file}.json");
    &imported.texts.iter().find(|(stored, _)| *stored == name).unwrap_or_else(|| panic!("{file}")).1
}
