//! What stops a call. Everything else is a diagnostic and comes with the prompt.

use crate::counters;
use preface_core::{
    budget::OverBudget, diagnostic::Diagnostic, fact::FactKey, line::LineError, profile::ProfileError,
};
use preface_host::settings_file::SettingsFileError;
use preface_store::StoreError;
use std::fmt;

/// What stops a call, by what the caller can do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The request asks for something that does not exist; the text and a hint.
    Usage(String, Option<String>),
    /// The profile cannot be used.
    Profile(ProfileError),
    /// The catalog that was chosen is not there, or is another one.
    Catalog(Box<Diagnostic>),
    /// A template is too deep or too large.
    Render(Box<Diagnostic>),
    /// What must not be cut does not fit the budget.
    Over(OverBudget),
    /// `--trust require`, and something is held.
    Held(Held),
    /// A saved world lacks a fact.
    Missing(FactKey),
    /// A saved world cannot be read.
    World(String),
    /// The trust store cannot be written.
    Trust(String),
    /// The store that keeps the template does not answer.
    Store(StoreError),
    /// There is no place for a settings file.
    Settings(Box<SettingsFileError>),
    /// The user chose to stop.
    Abort,
}

/// What is held for trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The canonical path that a grant would be about.
    pub path: String,
    /// The texts, for people.
    pub sources: Vec<String>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(what, _) => write!(f, "{what}"),
            Error::Profile(error) => write!(f, "{error}"),
            Error::Catalog(note) | Error::Render(note) => write!(f, "{}", note.message),
            Error::Over(error) => write!(f, "{error}"),
            Error::Held(held) => write!(f, "held for trust: {}", held.sources.join(", ")),
            Error::Missing(key) => write!(f, "the saved world does not hold the fact `{key}`"),
            Error::World(why) => write!(f, "cannot read the saved world: {why}"),
            Error::Trust(why) => write!(f, "{why}"),
            Error::Store(error) => write!(f, "{error}"),
            Error::Settings(error) => write!(f, "{error}"),
            Error::Abort => write!(f, "stopped"),
        }
    }
}

impl std::error::Error for Error {}

impl From<LineError> for Error {
    fn from(error: LineError) -> Self {
        match error {
            LineError::Render(error) => Error::Render(error),
            LineError::Over(over) => Error::Over(over),
            LineError::Missing(key) => Error::Missing(key),
            LineError::Counter(name) => counters::unknown(&name, ""),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Error::Store(error)
    }
}

impl From<ProfileError> for Error {
    fn from(error: ProfileError) -> Self {
        Error::Profile(error)
    }
}
