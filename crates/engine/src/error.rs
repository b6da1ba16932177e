//! What stops a call. Everything else is a diagnostic and comes with the prompt.

use crate::counters;
use preface_core::{
    budget::OverBudget, diagnostic::Diagnostic, pipeline::PipelineError, profile::ProfileError,
    variable::VariableKey,
};
use preface_host::settings_file::SettingsFileError;
use preface_store::StoreError;
use std::iter;

/// The reason why a call failed, by what the caller can do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The request asks for something that does not exist; the text and a help.
    #[error("{0}")]
    Usage(String, Option<String>),
    /// The profile cannot be used.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The catalog that was chosen is not there, or is another one.
    #[error("{}", .0.message)]
    Catalog(Box<Diagnostic>),
    /// A template is too deep or too large.
    #[error("{}", .0.message)]
    Render(Box<Diagnostic>),
    /// The part that must not be cut exceeds the budget.
    #[error(transparent)]
    Over(OverBudget),
    /// With `--trust require`: files are left out because they are untrusted.
    #[error("not trusted: {}", .0.listed())]
    Untrusted(UntrustedProject),
    /// A saved snapshot lacks a variable.
    #[error("the saved snapshot does not have the variable `{0}`")]
    Missing(VariableKey),
    /// A saved snapshot cannot be read.
    #[error("cannot read the saved snapshot: {0}")]
    World(String),
    /// The trust store cannot be written.
    #[error("{0}")]
    Trust(String),
    /// The store that keeps the template does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no place for a settings file.
    #[error(transparent)]
    Settings(Box<SettingsFileError>),
    /// The user chose to stop.
    #[error("stopped")]
    Abort,
}

/// The untrusted files that `--trust require` refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntrustedProject {
    /// The canonical path that a grant would be about.
    pub path: String,
    /// The texts, for people.
    pub sources: Vec<String>,
    /// The state of each text: `new`, `changed`, `missing`, …; empty for a project that is trusted as a whole.
    pub states: Vec<&'static str>,
}

impl UntrustedProject {
    /// Returns the texts with their states.
    fn listed(&self) -> String {
        let states = self.states.iter().map(Some).chain(iter::repeat(None));
        let one = |(source, state): (&String, Option<&&str>)| match state {
            Some(state) => format!("{source} ({state})"),
            None => source.clone(),
        };
        self.sources.iter().zip(states).map(one).collect::<Vec<_>>().join(", ")
    }
}

impl From<PipelineError> for Error {
    fn from(error: PipelineError) -> Self {
        match error {
            PipelineError::Render(error) => Error::Render(error),
            PipelineError::Over(over) => Error::Over(over),
            PipelineError::Missing(key) => Error::Missing(key),
            PipelineError::Counter(name) => counters::unknown(&name, ""),
        }
    }
}
