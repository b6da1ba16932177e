//! Notes for this caller. Every cut, skip, shadow, hold and fallback is one; none of them changes the prompt.

use serde::{Deserialize, Serialize};
use std::{fmt, ops::Range};

use crate::scope::Scope;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Something was left out, changed or looks wrong.
    Warning,
    /// Something that was asked for could not be done.
    Error,
}

impl Severity {
    /// Returns the word that every surface uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The place that a diagnostic speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The layer, where it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The path for people.
    pub path: String,
    /// The byte range in the file.
    #[serde(default, with = "maybe_range", skip_serializing_if = "Option::is_none")]
    pub span: Option<Range<usize>>,
    /// One-based line, where a span is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// One-based column in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The whole line that the span starts in, without its line end, cut to a screenful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}

impl Place {
    /// Names a file as a whole.
    #[must_use]
    pub fn file(scope: Option<Scope>, path: impl Into<String>) -> Self {
        Place { scope, path: path.into(), ..Place::default() }
    }

    /// Names a byte range of a text and works out line, column and excerpt.
    #[must_use]
    pub fn within(scope: Option<Scope>, path: impl Into<String>, text: &str, span: Range<usize>) -> Self {
        let start = floor_char(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |at| start + at);
        let line = &text[line_start..line_end];
        let excerpt: String = line.chars().take(EXCERPT).collect();
        Place {
            scope,
            path: path.into(),
            span: Some(span),
            line: Some(text[..start].bytes().filter(|b| *b == b'\n').count() + 1),
            column: Some(text[line_start..start].chars().count() + 1),
            excerpt: Some(excerpt),
        }
    }
}

const EXCERPT: usize = 200;

fn floor_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// One note: a stable code, how bad, what happened, where, and what to do about it.
///
/// Codes are `topic/kebab-case`, or the names that seeds and specs fix (`SuppressedError`, `OrderingRewrite`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The stable code.
    pub code: String,
    /// How bad.
    pub severity: Severity,
    /// One sentence, lower case first, names in backticks.
    pub message: String,
    /// The place, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "origin")]
    pub place: Option<Place>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Diagnostic {
    /// Builds a note of the given severity.
    #[must_use]
    pub fn new(severity: Severity, code: impl Into<String>, message: impl Into<String>) -> Self {
        Diagnostic { code: code.into(), severity, message: message.into(), place: None, help: None }
    }

    /// Builds an info.
    #[must_use]
    pub fn info(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, code, message)
    }

    /// Builds a warning.
    #[must_use]
    pub fn warning(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// Builds an error.
    #[must_use]
    pub fn error(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
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
}

/// The notes of one call, in the order in which they came up.
pub type Diagnostics = Vec<Diagnostic>;

mod maybe_range {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::ops::Range;

    pub fn serialize<S: Serializer>(range: &Option<Range<usize>>, to: S) -> Result<S::Ok, S::Error> {
        range.as_ref().map(|r| [r.start, r.end]).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Range<usize>>, D::Error> {
        Ok(Option::<[usize; 2]>::deserialize(from)?.map(|[start, end]| start..end.max(start)))
    }
}
