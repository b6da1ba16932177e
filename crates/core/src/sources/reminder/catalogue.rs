//! The reminders of a profile, and the check that an event is one of theirs.

use super::{DueReminder, Event, EventField, Reminder};
use crate::{
    input_error::InputError,
    json_type::json_type,
    settings::shown,
    suggestion::{quoted, suggest_or},
};
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
    pub fn check(&self, event: &Event) -> Result<DueReminder, InputError> {
        let Event { kind, fields } = event;
        let reminder = self.get(kind).ok_or_else(|| {
            let known = || self.0.keys().map(String::as_str);
            let help = suggest_or(kind, known(), || {
                format!("the types are {}", known().collect::<Vec<_>>().join(", "))
            });
            InputError::new(format!("unknown type of event: `{}`", shown(kind))).help(help)
        })?;
        let mut due = DueReminder {
            id: reminder.id.clone(),
            body: reminder.body.clone(),
            variables: BTreeMap::new(),
            one_line: BTreeMap::new(),
        };
        for (name, value) in fields {
            let field = reminder.field(name).ok_or_else(|| unknown_field(reminder, name))?;
            let read = field.kind.read(value).ok_or_else(|| {
                let (expects, found) = (field.kind.expects(), json_type(value));
                let error =
                    InputError::new(format!("`{name}` of the event `{kind}` must be {expects}, not {found}"));
                if value.is_null() && field.optional { error.help("leave it out") } else { error }
            })?;
            if read.is_some() && field.kind.is_one_line() {
                due.one_line.insert(name.clone(), field.kind);
            }
            due.variables.extend(read.map(|text| (name.clone(), text)));
        }
        let is_missing = |field: &&EventField| !field.optional && !fields.contains_key(&field.name);
        match reminder.fields.iter().find(is_missing) {
            Some(EventField { name, kind: of, .. }) => {
                Err(InputError::new(format!("the event `{kind}` needs `{name}`: {}", of.expects())))
            }
            None => Ok(due),
        }
    }
}

fn unknown_field(reminder: &Reminder, name: &str) -> InputError {
    let known = reminder.fields.iter().map(|field| field.name.as_str());
    let help = suggest_or(name, known, || match reminder.fields.as_slice() {
        [] => "it has no fields".to_owned(),
        fields => format!("its fields are {}", quoted(fields)),
    });
    InputError::new(format!("the event `{}` has no field `{}`", reminder.id, shown(name))).help(help)
}
