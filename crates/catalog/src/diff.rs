//! The difference between two catalogs, by the names of their prompts.

use preface_core::catalog::{CatalogEntry, CatalogIndex};
use serde::Serialize;
use std::collections::BTreeMap;

/// The difference between two catalogs. Lists are sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CatalogDifference {
    /// Prompts that only the second has.
    pub added: Vec<CatalogPrompt>,
    /// Prompts that only the first has.
    pub removed: Vec<CatalogPrompt>,
    /// Prompts that were renamed, as it seems. None of them is among the added or the removed.
    pub renamed: Vec<PromptRename>,
    /// Prompts that both have, with other files.
    pub changed: Vec<PromptChange>,
    /// The number of prompts with the very same file in both.
    pub same: usize,
}

/// A prompt in one of two catalogs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CatalogPrompt {
    /// The name of the prompt.
    pub name: String,
    /// The file of the prompt.
    pub file: String,
    /// The bytes of its body.
    pub bytes: usize,
    /// The tokens of the prompt, if the README has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
}

/// A prompt that has another name in the second catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptRename {
    /// The prompt in the first catalog.
    pub before: CatalogPrompt,
    /// The prompt in the second catalog.
    pub after: CatalogPrompt,
    /// The property that both prompts share.
    pub because: Likeness,
    /// The differences in the names that they declare.
    pub variables: VariableDifference,
}

/// The property that two prompts of different names have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// The digest of the file.
    File,
    /// The name of the file, dashes aside.
    FileName,
}

/// A prompt that both catalogs have, with other files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptChange {
    /// The prompt in the first catalog.
    pub before: CatalogPrompt,
    /// The prompt in the second catalog.
    pub after: CatalogPrompt,
    /// The differences in the names that it declares.
    pub variables: VariableDifference,
}

/// The names that only one side declares, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VariableDifference {
    /// Those of the second alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Those of the first alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

/// Compares two catalogs.
///
/// A prompt of the first and one of the second with other names are taken for one that was renamed if they are the only
/// two left with the same file, or with file names that are the same without their dashes.
#[must_use]
pub fn diff(a: &CatalogIndex, b: &CatalogIndex) -> CatalogDifference {
    let mut difference = CatalogDifference::default();
    let (mut removed, mut added) = (by_name(a), by_name(b));
    for (name, before) in by_name(a) {
        let Some(after) = added.remove(name) else { continue };
        removed.remove(name);
        if before.digest == after.digest {
            difference.same += 1;
        } else {
            let variables = names(before, after);
            difference.changed.push(PromptChange { before: side(before), after: side(after), variables });
        }
    }
    for likeness in [Likeness::File, Likeness::FileName] {
        let (first, second) = (single(&removed, likeness), single(&added, likeness));
        for (key, before) in first {
            let Some(after) = second.get(&key) else { continue };
            removed.remove(&*before.name);
            added.remove(&*after.name);
            let variables = names(before, after);
            difference.renamed.push(PromptRename {
                before: side(before),
                after: side(after),
                because: likeness,
                variables,
            });
        }
    }
    difference.renamed.sort_by(|a, b| a.before.name.cmp(&b.before.name));
    difference.removed = removed.into_values().map(side).collect();
    difference.added = added.into_values().map(side).collect();
    difference
}

fn by_name(index: &CatalogIndex) -> BTreeMap<&str, &CatalogEntry> {
    index.prompts.iter().map(|entry| (&*entry.name, entry)).collect()
}

/// Returns the entries that no other has the likeness of.
fn single<'i>(
    entries: &BTreeMap<&str, &'i CatalogEntry>,
    likeness: Likeness,
) -> BTreeMap<String, &'i CatalogEntry> {
    let mut found: BTreeMap<String, Option<&CatalogEntry>> = BTreeMap::new();
    for entry in entries.values().copied() {
        let key = match likeness {
            Likeness::File => entry.digest.clone(),
            Likeness::FileName => entry.file.replace('-', ""),
        };
        found.entry(key).and_modify(|already| *already = None).or_insert(Some(entry));
    }
    found.into_iter().filter_map(|(key, entry)| Some((key, entry?))).collect()
}

