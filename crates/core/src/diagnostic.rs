//! Diagnostics for this caller. Every cut, skip, shadow, hold and fallback is one; none of them changes the prompt.

mod code;
mod remedy;

pub use {code::DiagnosticCode, remedy::Remedy};

use serde::{Deserialize, Serialize};
use std::{fmt, ops::Range};

use crate::{lint::character::floor_char_boundary, lint::secret, scope::Scope};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Something was left out, changed or looks wrong.
    Warning,
    /// Something that was requested could not be done.
    Error,
}

impl Severity {
    /// Returns the word that every surface uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The location of a diagnostic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Place {
    /// The layer, where it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The path: relative to the directory of the prompt, from `~`, or absolute.
    pub path: String,
    /// The byte range in the file.
    #[serde(default, with = "maybe_range", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<[usize; 2]>))]
    pub span: Option<Range<usize>>,
    /// One-based line, where a span is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// One-based column in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The line that the span starts in, without its line end, cut to a screenful around the span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// The number of characters of the line before the excerpt.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: usize,
}

pub(crate) fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

/// Prints the path, and the line and the column where they are known.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        let numbers = [self.line, self.column].into_iter().map_while(|number| number);
        numbers.into_iter().try_for_each(|number| write!(f, ":{number}"))
    }
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
        let start = floor_char_boundary(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let column = text[line_start..start].chars().count() + 1;
        let (excerpt, skipped) = excerpt(text, line_start, start, column);
        Place {
            scope,
            path: path.into(),
            span: Some(span),
            line: Some(text[..start].bytes().filter(|b| *b == b'\n').count() + 1),
            column: Some(column),
            excerpt: Some(excerpt),
            skipped,
        }
    }
}

/// The most characters of a line that an excerpt shows.
const EXCERPT: usize = 200;

/// The number of bytes before and after an excerpt that are searched for credentials that reach into it.
const SECRET_CONTEXT: usize = 4096;

/// Masks credentials, and cuts the line of `start` to a screenful around it. Returns that and the number of characters of
/// the line before it. The cost does not grow with the line.
pub(crate) fn excerpt(text: &str, line_start: usize, start: usize, column: usize) -> (String, usize) {
    let (from, skipped) = if column <= EXCERPT {
        (line_start, 0)
    } else {
        let back = text[line_start..start].char_indices().rev().nth(EXCERPT / 2 - 1);
        (back.map_or(line_start, |(at, _)| line_start + at), column - 1 - EXCERPT / 2)
    };
    let in_line = |(at, c): &(usize, char)| from + at < start || !matches!(c, '\n' | '\r');
    let line: Vec<(usize, char)> = text[from..].char_indices().take(EXCERPT).take_while(in_line).collect();
    let to = line.last().map_or(from, |(at, c)| from + at + c.len_utf8());
    // A credential may begin before the excerpt and end behind it.
    let near = floor_char_boundary(text, from.saturating_sub(SECRET_CONTEXT));
    let secrets = secret::scan(&text[near..floor_char_boundary(text, to.saturating_add(SECRET_CONTEXT))]);
    let is_masked = |at: usize| {
        secrets
            .iter()
            .any(|secret| (secret.range.start + secret::SHOWN..secret.range.end).contains(&(at - near)))
    };
    (line.into_iter().map(|(at, c)| if is_masked(from + at) { '*' } else { c }).collect(), skipped)
}

/// The words between a text that is left out and the reason.
const LEFT_OUT: &str = " was left out: ";

/// A diagnostic: a stable code, a severity, a message, a place and a remedy.
#[derive(Clone, Debug, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diagnostic {
    /// The stable code.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub code: DiagnosticCode,
    /// The severity.
    pub severity: Severity,
    /// One sentence, lower case first, names in backticks.
    pub message: String,
    /// The place, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "location")]
    pub place: Option<Place>,
    /// What to do next.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(value_type = Remedy))]
    pub help: Option<Remedy>,
    /// The name of the section, variable or tool that the message is about, where that is known. It is not published.
    #[serde(skip)]
    pub subject: Option<String>,
}

