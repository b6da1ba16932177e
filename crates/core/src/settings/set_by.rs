//! Who set a value: a layer, or the caller of this one call.

use crate::scope::Scope;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The one who set a value. The order is the meaning: later ones override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SetBy {
    /// The settings shipped inside preface.
    Bundled,
    /// The user's own settings.
    Global,
    /// The project's settings.
    Project,
    /// The caller, with `--set`.
    Caller,
}

impl SetBy {
    /// Returns the word that listings and JSON use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SetBy::Bundled => "bundled",
            SetBy::Global => "global",
            SetBy::Project => "project",
            SetBy::Caller => "caller",
        }
    }

    /// Returns the scope, or `None` for the caller.
    #[must_use]
    pub fn scope(self) -> Option<Scope> {
        match self {
            SetBy::Bundled => Some(Scope::Bundled),
            SetBy::Global => Some(Scope::Global),
            SetBy::Project => Some(Scope::Project),
            SetBy::Caller => None,
        }
    }
}

impl From<Scope> for SetBy {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Bundled => SetBy::Bundled,
            Scope::Global => SetBy::Global,
            Scope::Project => SetBy::Project,
        }
    }
}

impl fmt::Display for SetBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A value and who set it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Who set it.
    pub by: SetBy,
}
