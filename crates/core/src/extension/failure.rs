//! Failures of an extension's validation: the code of the error, and the location.

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Remedy, Severity},
    scope::Scope,
};
use std::fmt;

/// One fault of an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationFailure {
    /// The code of the error.
    pub code: DiagnosticCode,
    /// The field, a JSON Pointer into the manifest (`/inputSchema`), or into the configuration if that does not fit its
    /// schema; empty for the whole.
    pub pointer: String,
    /// The problem, without a full stop.
    pub message: String,
    /// The location in the file.
    pub place: Option<Place>,
    /// The remedy.
    pub help: Option<Remedy>,
}

impl ValidationFailure {
    /// Builds a failure.
    #[must_use]
    pub fn new(code: DiagnosticCode, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        let (pointer, message) = (pointer.into(), message.into());
        ValidationFailure { code, pointer, message, place: None, help: None }
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds the remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<Remedy>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Builds the diagnostic about an extension: `project/Bash (Tool): at /limit: …`; a message about anything but the
    /// configuration names its key itself. A failure with a lower entry to fall back to is a warning, any other one an error.
    #[must_use]
    pub fn diagnostic(&self, who: &impl fmt::Display, fallback: Option<Scope>) -> Diagnostic {
        let at = match (self.code, self.pointer.as_str()) {
            (DiagnosticCode::ConfigSchemaViolation, pointer) if !pointer.is_empty() => {
                format!("at {pointer}: ")
            }
            _ => String::new(),
        };
        let stays = fallback.map(|scope| format!("; the {scope} one stays")).unwrap_or_default();
        let message = format!("{who}: {at}{}{stays}", self.message);
        let severity = if fallback.is_some() { Severity::Warning } else { Severity::Error };
        let mut found = Diagnostic::new(severity, self.code, message).about(who);
        found.place.clone_from(&self.place);
        found.help.clone_from(&self.help);
        found
    }
}
