//! Failures of an extension's validation: the stage, the code of the error, and the location.

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    scope::Scope,
};
use std::fmt;

/// The stages of validation, in their order; before them the manifest is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValidationStage {
    /// Reading of the manifest: a JSON object at its place.
    Discovery,
    /// Validation of every field.
    Shape,
    /// Check that this core supports the contract version.
    ContractVersion,
    /// Check that this core meets the required version.
    RequiredCoreVersion,
    /// Check that the schema compiles and the configuration matches it.
    ConfigSchema,
    /// Check that the name is unique in its layer.
    Register,
}

impl ValidationStage {
    /// Returns the code of the error.
    #[must_use]
    pub fn code(self) -> DiagnosticCode {
        match self {
            ValidationStage::Discovery => DiagnosticCode::DiscoveryManifestInvalid,
            ValidationStage::Shape => DiagnosticCode::ShapeInvalid,
            ValidationStage::ContractVersion => DiagnosticCode::ContractVersionMismatch,
            ValidationStage::RequiredCoreVersion => DiagnosticCode::RequiredCoreVersionMismatch,
            ValidationStage::ConfigSchema => DiagnosticCode::ConfigSchemaViolation,
            ValidationStage::Register => DiagnosticCode::RegistrationConflict,
        }
    }
}

/// One fault of an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationFailure {
    /// The stage that found it.
    pub stage: ValidationStage,
    /// The code of the error, if it is not that of the stage: `hook/invalid-attachment`.
    pub code: Option<DiagnosticCode>,
    /// The field, a JSON Pointer into the manifest (`/inputSchema`), or into the configuration for `configSchema`; empty
    /// for the whole.
    pub pointer: String,
    /// The problem, without a full stop.
    pub message: String,
    /// The location in the file.
    pub place: Option<Place>,
    /// The remedy.
    pub help: Option<String>,
}

impl ValidationFailure {
    /// Builds a failure of a stage.
    #[must_use]
    pub fn new(stage: ValidationStage, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        ValidationFailure {
            stage,
            code: None,
            pointer: pointer.into(),
            message: message.into(),
            place: None,
            help: None,
        }
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds the remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Replaces the code of the stage.
    #[must_use]
    pub fn named(mut self, code: DiagnosticCode) -> Self {
        self.code = Some(code);
        self
    }

    /// Returns the code of the error.
    #[must_use]
    pub fn code(&self) -> DiagnosticCode {
        self.code.unwrap_or(self.stage.code())
    }

    /// Builds the diagnostic about an extension: `project/Bash (Tool): at /limit: …`; a message about anything but the
    /// configuration names its key itself. A failure with a lower entry to fall back to is a warning, any other one an error.
    #[must_use]
    pub fn diagnostic(&self, who: &impl fmt::Display, fallback: Option<Scope>) -> Diagnostic {
        let at = match (self.stage, self.pointer.as_str()) {
            (ValidationStage::ConfigSchema, pointer) if !pointer.is_empty() => format!("at {pointer}: "),
            _ => String::new(),
        };
        let stays = fallback.map(|scope| format!("; the {scope} one stays")).unwrap_or_default();
        let message = format!("{who}: {at}{}{stays}", self.message);
        let severity = if fallback.is_some() { Severity::Warning } else { Severity::Error };
        let mut found = Diagnostic::new(severity, self.code(), message).about(who);
        found.place.clone_from(&self.place);
        found.help.clone_from(&self.help);
        found
    }
}
