//! The error of something that a caller gave: an event, a variable, the path of a setting.

use crate::diagnostic::Remedy;

/// The reason why something that a caller gave cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InputError {
    /// The message, which names what was given.
    pub message: String,
    /// The remedy.
    pub help: Option<Remedy>,
}

impl InputError {
    /// Builds an error without a remedy.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        InputError { message: message.into(), help: None }
    }

    /// Adds the remedy.
    #[must_use]
    pub fn help(self, help: impl Into<Remedy>) -> Self {
        InputError { help: Some(help.into()), ..self }
    }
}
