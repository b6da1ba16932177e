//! Why trust could not be recorded or read.

use super::path::escaped;
use preface_core::diagnostic::{Diagnostic, DiagnosticCode, Place};
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

/// The ways in which the trust store says no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// What was to be recorded is no canonical path, or nothing that a record can hold.
    #[error("`{}` cannot be recorded: {why}", escaped(path))]
    EntryInvalid {
        /// What was given.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The store lies inside of the project that it would speak about.
    #[error("the trust store `{}` lies inside of the project `{}`", escaped(store), escaped(root))]
    ScopeViolation {
        /// The store.
        store: PathBuf,
        /// The project's root.
        root: PathBuf,
    },
    /// Other users own the store, or can write it or its directory. Nothing was changed.
    #[error("the trust store is not used: `{}`: {why}", escaped(path))]
    Exposed {
        /// The file or directory in question.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
        /// The command that puts it right.
        remedy: String,
    },
    /// The store cannot be read, understood, locked or written. Nothing was changed.
    #[error("the trust store is not available: `{}`: {why}", escaped(path))]
    Unavailable {
        /// The file in question.
        path: PathBuf,
        /// In the machine's words.
        why: String,
    },
}

impl TrustError {
    pub(super) fn invalid(path: impl Into<PathBuf>, why: impl Into<String>) -> Self {
        TrustError::EntryInvalid { path: path.into(), why: why.into() }
    }

    pub(super) fn exposed(path: &Path, why: &'static str, remedy: &str) -> Self {
        let remedy = format!("{remedy} {}", escaped(path));
        TrustError::Exposed { path: path.to_owned(), why, remedy }
    }

    pub(super) fn unavailable(path: impl Into<PathBuf>, why: impl ToString) -> Self {
        TrustError::Unavailable { path: path.into(), why: why.to_string() }
    }

    /// Returns the stable code, `Class/Code`.
    #[must_use]
    pub fn code(&self) -> DiagnosticCode {
        match self {
            TrustError::EntryInvalid { .. } => ENTRY_INVALID,
            TrustError::ScopeViolation { .. } => DiagnosticCode::TrustScopeViolation,
            TrustError::Exposed { .. } => DiagnosticCode::TrustPermissions,
            TrustError::Unavailable { .. } => DiagnosticCode::TrustStoreUnavailable,
        }
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            TrustError::Exposed { remedy, .. } => {
                return format!("`{remedy}`, then look at what `preface trust list` shows").into();
            }
            TrustError::EntryInvalid { .. } => {
                "a record names canonical, absolute paths, and texts of at most 16 MiB"
            }
            TrustError::ScopeViolation { .. } => {
                "a repository could bring its own records; set `PREFACE_HOME` (or `XDG_STATE_HOME`) to a directory outside of the project"
            }
            TrustError::Unavailable { .. } => {
                "until the file can be read every project counts as untrusted, and nothing is written over it; repair it or move it away"
            }
        })
    }

    /// Returns the note for people, with the place.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let path = match self {
            TrustError::EntryInvalid { path, .. }
            | TrustError::Exposed { path, .. }
            | TrustError::Unavailable { path, .. } => path,
            TrustError::ScopeViolation { store, .. } => store,
        };
        Diagnostic::error(self.code(), self.to_string())
            .at(Place::file(None, escaped(path)))
            .help(self.help())
    }
}

pub(super) const ENTRY_INVALID: DiagnosticCode = DiagnosticCode::TrustEntryInvalid;
