//! The reminders of a profile, and the events that trigger them.

use crate::{Engine, Error, input::Inputs};
use preface_core::{
    attachment::Attachment,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy},
    input_error::InputError,
    pipeline,
    profile::Profile,
    reminder::{DueReminder, Event, MOST_EVENTS, ReminderCatalog, is_about_reminders},
    snapshot::Snapshot,
    variable::VariableKey,
};
use preface_host::{
    places::Places,
    provider::{self, context::Headless},
    reminders,
};
use serde_json::Value;

impl Engine<'_> {
    /// Returns the problems of the reminder files of a profile.
    pub(crate) fn reminder_problems(&self, profile: &Profile, places: &Places) -> Diagnostics {
        let mut diagnostics = Diagnostics::new();
        self.catalogue(profile, places, &mut diagnostics);
        diagnostics.retain(is_about_reminders);
        diagnostics
    }

    /// Returns the reminders that events trigger, in the order of the events. Nothing is read if there are no
    /// events.
    pub(crate) fn due(
        &self,
        events: &[Value],
        profile: &Profile,
        places: &Places,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<DueReminder>, Error> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        if events.len() > MOST_EVENTS {
            return Err(Error::Usage(format!("more than {MOST_EVENTS} events"), None));
        }
        let catalogue = self.catalogue(profile, places, diagnostics);
        let events = events.iter().enumerate().map(|(at, event)| {
            Event::read(event).map(|event| (at, event)).map_err(|error| refused(at, events.len(), &error))
        });
        let events = events.collect::<Result<Vec<_>, _>>()?;
        if catalogue.is_empty() {
            let message = format!("the profile `{}` has no reminders: events have no effect", profile.name);
            let diagnostic = Diagnostic::warning(DiagnosticCode::ReminderNone, message);
            diagnostics.push(Diagnostic { help: help_for_none(places), ..diagnostic });
            return Ok(Vec::new());
        }
        let many = events.len();
        let due = events
            .iter()
            .map(|(at, event)| catalogue.check(event).map_err(|error| refused(*at, many, &error)));
        due.collect()
    }

    /// Renders reminders for a conversation, with this machine answering for variables.
    pub(crate) fn remind(
        &self,
        due: &[DueReminder],
        inputs: &Inputs,
        snapshot: &Snapshot,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<Attachment>, Error> {
        let context = self.context(inputs, &snapshot.turn, &Headless);
        let mut answer = |key: &VariableKey| Some(provider::resolve(key, &context));
        let (attachments, more) = pipeline::remind(due, &snapshot.profile, &snapshot.turn, &mut answer)?;
        diagnostics.extend(more);
        diagnostics.extend(context.diagnostics.take());
        Ok(attachments)
    }

    pub(crate) fn catalogue(
        &self,
        profile: &Profile,
        places: &Places,
        diagnostics: &mut Diagnostics,
    ) -> ReminderCatalog {
        reminders::catalogue(self.system(), profile.bundle.as_deref(), places, diagnostics)
    }
}

/// Returns the help for a profile without reminders: the file that adds one.
pub(crate) fn help_for_none(places: &Places) -> Option<Remedy> {
    let file = places.global.as_ref()?.join("reminders/NAME.md");
    Some(format!("add one: `{}`", places.shown(&file)).into())
}

/// Returns the error for an event; with several events it names the position.
fn refused(at: usize, of: usize, error: &InputError) -> Error {
    let what = match of {
        1 => error.to_string(),
        _ => format!("event {} of {of}: {error}", at + 1),
    };
    Error::Usage(what, error.help.clone())
}
