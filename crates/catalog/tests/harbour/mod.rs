//! Our own catalogs: the texts of a small harbour, in both generations.
#![allow(dead_code)]

use preface_catalog::{CatalogSource, ImportedCatalog, SourceFile, import};
use std::{fs, path::Path};

/// The older generation.
pub const A: &str = "a";
/// The newer one.
pub const B: &str = "b";

/// Reads the files of a catalog.
pub fn source(catalog: &str) -> CatalogSource {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/catalogs").join(catalog);
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

/// Returns a template by its file, without the ending.
pub fn template<'i>(imported: &'i ImportedCatalog, file: &str) -> &'i str {
    let name = format!("{file}.md");
    let entry = imported.index.prompts.iter().find(|entry| entry.file == name);
    imported.index.template(&entry.unwrap_or_else(|| panic!("{file}")).name)
}
