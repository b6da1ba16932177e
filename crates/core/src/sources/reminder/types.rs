//! One reminder, and one that is to be sent.

use super::{EventField, FieldKind};
use crate::{
    origin::{Piece, Source},
    section::SectionId,
    variable::VariableKey,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

/// The variable type of an event's fields.
pub(crate) const EVENT: &str = "event";

/// A text for one type of event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reminder {
    /// The id of the reminder, which is the type of its event.
    pub id: SectionId,
    /// A description of the event, in one sentence.
    pub description: String,
    /// The fields of its event, in the file's order.
    pub fields: Vec<EventField>,
    /// The text, a template; empty if the reminder is disabled.
    pub body: Vec<Piece>,
    /// The file that defines the reminder.
    pub source: Arc<Source>,
}

impl Reminder {
    /// Returns true if the reminder is disabled: its text is empty.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.body.iter().all(|piece| piece.text.is_empty())
    }

    /// Returns the field with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&EventField> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// A reminder that an event triggers, with the event's fields. Part of the [`Snapshot`](crate::snapshot::Snapshot).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DueReminder {
    /// The reminder.
    pub id: SectionId,
    /// The text, a template.
    #[serde(default)]
    pub body: Vec<Piece>,
    /// The fields of the event that exist, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// The types of those that are written on one line.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub one_line: BTreeMap<String, FieldKind>,
}

impl DueReminder {
    /// Returns the key under which templates name a field.
    #[must_use]
    pub fn key(field: &str) -> VariableKey {
        VariableKey::new(EVENT, field)
    }
}
