//! Every file in `cases/` holds.

use std::path::{Path, PathBuf};

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "md") && path.file_name().unwrap() != "README.md"
        {
            found.push(path);
        }
    }
}

#[test]
fn every_case_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let mut found = Vec::new();
    files(&root, &mut found);
    assert!(!found.is_empty(), "cases/ must hold cases");
    let failures: Vec<String> = found.iter().flat_map(|path| preface_testkit::case::run_file(path)).collect();
    assert!(failures.is_empty(), "{} cases fail:\n\n{}", failures.len(), failures.join("\n\n"));
}
