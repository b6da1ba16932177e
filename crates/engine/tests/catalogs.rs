//! Catalogs from a directory to what a build reads, on a disk in memory: the invented ones of `crates/catalog`.
#![cfg(feature = "catalog")]

use preface_engine::{
    catalogs::{self, CatalogWriteOutcome, ReplaceMode, find, import},
    host::system::{System, WriteMode, testing::MemorySystem},
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
            assert!(!index.template(&entry.name).is_empty());
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
    let path = Path::new("/state/catalogs").join(format!("{version}.json"));
    let good = catalogs::index(&system, &version).unwrap();
    assert!(good.templates.len() > 15);
    for name in good.templates.keys() {
        let mut changed = good.clone();
        changed.templates.get_mut(name).unwrap().push('x');
        let bytes = serde_json::to_vec(&changed).unwrap();
        system.write(&path, &bytes, WriteMode::Replace, 0o600).unwrap();
        assert_eq!(
            catalogs::index(&system, &version).unwrap_err().code.as_str(),
            "catalog/damaged",
            "{name}"
        );
    }
    assert_eq!(take_in(&system, "a").written, CatalogWriteOutcome::Replaced);
    assert_eq!(catalogs::index(&system, &version).unwrap(), good);
}
