//! Errors that end a call. All other problems are diagnostics of the prompt.

use crate::saved_snapshot::SnapshotError;
use preface_core::{
    budget::OverBudget,
    diagnostic::{Diagnostic, DiagnosticCode, Place, Remedy},
    profile::ProfileError,
    variable::VariableKey,
};
use preface_host::trust::TrustError;
use preface_store::StoreError;
use std::iter;

/// The reason why a call failed, by what the caller can do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The request names something that does not exist: the message and the help.
    #[error("{0}")]
    Usage(String, Option<Remedy>),
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
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The trust store cannot be written.
    #[error("{0}")]
    Trust(String, Option<Remedy>),
    /// The store that keeps the template does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no place for a settings file.
    #[error("{}", .0.message)]
    Settings(Box<Diagnostic>),
    /// The user chose to stop.
    #[error("stopped")]
    Abort,
}

impl Error {
    /// Returns the code, which stays the same over versions.
    #[must_use]
    pub fn code(&self) -> DiagnosticCode {
        match self {
            Error::Usage(..) => DiagnosticCode::Usage,
            // An unknown name has no location in a file.
            Error::Profile(error) if error.place.path.is_empty() => DiagnosticCode::Usage,
            Error::Catalog(diagnostic) | Error::Render(diagnostic) => diagnostic.code,
            Error::Over(_) => DiagnosticCode::BudgetOver,
            Error::Untrusted(_) => DiagnosticCode::TrustRequired,
            _ => DiagnosticCode::Failed,
        }
    }

    /// Returns the place in a file, if there is one.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        let place = match self {
            Error::Profile(error) => Some(&*error.place),
            Error::Catalog(found) | Error::Render(found) | Error::Settings(found) => found.place.as_ref(),
            _ => None,
        };
        place.filter(|place| !place.path.is_empty())
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> Option<Remedy> {
        match self {
            Error::Usage(_, help) => help.clone(),
            Error::Profile(error) => error.help.clone(),
            Error::Catalog(found) | Error::Render(found) | Error::Settings(found) => found.help.clone(),
            Error::Over(over) => Some(over.help().into()),
            Error::Untrusted(_) => Some(Remedy::command("review the files, then trust them", "trust grant")),
            Error::Missing(_) | Error::Snapshot(_) => {
                Some("another version wrote it, or it was changed by hand; save the snapshot again".into())
            }
            Error::Store(error) => error.help().map(Remedy::from),
            Error::Trust(_, help) => help.clone(),
            Error::Abort => None,
        }
    }
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

impl From<TrustError> for Error {
    fn from(error: TrustError) -> Self {
        Error::Trust(error.to_string(), Some(error.help()))
    }
}
