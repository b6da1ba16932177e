//! Diagnostics and the places that they are about.

use preface_core::diagnostic::{self, Severity};
use std::fmt;

/// Something that was left out, cut, changed or looks wrong. A diagnostic never changes the prompt.
///
/// `{}` prints it on one line, without the help.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The code, which stays the same over versions: `trust/untrusted`. `docs/reference/diagnostics.md` lists them.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// The place in a file, if there is one.
    pub location: Option<Location>,
    /// What to do next.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(crate) fn all(diagnostics: impl IntoIterator<Item = diagnostic::Diagnostic>) -> Vec<Diagnostic> {
        let one = |it: diagnostic::Diagnostic| Diagnostic {
            code: it.code.as_str(),
            severity: it.severity,
            location: it.place.as_ref().and_then(Location::of),
            message: it.message,
            help: it.help,
        };
        diagnostics.into_iter().map(one).collect()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.severity, self.message, self.code)?;
        match &self.location {
            Some(location) => write!(f, " ({location})"),
            None => Ok(()),
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The path, as short as it can be shown: relative to the directory, or from `~`.
    pub path: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column in characters, from 1.
    pub column: Option<usize>,
}

impl Location {
    pub(crate) fn of(place: &diagnostic::Place) -> Option<Location> {
        let location = || Location { path: place.path.clone(), line: place.line, column: place.column };
        (!place.path.is_empty()).then(location)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        [self.line, self.column]
            .into_iter()
            .map_while(|number| number)
            .try_for_each(|number| write!(f, ":{number}"))
    }
}
