//! Events of a session, and the reminders that they trigger.

use super::Session;
use crate::Error;
use serde_json::Value;

impl Session<'_> {
    /// Takes what happened: an event, as a JSON object with a `type`. The reminder that it calls for goes with the next
    /// request, once; the prompt and the messages stay as they are.
    ///
    /// # Errors
    /// The profile has no such reminder, or the event lacks a value that the reminder needs. Then nothing is sent.
    pub fn remind(&mut self, event: &Value) -> Result<(), Error> {
        let Session { engine, inputs, snapshot, diagnostics, reminders, .. } = self;
        let due = engine.due(std::slice::from_ref(event), &snapshot.profile, inputs.places(), diagnostics)?;
        reminders.extend(engine.remind(&due, inputs, snapshot, diagnostics)?);
        Ok(())
    }
}
