//! Catalogs from a directory to what a build reads, on a disk in memory: the invented ones of `crates/catalog`.
#![cfg(feature = "catalog")]

use preface_engine::{
    catalogs::{self, CatalogWriteOutcome, ReplaceMode, find, import},
    host::system::{ReadScope, System, WriteMode, testing::MemorySystem},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A machine with both catalogs in `/cat`.
fn machine() -> MemorySystem {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalog/tests/catalogs");
    let mut system = MemorySystem::new().with_var("PREFACE_HOME", "/state").with_dir("/state");
    for name in ["a", "b"] {
        for file in fs::read_dir(from.join(name).join("system-prompts")).unwrap() {
            let file = file.unwrap().path();
            let to = Path::new("/cat").join(name).join("system-prompts").join(file.file_name().unwrap());
            system = system.with_file(to, fs::read(file).unwrap());
        }
        let readme = fs::read(from.join(name).join("README.md")).unwrap();
        system = system.with_file(Path::new("/cat").join(name).join("README.md"), readme);
    }
    system
}

fn take_in(system: &MemorySystem, name: &str) -> catalogs::ImportReport {
    import(system, &PathBuf::from("/cat").join(name), None, ReplaceMode::No, &mut |_| {}).unwrap()
}

#[test]
fn what_is_imported_is_read_back_and_is_whole() {
    let system = machine();
    for name in ["a", "b"] {
        let report = take_in(&system, name);
        assert_eq!(report.written, CatalogWriteOutcome::New);
        let index = catalogs::index(&system, &report.version).unwrap();
        assert_eq!(index.prompts.len(), report.prompts);
        assert_eq!(index.pin(), report.pin);
        for entry in &index.prompts {
            assert!(!catalogs::template(&system, &index, &entry.name).unwrap().is_empty());
        }
        assert_eq!(index.prompts.iter().map(|entry| entry.values).sum::<usize>(), report.values);
        assert_eq!(take_in(&system, name).written, CatalogWriteOutcome::Same);
    }
    let found: Vec<String> =
        catalogs::versions(&system, &mut Vec::new()).into_iter().map(|kept| kept.version).collect();
    assert_eq!(found.len(), 2);
}

#[test]
fn each_prompt_is_found_by_its_name_and_by_its_file() {
    let system = machine();
    for name in ["a", "b"] {
        let index = catalogs::index(&system, &take_in(&system, name).version).unwrap();
        for entry in &index.prompts {
            let stem = entry.file.strip_suffix(".md").unwrap();
            for called in [entry.name.as_str(), &entry.name.to_uppercase(), stem, &entry.file] {
                assert_eq!(find(&index, called).unwrap().name, entry.name, "{called}");
            }
        }
        assert_eq!(find(&index, "nothing of the kind").unwrap_err().code.as_str(), "catalog/no-prompt");
    }
}

#[test]
fn a_changed_byte_of_any_text_is_an_error() {
    let system = machine();
    let version = take_in(&system, "a").version;
    let dir = Path::new("/state/catalogs").join(&version);
    let mut files: Vec<_> =
        system.list(&dir, 1_000).unwrap().into_iter().map(|entry| dir.join(entry.name)).collect();
    files.retain(|path| !path.ends_with("index.json"));
    assert!(files.len() > 15, "{files:?}");
    let is_whole = || {
        catalogs::index(&system, &version).is_ok_and(|index| {
            index.prompts.iter().all(|entry| catalogs::template(&system, &index, &entry.name).is_ok())
        })
    };
    for path in files {
        let bytes = system.read(&path, ReadScope::Anywhere, 1 << 20).unwrap().into_bytes();
        let mut changed = bytes.clone();
        let at = changed.len() / 2;
        changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
        system.write(&path, &changed, WriteMode::Replace, 0o600).unwrap();
        assert!(!is_whole(), "{}", path.display());
        system.write(&path, &bytes, WriteMode::Replace, 0o600).unwrap();
    }
    assert!(is_whole());
}
