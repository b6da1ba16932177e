//! Why an event calls for nothing.

use crate::diagnostic::Remedy;

/// An event that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EventError {
    /// The message, which names the event or the field.
    pub message: String,
    /// The remedy.
    pub help: Option<Remedy>,
}

impl EventError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        EventError { message: message.into(), help: None }
    }

    pub(super) fn help(self, help: impl Into<Remedy>) -> Self {
        EventError { help: Some(help.into()), ..self }
    }
}
