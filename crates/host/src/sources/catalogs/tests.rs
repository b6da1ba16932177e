//! Writing, reading and removing catalogs, on a disk in memory with injected faults.

use super::*;
use crate::system::{
    ReadScope,
    testing::{MemorySystem, WriteFault},
};
use preface_core::{
    catalog::{CatalogEntry, CatalogIndex, Generation, INDEX_FORMAT},
    diagnostic::Diagnostics,
    prompt::fingerprint,
};
use std::collections::BTreeMap;

const HOME: &str = "/state";

fn system() -> MemorySystem {
    MemorySystem::new().with_var("PREFACE_HOME", HOME).with_dir(HOME)
}

/// A catalog that is made by hand: of each prompt its file and its words.
struct SampleCatalog {
    index: CatalogIndex,
}

impl SampleCatalog {
    fn new(version: &str, prompts: &[(&str, &str)]) -> Self {
        let (mut entries, mut templates) = (Vec::new(), BTreeMap::new());
        for (file, words) in prompts {
            let name = format!("Data: {}", file.trim_end_matches(".md"));
            templates.insert(name.clone(), (*words).to_owned());
            entries.push(CatalogEntry {
                name,
                file: (*file).to_owned(),
                description: String::new(),
                changed_in: version.to_owned(),
                tokens: None,
                bytes: words.len(),
                values: 0,
                digest: fingerprint(words.as_bytes()),
                template: fingerprint(words),
                expressions: BTreeMap::new(),
            });
        }
        let index = CatalogIndex {
            format: INDEX_FORMAT,
            version: version.to_owned(),
            generation: Generation::A,
            converter: 1,
            digest: CatalogIndex::digest_of_entries(&entries),
            prompts: entries,
            templates,
        };
        SampleCatalog { index }
    }

    fn write(
        &self,
        system: &MemorySystem,
        replace: ReplaceMode,
    ) -> Result<CatalogWriteOutcome, Box<Diagnostic>> {
        write(system, &self.index, replace)
    }

    /// True if all of it can be read back as it was written.
    fn stands(&self, system: &MemorySystem) -> bool {
        index(system, &self.index.version).is_ok_and(|index| index == self.index)
    }
}

fn old() -> SampleCatalog {
    SampleCatalog::new("2.1.37", &[("a.md", "One."), ("b.md", "Two.")])
}

fn new() -> SampleCatalog {
    SampleCatalog::new("2.1.37", &[("b.md", "Two, written better."), ("c.md", "Three.")])
}

fn code<T>(result: Result<T, Box<Diagnostic>>) -> String {
    result.err().map_or_else(|| "fine".to_owned(), |diagnostic| diagnostic.code.to_string())
}

/// The paths below the catalogs, the lock left out.
fn tree(system: &MemorySystem) -> Vec<String> {
    let mut found = Vec::new();
    let mut dirs = vec![dir(system).unwrap()];
    while let Some(dir) = dirs.pop() {
        for entry in system.list(&dir, 100).unwrap() {
            let path = dir.join(&entry.name);
            found.push(path.strip_prefix("/state/catalogs").unwrap().display().to_string());
            if entry.kind == crate::system::FileKind::Dir {
                dirs.push(path);
            }
        }
    }
    found.retain(|path| path != ".lock");
    found.sort();
    found
}

#[test]
fn a_written_catalog_is_read_back() {
    let system = system();
    assert_eq!(code(index(&system, "2.1.37")), "catalog/missing");
    assert_eq!(old().write(&system, ReplaceMode::No), Ok(CatalogWriteOutcome::New));
    assert!(old().stands(&system));
    assert_eq!(old().write(&system, ReplaceMode::No), Ok(CatalogWriteOutcome::Same));
    assert_eq!(tree(&system), ["2.1.37.json"]);
}

#[test]
fn other_texts_of_a_version_are_replaced_only_on_request() {
    let system = system();
    old().write(&system, ReplaceMode::No).unwrap();
    let refused = new().write(&system, ReplaceMode::No).unwrap_err();
    assert_eq!(refused.code.as_str(), "catalog/exists");
    assert!(refused.help.unwrap().contains(&new().index.pin()));
    assert!(old().stands(&system));
    assert_eq!(new().write(&system, ReplaceMode::Yes), Ok(CatalogWriteOutcome::Replaced));
    assert!(new().stands(&system));
}

