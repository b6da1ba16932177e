//! Laying one table over another: `extends`, variants and options all do it the same way.

use super::SECTION_KEYS;
use std::{collections::BTreeMap, sync::Arc};
use toml::{Table, Value};

/// The source of a key's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeySource {
    /// The name for origins: a profile, a profile and its variant, `--set`.
    pub(super) name: Arc<str>,
    /// The profile of the chain that wrote it, by its place; files that it names are looked up beside it.
    pub(super) raw: usize,
}

/// The sources of values by key path. The longest known prefix of a path is used.
#[derive(Clone, Debug, Default)]
pub(super) struct KeySources(BTreeMap<String, KeySource>);

impl KeySources {
    pub(super) fn of(&self, key: &str) -> Option<&KeySource> {
        let mut key = key;
        loop {
            if let Some(giver) = self.0.get(key) {
                return Some(giver);
            }
            key = &key[..key.rfind('.')?];
        }
    }
}

/// Merges `over` into `base`, tables key by key; everything else is replaced. `giver` is called with each key path.
pub(super) fn overlay(
    base: &mut Table,
    over: Table,
    givers: &mut KeySources,
    giver: &dyn Fn(&KeySources, &str) -> KeySource,
) {
    merge_tables(base, over, "", givers, giver);
}

fn merge_tables(
    base: &mut Table,
    over: Table,
    path: &str,
    givers: &mut KeySources,
    giver: &dyn Fn(&KeySources, &str) -> KeySource,
) {
    for (key, value) in over {
        let here = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (base.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => {
                if path == "section" {
                    // A text replaces that of a catalog.
                    if BODY.iter().any(|key| above.contains_key(*key)) {
                        below.remove("catalog");
                    }
                    // The other keys are options of the context provider that was: another body does not have them.
                    if BODY.iter().any(|key| above.contains_key(*key))
                        && above.get("fill") != below.get("fill")
                    {
                        below.retain(|key, _| SECTION_KEYS.contains(&key));
                    }
                    // A new body replaces the old one, whichever of the keys holds it; so does a new place.
                    for alike in [BODY.as_slice(), &PLACE] {
                        if alike.iter().any(|key| above.contains_key(*key)) {
                            for key in alike {
                                below.remove(*key);
                            }
                        }
                    }
                }
                merge_tables(below, above, &here, givers, giver);
            }
            (_, value) => {
                let by = giver(givers, &here);
                base.insert(key, value);
                givers.0.insert(here, by);
            }
        }
    }
}

/// The keys for the text of a section; one of them per section.
pub(super) const BODY: [&str; 4] = ["text", "file", "fill", "list"];

/// The keys for the position of a section; one of them per section.
pub(super) const PLACE: [&str; 2] = ["after", "before"];
