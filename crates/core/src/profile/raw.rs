//! Reading one profile text. What is not checked yet: that sections, orders and files exist; `build` does that.

use crate::diagnostic::Place;
use std::{fmt, ops::Range};
use toml::Value;

/// One profile file, parsed as TOML and not yet interpreted.
#[derive(Clone, Debug)]
pub struct RawProfile {
    /// The name of the profile: the `name` key, else the file's stem.
    pub name: String,
    /// The path of the file, for people.
    pub path: String,
    /// The profile that it extends.
    pub extends: Option<String>,
    pub(super) table: toml::Table,
    text: String,
}

impl RawProfile {
    /// Builds an error that points at a key path of this file, such as `["section", "x", "when"]`.
    pub(super) fn error(&self, path: &[&str], message: impl Into<String>) -> ProfileError {
        let span = key_span(&self.text, path);
        let place = match span {
            Some(span) => Place::within(None, &self.path, &self.text, span),
            None => Place::file(None, &self.path),
        };
        ProfileError { message: message.into(), place: Box::new(place), help: None }
    }
}

/// A profile that cannot be used, and where it says so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ProfileError {
    /// The message, which starts in lower case.
    pub message: String,
    /// The location of the error.
    pub place: Box<Place>,
    /// The remedy.
    pub help: Option<String>,
}

impl ProfileError {
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if self.place.path.is_empty() {
            return Ok(());
        }
        write!(f, " ({}", self.place.path)?;
        if let Some(line) = self.place.line {
            write!(f, ":{line}")?;
        }
        write!(f, ")")
    }
}

/// Reads a profile.
///
/// # Errors
/// Text that is no TOML, or a `name` or `extends` that is no string.
pub fn read(name: &str, path: &str, text: &str) -> Result<RawProfile, ProfileError> {
    let table: toml::Table = toml::from_str(text).map_err(|error: toml::de::Error| ProfileError {
        message: error.message().trim().to_owned(),
        place: Box::new(match error.span() {
            Some(span) => Place::within(None, path, text, span),
            None => Place::file(None, path),
        }),
        help: None,
    })?;
    let mut raw = RawProfile {
        name: name.to_owned(),
        path: path.to_owned(),
        extends: None,
        table,
        text: text.to_owned(),
    };
    for (key, slot) in [("name", true), ("extends", false)] {
        match raw.table.remove(key) {
            None => {}
            Some(Value::String(text)) if slot => raw.name = text,
            Some(Value::String(text)) => raw.extends = Some(text),
            Some(_) => return Err(raw.error(&[key], format!("`{key}` must be a string"))),
        }
    }
    Ok(raw)
}

/// Finds the bytes of a key in a TOML text.
fn key_span(text: &str, path: &[&str]) -> Option<Range<usize>> {
    use toml::de::{DeTable, DeValue};
    let table = DeTable::parse(text).ok()?;
    let mut span = None;
    let mut here: Option<&DeTable<'_>> = Some(table.get_ref());
    for key in path {
        let (found, value) = here?.iter().find(|(name, _)| name.get_ref() == key)?;
        span = Some(found.span());
        here = match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => None,
        };
    }
    span
}