fn names(before: &CatalogEntry, after: &CatalogEntry) -> VariableDifference {
    let missing = |from: &CatalogEntry, of: &CatalogEntry| {
        let mut names: Vec<String> =
            of.variables.iter().filter(|name| !from.variables.contains(name)).cloned().collect();
        names.sort();
        names
    };
    VariableDifference { added: missing(before, after), removed: missing(after, before) }
}

fn side(entry: &CatalogEntry) -> CatalogPrompt {
    CatalogPrompt {
        name: entry.name.clone(),
        file: entry.file.clone(),
        bytes: entry.bytes,
        tokens: entry.tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use preface_core::catalog::Generation;

    fn entry(name: &str, file: &str, digest: &str, variables: &[&str]) -> CatalogEntry {
        CatalogEntry {
            name: name.to_owned(),
            file: file.to_owned(),
            description: String::new(),
            changed_in: String::new(),
            variables: variables.iter().map(|name| (*name).to_owned()).collect(),
            tokens: Some(u32::try_from(digest.len()).unwrap()),
            bytes: digest.len(),
            values: 0,
            kept: 0,
            digest: digest.to_owned(),
            compiled: String::new(),
        }
    }

    fn index(prompts: Vec<CatalogEntry>) -> CatalogIndex {
        let (version, digest) = ("2.1.37".to_owned(), String::new());
        CatalogIndex { format: 1, version, generation: Generation::A, digest, prompts }
    }

    #[test]
    fn prompts_are_matched_by_name_and_what_is_left_by_likeness() {
        let a = index(vec![
            entry("Same", "same.md", "same", &[]),
            entry("Changed", "changed.md", "one", &["KEPT", "OLD"]),
            entry("Moved file, same bytes", "moved.md", "moved", &[]),
            entry("Old words", "claudemd-notes.md", "aa", &["A"]),
            entry("Gone", "gone.md", "gone", &[]),
        ]);
        let b = index(vec![
            entry("Same", "another-place.md", "same", &[]),
            entry("Changed", "changed.md", "three", &["NEW", "KEPT", "ALSO"]),
            entry("New name, same bytes", "elsewhere.md", "moved", &[]),
            entry("New words", "claude-md-notes.md", "bbbb", &["B"]),
            entry("New", "new.md", "new", &[]),
        ]);
        let found = diff(&a, &b);
        assert_eq!(found.same, 1, "the path of a file does not count");
        let [changed] = &*found.changed else { panic!("{found:?}") };
        assert_eq!((changed.before.bytes, changed.after.bytes), (3, 5));
        assert_eq!((changed.before.tokens, changed.after.tokens), (Some(3), Some(5)));
        assert_eq!(
            (&*changed.variables.added, &*changed.variables.removed),
            (&["ALSO".to_owned(), "NEW".to_owned()][..], &["OLD".to_owned()][..])
        );
        let renamed: Vec<_> =
            found.renamed.iter().map(|r| (&*r.before.name, &*r.after.name, r.because)).collect();
        assert_eq!(
            renamed,
            [
                ("Moved file, same bytes", "New name, same bytes", Likeness::File),
                ("Old words", "New words", Likeness::FileName),
            ]
        );
        assert_eq!(found.removed.iter().map(|side| &*side.name).collect::<Vec<_>>(), ["Gone"]);
        assert_eq!(found.added.iter().map(|side| &*side.name).collect::<Vec<_>>(), ["New"]);
    }

    #[test]
    fn a_likeness_of_several_is_no_rename() {
        let a = index(vec![entry("One", "one.md", "x", &[]), entry("Two", "two.md", "x", &[])]);
        let b = index(vec![entry("Three", "three.md", "x", &[])]);
        let found = diff(&a, &b);
        assert_eq!((found.renamed.len(), found.removed.len(), found.added.len()), (0, 2, 1));
    }

    #[test]
    fn a_catalog_is_the_same_as_itself() {
        let a = index(vec![entry("One", "one.md", "x", &["A"])]);
        assert_eq!(diff(&a, &a), CatalogDifference { same: 1, ..CatalogDifference::default() });
    }
}