// Equal is what is published: all but the subject, which a snapshot does not keep.
impl PartialEq for Diagnostic {
    fn eq(&self, other: &Self) -> bool {
        let Diagnostic { code, severity, message, place, help, subject: _ } = self;
        (code, severity, message, place, help)
            == (&other.code, &other.severity, &other.message, &other.place, &other.help)
    }
}

/// Prints it on one line, without the help.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.severity, self.message, self.code.as_str())?;
        match self.place.as_ref().filter(|place| !place.path.is_empty()) {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

impl Diagnostic {
    /// Builds a diagnostic of the given severity.
    #[must_use]
    pub fn new(severity: Severity, code: DiagnosticCode, message: impl Into<String>) -> Self {
        Diagnostic { code, severity, message: message.into(), place: None, help: None, subject: None }
    }

    /// Builds an info.
    #[must_use]
    pub fn info(code: DiagnosticCode, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, code, message)
    }

    /// Builds a warning.
    #[must_use]
    pub fn warning(code: DiagnosticCode, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// Builds an error.
    #[must_use]
    pub fn error(code: DiagnosticCode, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Builds the diagnostic of a text that is left out.
    ///
    /// ```
    /// use preface_core::diagnostic::{Diagnostic, DiagnosticCode, Severity};
    /// let diagnostic = Diagnostic::left_out(Severity::Info, DiagnosticCode::FileNotUtf8, "AGENTS.md", "it is UTF-16");
    /// assert_eq!(diagnostic.message, "AGENTS.md was left out: it is UTF-16");
    /// assert_eq!(diagnostic.loss(), Some(("AGENTS.md", "it is UTF-16")));
    /// ```
    #[must_use]
    pub fn left_out(
        severity: Severity,
        code: DiagnosticCode,
        what: impl fmt::Display,
        why: impl fmt::Display,
    ) -> Self {
        Self::new(severity, code, format!("{what}{LEFT_OUT}{why}"))
    }

    /// Returns what was left out or shortened, and why. Stored prompts and JSON documents have the message alone, so both
    /// are taken from it.
    #[must_use]
    pub fn loss(&self) -> Option<(&str, &str)> {
        match self.code {
            DiagnosticCode::BudgetCut => self.message.rsplit_once(": "),
            _ => self.message.split_once(LEFT_OUT),
        }
    }

    /// Adds the place, where it is known.
    #[must_use]
    pub fn at(mut self, place: impl Into<Option<Place>>) -> Self {
        self.place = place.into();
        self
    }

    /// Adds the name of what the message is about.
    #[must_use]
    pub fn about(mut self, subject: impl fmt::Display) -> Self {
        self.subject = Some(subject.to_string());
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<Remedy>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The diagnostics of one call, in the order in which they came up.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_masks_credentials() {
        let token = format!("ghp_{}", "Zq7".repeat(10));
        let text = format!("token: {token} é");
        let place = Place::within(None, "a", &text, 7..7 + token.len());
        assert_eq!(place.excerpt, Some(format!("token: ghp_{} é", "*".repeat(30))));
        // One that is cut by the end of the excerpt, and one that began before it.
        let text = format!("{}{token}", " ".repeat(EXCERPT - 8));
        assert!(!Place::within(None, "a", &text, 0..1).excerpt.unwrap().contains('Z'));
        let text = format!("sk-ant-{}", "Zq7".repeat(200));
        assert!(!Place::within(None, "a", &text, 500..501).excerpt.unwrap().contains('Z'));
    }

    #[test]
    fn an_excerpt_holds_the_place_that_it_is_about() {
        let line = "é".repeat(5_000);
        let text = format!("first\n{line}X{line}\nlast");
        let at = text.find('X').unwrap();
        let place = Place::within(None, "a.md", &text, at..at + 1);
        assert_eq!((place.line, place.column), (Some(2), Some(5_001)));
        let excerpt = place.excerpt.unwrap();
        assert_eq!(excerpt.chars().nth(5_000 - place.skipped), Some('X'));
        assert_eq!(excerpt.chars().count(), EXCERPT);
        let near = Place::within(None, "a.md", "one\ntwo three\n", 8..13);
        assert_eq!((near.excerpt.as_deref(), near.skipped), (Some("two three"), 0));
    }
}
