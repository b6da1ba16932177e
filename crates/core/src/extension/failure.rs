//! Failures of an extension's validation: the stage, the code of the error, and the location.

use super::category::Category;
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    scope::Scope,
    settings::shown,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The stages of validation, in their order; before them the manifest is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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
    /// Returns the name for diagnostics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ValidationStage::Discovery => "discovery",
            ValidationStage::Shape => "shape",
            ValidationStage::ContractVersion => "contractVersion",
            ValidationStage::RequiredCoreVersion => "requiredCoreVersion",
            ValidationStage::ConfigSchema => "configSchema",
            ValidationStage::Register => "register",
        }
    }

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

impl fmt::Display for ValidationStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One fault of an extension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidationFailure {
    /// The stage that found it.
    pub stage: ValidationStage,
    /// The code of the error, if it is not that of the stage: `hook/invalid-attachment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<DiagnosticCode>,
    /// The field, a JSON Pointer into the manifest (`/inputSchema`), or into the configuration for `configSchema`; empty
    /// for the whole.
    pub pointer: String,
    /// The problem, without a full stop.
    pub message: String,
    /// The location in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The remedy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

    /// Builds the diagnostic about an extension: `project/Bash (Tool): configSchema at /limit — …`; a message about the shape
    /// names its key itself. A failure with a lower entry to fall back to is a warning, any other one an error.
    #[must_use]
    pub fn diagnostic(&self, who: &impl fmt::Display, fallback: Option<Scope>) -> Diagnostic {
        let stage = match (self.stage, self.pointer.as_str()) {
            (ValidationStage::Shape, _) => String::new(),
            (stage, "") => format!("{stage} — "),
            (stage, pointer) => format!("{stage} at {pointer} — "),
        };
        let stays = fallback.map(|scope| format!("; the {scope} one stays")).unwrap_or_default();
        let message = format!("{who}: {stage}{}{stays}", self.message);
        let severity = if fallback.is_some() { Severity::Warning } else { Severity::Error };
        let mut found = Diagnostic::new(severity, self.code(), message).about(who);
        found.place.clone_from(&self.place);
        found.help.clone_from(&self.help);
        found
    }
}

/// The designation of an extension in a diagnostic: `project/Bash (Tool)`.
#[derive(Clone, Copy, Debug)]
pub struct ExtensionLabel<'a> {
    /// The layer of the extension.
    pub scope: Scope,
    /// The id of the extension.
    pub id: &'a str,
    /// The category of the extension.
    pub category: Category,
}

impl fmt::Display for ExtensionLabel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} ({})", self.scope, shown(self.id), self.category.kind())
    }
}
