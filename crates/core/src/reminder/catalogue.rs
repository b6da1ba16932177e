//! The reminders of a profile, and the check that an event is one of theirs.

use super::{DueReminder, Event, EventError, Reminder};
use crate::{json_type::json_type, suggestion::did_you_mean};
use std::collections::BTreeMap;

/// The reminders of a profile, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReminderCatalog(BTreeMap<String, Reminder>);

impl ReminderCatalog {
    /// Puts a reminder into it, in the place of one with the same id.
    pub fn put(&mut self, reminder: Reminder) {
        self.0.insert(reminder.id.as_str().to_owned(), reminder);
    }

    /// Returns the reminder for a type of event.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Reminder> {
        self.0.get(id)
    }

    /// Walks over the reminders, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Reminder> {
        self.0.values()
    }

    /// Returns true if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the reminder of an event.
    ///
    /// # Errors
    /// A type that no reminder has; then the first field that is unknown, of another type, or missing.
    pub fn check(&self, event: &Event) -> Result<DueReminder, EventError> {
        let Event { kind, fields } = event;
        let reminder = self.get(kind).ok_or_else(|| EventError::UnknownType {
            kind: kind.clone(),
            near: did_you_mean(kind, self.0.keys().map(String::as_str)).map(str::to_owned),
            known: self.0.keys().cloned().collect(),
        })?;
        let mut variables = BTreeMap::new();
        for (name, value) in fields {
            let field = reminder.field(name).ok_or_else(|| unknown_field(reminder, name))?;
            let read = field.kind.read(value).ok_or_else(|| EventError::WrongType {
                kind: kind.clone(),
                field: field.clone(),
                found: json_type(value),
            })?;
            if let Some(text) = read {
                variables.insert(name.clone(), text);
            }
        }
        let missing =
            reminder.fields.iter().find(|field| !field.optional && !fields.contains_key(&field.name));
        match missing {
            Some(field) => Err(EventError::Missing { kind: kind.clone(), field: field.clone() }),
            None => {
                let fields = reminder.fields.iter();
                let one_line = fields
                    .filter(|field| field.kind.is_one_line() && variables.contains_key(&field.name))
                    .map(|field| (field.name.clone(), field.kind))
                    .collect();
                Ok(DueReminder { id: reminder.id.clone(), body: reminder.body.clone(), variables, one_line })
            }
        }
    }
}

fn unknown_field(reminder: &Reminder, name: &str) -> EventError {
    EventError::UnknownField {
        kind: reminder.id.as_str().to_owned(),
        name: name.to_owned(),
        near: did_you_mean(name, reminder.fields.iter().map(|field| field.name.as_str())).map(str::to_owned),
        known: reminder.fields.clone(),
    }
}
