//! What is wrong with an extension: the stage that found it, the error's name, and where.

use super::category::Category;
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    scope::Scope,
    settings::shown,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The stages of validation, in their order; before them comes the reading of the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// The manifest is read: a JSON object where it belongs.
    Discovery,
    /// Every field is what it must be.
    Shape,
    /// It is written for a contract that this core knows.
    ContractVersion,
    /// This core is new enough, or old enough.
    RequiredCoreVersion,
    /// Its schema is one, and its configuration fits it.
    ConfigSchema,
    /// Nobody else in its layer has its name.
    Register,
}

impl Stage {
    /// Returns the name that notes use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Discovery => "discovery",
            Stage::Shape => "shape",
            Stage::ContractVersion => "contractVersion",
            Stage::RequiredCoreVersion => "requiredCoreVersion",
            Stage::ConfigSchema => "configSchema",
            Stage::Register => "register",
        }
    }

    /// Returns the name of the error.
    #[must_use]
    pub fn code(self) -> DiagnosticCode {
        match self {
            Stage::Discovery => DiagnosticCode::DiscoveryManifestInvalid,
            Stage::Shape => DiagnosticCode::ShapeInvalid,
            Stage::ContractVersion => DiagnosticCode::ContractVersionMismatch,
            Stage::RequiredCoreVersion => DiagnosticCode::RequiredCoreVersionMismatch,
            Stage::ConfigSchema => DiagnosticCode::ConfigSchemaViolation,
            Stage::Register => DiagnosticCode::RegistrationConflict,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One thing that is wrong with an extension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The stage that found it.
    pub stage: Stage,
    /// The error's name, where it is not that of the stage: `hook/invalid-attachment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<DiagnosticCode>,
    /// The field, a JSON Pointer into the manifest (`/inputSchema`), or into the configuration for `configSchema`; empty
    /// for the whole.
    pub pointer: String,
    /// What is wrong, without a full stop.
    pub message: String,
    /// Where it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Failure {
    /// Builds a failure of a stage.
    #[must_use]
    pub fn new(stage: Stage, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Failure {
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

    /// Adds what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Gives it a name of its own.
    #[must_use]
    pub fn named(mut self, code: DiagnosticCode) -> Self {
        self.code = Some(code);
        self
    }

    /// Returns the error's name.
    #[must_use]
    pub fn code(&self) -> DiagnosticCode {
        self.code.unwrap_or(self.stage.code())
    }

    /// Says it of an extension, as a note: `project/Bash (Tool): shape — …`. A failure with a lower entry to fall back to
    /// is a warning, any other one an error.
    #[must_use]
    pub fn diagnostic(&self, who: &impl fmt::Display, fallback: Option<Scope>) -> Diagnostic {
        let pointer = match self.pointer.as_str() {
            "" => String::new(),
            pointer => format!(" at {pointer}"),
        };
        let stays = fallback.map(|scope| format!("; the {scope} one stays")).unwrap_or_default();
        let message = format!("{who}: {}{pointer} — {}{stays}", self.stage, self.message);
        let severity = if fallback.is_some() { Severity::Warning } else { Severity::Error };
        let mut note = Diagnostic::new(severity, self.code(), message);
        note.place.clone_from(&self.place);
        note.help.clone_from(&self.help);
        note
    }
}

/// Names an extension in a note: `project/Bash (Tool)`.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// Its layer.
    pub scope: Scope,
    /// Its id.
    pub id: &'a str,
    /// What it is.
    pub category: Category,
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} ({})", self.scope, shown(self.id), self.category.kind())
    }
}
