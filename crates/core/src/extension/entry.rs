//! One row of a listing: an extension of one layer, whether it is active, and what it has to do with others of its name.

use super::{
    ability::{Ability, Action},
    category::Category,
    slot::Slot,
};
use crate::{diagnostic::Diagnostic, scope::Scope, settings::SetBy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where an entry comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryOrigin {
    /// The layer.
    pub scope: Scope,
    /// The manifest, or whatever else declares it, for people.
    pub path: String,
}

/// Who switched an entry off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisabledBy {
    /// The layer, or the caller.
    pub scope: SetBy,
    /// The file that says so.
    pub path: String,
    /// Its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// How an entry fared in validation and with those who can switch it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is sound. Whether it is active is another question: a stronger one may hide it.
    Ok,
    /// It failed validation, or it was switched off.
    Disabled,
    /// It needs a grant and has none; the entry below it stays active until it does.
    Pending,
    /// It waits for trust; nobody looked at what it says.
    Held,
}

/// An extension of one layer. In JSON it is a row of `preface scopes --format json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What it is.
    pub category: Category,
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub origin: EntryOrigin,
    /// True where this one answers to its name (a hook: where it takes part).
    pub active: bool,
    /// True where it is active, complete, and may do what it does.
    pub runnable: bool,
    /// The sound entries of lower layers that it hides, the nearest first.
    pub shadows: Vec<EntryOrigin>,
    /// The entry of a higher layer that hides it.
    pub shadowed_by: Option<EntryOrigin>,
    /// Who switched it off.
    pub disabled_by: Option<DisabledBy>,
    /// The override that cannot be used, which it stays active in spite of.
    pub fallback_from: Option<EntryOrigin>,
    /// Its place in its slot, from 0, where it is a hook that takes part.
    pub order: Option<usize>,
    /// Its slot, where it is a hook.
    pub slot: Option<Slot>,
    /// The strongest layer whose configuration counts.
    pub config_scope: SetBy,
    /// How it fared.
    pub status: Status,
    /// One line about it.
    pub about: Option<String>,
    /// What it would do to the machine.
    pub action: Option<Action>,
    /// What came up about it.
    pub diagnostics: Vec<Diagnostic>,
    /// What it brings; `None` where preface has it built in, or where it failed.
    #[serde(skip)]
    pub ability: Option<Ability>,
    /// Its configuration: the manifest's, with what settings change. It may hold what no listing may show.
    #[serde(skip)]
    pub config: Map<String, Value>,
}

impl Entry {
    pub(super) fn new(category: Category, name: &str, origin: EntryOrigin) -> Self {
        Entry {
            category,
            name: name.to_owned(),
            active: false,
            runnable: false,
            shadows: Vec::new(),
            shadowed_by: None,
            disabled_by: None,
            fallback_from: None,
            order: None,
            slot: None,
            config_scope: origin.scope.into(),
            status: Status::Ok,
            about: None,
            action: None,
            diagnostics: Vec::new(),
            ability: None,
            config: Map::new(),
            origin,
        }
    }

    /// True where the entry would start a program, talk to an address or write a file, and comes from a project: that
    /// needs a grant of its own.
    #[must_use]
    pub fn needs_grant(&self) -> bool {
        self.origin.scope == Scope::Project && self.action.is_some()
    }
}
