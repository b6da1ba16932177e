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
    templates: Vec<String>,
}

impl SampleCatalog {
    fn new(version: &str, prompts: &[(&str, &str)]) -> Self {
        let (mut entries, mut templates) = (Vec::new(), Vec::new());
        for (file, words) in prompts {
            let name = format!("Data: {}", file.trim_end_matches(".md"));
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
            templates.push((*words).to_owned());
        }
        let index = CatalogIndex {
            format: INDEX_FORMAT,
            version: version.to_owned(),
            generation: Generation::A,
            converter: 1,
            digest: CatalogIndex::digest_of_entries(&entries),
            prompts: entries,
        };
        SampleCatalog { index, templates }
    }

    fn write(
        &self,
        system: &MemorySystem,
        replace: ReplaceMode,
    ) -> Result<CatalogWriteOutcome, Box<Diagnostic>> {
        write(system, &self.index, &self.templates, replace)
    }

    /// True if all of it can be read back as it was written.
    fn stands(&self, system: &MemorySystem) -> bool {
        let whole = |entry: &CatalogEntry| template(system, &self.index, &entry.name).is_ok();
        index(system, &self.index.version).is_ok_and(|index| index == self.index)
            && self.index.prompts.iter().all(whole)
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
    assert_eq!(tree(&system), ["2.1.37", "2.1.37/a.md", "2.1.37/b.md", "2.1.37/index.json"]);
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
    assert!(!tree(&system).iter().any(|path| path.ends_with("a.md")), "nothing of the old one is left");
}

#[test]
fn an_import_that_is_interrupted_at_any_step_is_an_error_or_whole_and_can_be_repeated() {
    for step in 0.. {
        let system = system();
        old().write(&system, ReplaceMode::No).unwrap();
        system.fail_step(step, WriteFault::Crash);
        if new().write(&system, ReplaceMode::Yes).is_ok() {
            assert!(step > 6, "there were steps to crash at");
            break;
        }
        system.restart();
        if let Ok(index) = index(&system, "2.1.37") {
            assert!(index == old().index || index == new().index, "step {step}");
        }
        new().write(&system, ReplaceMode::Yes).unwrap();
        assert!(new().stands(&system));
        assert_eq!(tree(&system).len(), 4, "step {step}: {:?}", tree(&system));
    }
}

#[test]
fn a_changed_byte_is_found_where_it_is_read() {
    for path in ["index.json", "a.md"] {
        let system = system();
        old().write(&system, ReplaceMode::No).unwrap();
        let path = format!("/state/catalogs/2.1.37/{path}");
        let mut bytes = system.read(path.as_ref(), ReadScope::Anywhere, 9999).unwrap().into_bytes();
        // A digit of the digest of the first entry, or any byte of a text.
        let at = match bytes.windows(7).position(|window| window == b"blake3:") {
            Some(at) => at + 10,
            None => bytes.len() / 2,
        };
        bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
        system.put_file(&path, bytes);
        let found = match index(&system, "2.1.37") {
            Err(diagnostic) => diagnostic,
            Ok(index) => template(&system, &index, "Data: a").unwrap_err(),
        };
        assert_eq!(found.code.as_str(), "catalog/damaged", "{path}");
        assert_eq!(found.place.unwrap().path, path);
        assert!(old().write(&system, ReplaceMode::No).is_ok());
        assert!(old().stands(&system), "importing again puts {path} right");
    }
}

#[test]
fn versions_are_listed_by_their_numbers() {
    let system = system()
        .with_dir("/state/catalogs/2.1.4")
        .with_dir("/state/catalogs/drafts")
        .with_file("/state/catalogs/2.1.5/index.json", "{\"format\":9}")
        .with_file("/state/catalogs/2.1.6/index.json", "[");
    for version in ["2.1.37", "2.1.240", "2.1.100"] {
        SampleCatalog::new(version, &[("a.md", "One.")]).write(&system, ReplaceMode::No).unwrap();
    }
    let mut diagnostics = Diagnostics::new();
    let found: Vec<(String, String)> = versions(&system, &mut diagnostics)
        .into_iter()
        .map(|kept| (kept.version, code(kept.index)))
        .collect();
    let expected = [
        ("2.1.4", "catalog/missing"),
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
fn no_version_and_no_name_leads_out() {
    let system = system().with_file("/state/secret.json", "{}").with_file("/state/x/index.json", "{}");
    for version in ["../x", "..", ".", "", "/state/x", "2.1.37/../../x"] {
        assert_eq!(code(index(&system, version)), "catalog/refused", "{version}");
        assert_eq!(code(remove(&system, version)), "catalog/refused", "{version}");
        assert_eq!(
            code(SampleCatalog::new(version, &[]).write(&system, ReplaceMode::Yes)),
            "catalog/refused"
        );
    }
    for file in ["../secret.md", "..md", "a/b.md", ".md"] {
        assert_eq!(
            code(SampleCatalog::new("1.0", &[(file, "")]).write(&system, ReplaceMode::Yes)),
            "catalog/refused"
        );
    }
    for pair in [["a.md", "a.md"], ["a.md", "A.md"]] {
        let made = SampleCatalog::new("1.0", &pair.map(|file| (file, "")));
        assert_eq!(code(made.write(&system, ReplaceMode::Yes)), "catalog/refused", "{pair:?}");
    }
    // An index that was changed by hand is no way out either.
    let mut made = SampleCatalog::new("1.0", &[("a.md", "One.")]);
    made.write(&system, ReplaceMode::No).unwrap();
    made.index.prompts[0].file = "../../../../secret.md".into();
    system.put_file("/state/catalogs/1.0/index.json", serde_json::to_vec(&made.index).unwrap());
    let diagnostic = index(&system, "1.0").unwrap_err();
    assert!(diagnostic.message.contains("cannot be kept"), "{}", diagnostic.message);
}

#[test]
fn removing_takes_all_of_it_and_nothing_else() {
    let system = system();
    old().write(&system, ReplaceMode::No).unwrap();
    SampleCatalog::new("2.2", &[("a.md", "One.")]).write(&system, ReplaceMode::No).unwrap();
    let others: Vec<String> = tree(&system).into_iter().filter(|path| path.starts_with("2.2")).collect();
    remove(&system, "2.1.37").unwrap();
    assert_eq!(tree(&system), others);
    assert_eq!(code(remove(&system, "2.1.37")), "catalog/missing");

    system.put_file("/state/catalogs/2.2/mine.txt", "notes of a person");
    assert_eq!(code(remove(&system, "2.2")), "catalog/not-written");
    assert_eq!(tree(&system), ["2.2", "2.2/mine.txt"]);
}

#[test]
fn a_name_that_is_not_there_gets_a_hint() {
    let system = system();
    old().write(&system, ReplaceMode::No).unwrap();
    let diagnostic = template(&system, &old().index, "Data: aa").unwrap_err();
    assert_eq!(diagnostic.code.as_str(), "catalog/no-prompt");
    assert!(diagnostic.help.unwrap().starts_with("did you mean `Data: a`?"));
}
