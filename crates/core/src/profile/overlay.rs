//! Laying one table over another: `extends`, variants and options all do it the same way.

use std::{collections::BTreeMap, sync::Arc};
use toml::{Table, Value};

/// Which profile gave a key path its value, for origins. The longest known prefix of a path answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Givers(BTreeMap<String, Arc<str>>);

impl Givers {
    pub(super) fn of(&self, key: &str) -> Option<Arc<str>> {
        let mut key = key;
        loop {
            if let Some(name) = self.0.get(key) {
                return Some(name.clone());
            }
            key = &key[..key.rfind('.')?];
        }
    }
}

/// Lays `over` on `base`. Tables merge key by key, everything else is replaced.
pub(super) fn overlay(base: &mut Table, over: Table, giver: &Arc<str>, givers: &mut Givers) {
    lay(base, over, "", giver, givers);
}

fn lay(base: &mut Table, over: Table, path: &str, giver: &Arc<str>, givers: &mut Givers) {
    for (key, value) in over {
        let here = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (base.get_mut(&key), value) {
            // A new body replaces the old one, whichever of the three keys holds it.
            (Some(Value::Table(below)), Value::Table(above)) => {
                if path == "section" && BODY.iter().any(|body| above.contains_key(*body)) {
                    for body in BODY {
                        below.remove(body);
                    }
                }
                lay(below, above, &here, giver, givers);
            }
            (_, value) => {
                base.insert(key, value);
                givers.0.insert(here, giver.clone());
            }
        }
    }
}

/// The keys that say what a section says; one of them per section.
pub(super) const BODY: [&str; 4] = ["text", "file", "fill", "list"];