#[test]
fn an_import_that_is_interrupted_at_any_step_is_an_error_or_whole_and_can_be_repeated() {
    for step in 0.. {
        let system = system();
        old().write(&system, ReplaceMode::No).unwrap();
        system.fail_step(step, WriteFault::Crash);
        if new().write(&system, ReplaceMode::Yes).is_ok() {
            assert!(step > 1, "there were steps to crash at");
            break;
        }
        system.restart();
        if let Ok(index) = index(&system, "2.1.37") {
            assert!(index == old().index || index == new().index, "step {step}");
        }
        new().write(&system, ReplaceMode::Yes).unwrap();
        assert!(new().stands(&system));
        assert!(tree(&system).contains(&"2.1.37.json".to_owned()), "step {step}: {:?}", tree(&system));
    }
}

#[test]
fn a_changed_byte_is_found() {
    for word in ["One.", "blake3:", "Data: a"] {
        let system = system();
        old().write(&system, ReplaceMode::No).unwrap();
        let path = "/state/catalogs/2.1.37.json";
        let bytes = system.read(path.as_ref(), ReadScope::Anywhere, 9999).unwrap().into_bytes();
        let text = String::from_utf8(bytes).unwrap();
        system.put_file(path, text.replacen(word, "other", 1));
        let found = index(&system, "2.1.37").unwrap_err();
        assert_eq!(found.code.as_str(), "catalog/damaged", "{word}");
        assert_eq!(found.place.unwrap().path, path);
        assert!(old().write(&system, ReplaceMode::No).is_ok());
        assert!(old().stands(&system), "importing again puts it right");
    }
}

#[test]
fn versions_are_listed_by_their_numbers() {
    let system = system()
        .with_file("/state/catalogs/drafts.json", "{}")
        .with_file("/state/catalogs/2.1.5.json", "{\"format\":9}")
        .with_file("/state/catalogs/2.1.6.json", "[");
    for version in ["2.1.37", "2.1.240", "2.1.100"] {
        SampleCatalog::new(version, &[("a.md", "One.")]).write(&system, ReplaceMode::No).unwrap();
    }
    let mut diagnostics = Diagnostics::new();
    let found: Vec<(String, String)> = versions(&system, &mut diagnostics)
        .into_iter()
        .map(|kept| (kept.version, code(kept.index)))
        .collect();
    let expected = [
        ("2.1.5", "catalog/damaged"),
        ("2.1.6", "catalog/damaged"),
        ("2.1.37", "fine"),
        ("2.1.100", "fine"),
        ("2.1.240", "fine"),
    ];
    assert_eq!(found, expected.map(|(version, code)| (version.to_owned(), code.to_owned())));
    assert_eq!(
        diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect::<Vec<_>>(),
        ["catalog/refused"]
    );
}

#[test]
fn no_version_leads_out() {
    let system = system().with_file("/state/secret.json", "{}").with_file("/state/x.json", "{}");
    for version in ["../x", "..", ".", "", "/state/x", "2.1.37/../../x"] {
        assert_eq!(code(index(&system, version)), "catalog/refused", "{version}");
        assert_eq!(code(remove(&system, version)), "catalog/refused", "{version}");
        assert_eq!(
            code(SampleCatalog::new(version, &[]).write(&system, ReplaceMode::Yes)),
            "catalog/refused"
        );
    }
}

#[test]
fn removing_takes_all_of_it_and_nothing_else() {
    let system = system();
    old().write(&system, ReplaceMode::No).unwrap();
    SampleCatalog::new("2.2", &[("a.md", "One.")]).write(&system, ReplaceMode::No).unwrap();
    remove(&system, "2.1.37").unwrap();
    assert_eq!(tree(&system), ["2.2.json"]);
    assert_eq!(code(remove(&system, "2.1.37")), "catalog/missing");
}

#[test]
fn a_name_that_is_not_there_gets_a_hint() {
    let diagnostic = no_prompt(&old().index, "Data: aa");
    assert_eq!(diagnostic.code.as_str(), "catalog/no-prompt");
    assert!(diagnostic.help.unwrap().starts_with("did you mean `Data: a`?"));
}
