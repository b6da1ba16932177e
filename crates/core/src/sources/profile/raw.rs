//! Reading one profile text. What is not checked yet: that sections, orders and files exist; `build` does that.

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Remedy},
    suggestion::did_you_mean,
};
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
        self.error_at(path, EntryPart::Key, message)
    }

    /// Builds an error that points at a key of this file or at its value.
    pub(super) fn error_at(
        &self,
        path: &[&str],
        part: EntryPart,
        message: impl Into<String>,
    ) -> ProfileError {
        let place = match part {
            EntryPart::Key => self.place_of(path),
            EntryPart::Value => self.place_of_value(path),
        };
        ProfileError { message: message.into(), place: Box::new(place), help: None, in_overlay: false }
    }

    /// Returns the place of a key, such as `["section", "identity", "when"]`: the file alone if it does not have the key.
    #[must_use]
    pub fn place_of(&self, path: &[&str]) -> Place {
        self.place(entry(&self.text, path).map(|entry| entry.key))
    }

    /// Returns the place of the value of a key, or of the key if the value is a table: the file alone if it does not have the
    /// key.
    ///
    /// ```
    /// use preface_core::profile;
    /// let raw = profile::read("a", "a.toml", "order = \"mian\"\n")?;
    /// assert_eq!((raw.place_of(&["order"]).column, raw.place_of_value(&["order"]).column), (Some(1), Some(9)));
    /// # Ok::<(), profile::ProfileError>(())
    /// ```
    #[must_use]
    pub fn place_of_value(&self, path: &[&str]) -> Place {
        self.place(entry(&self.text, path).map(|entry| entry.value.unwrap_or(entry.key)))
    }

    fn place(&self, span: Option<Range<usize>>) -> Place {
        match span {
            Some(span) => Place::within(None, &self.path, &self.text, span),
            None => Place::file(None, &self.path),
        }
    }

    /// Returns true if the file has the key.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Finds the bytes `part` of a text that this file has under a key, such as `section.identity.text`. With `overlaid`, the
    /// key is below `variants`.
    ///
    /// ```
    /// use preface_core::profile;
    /// let raw = profile::read("a", "a.toml", "[section.x]\ntext = \"\"\"\nOne.\nTwo.\n\"\"\"\n")?;
    /// let place = raw.locate("section.x.text", "One.\nTwo.", &(5..8), false).unwrap();
    /// assert_eq!((place.line, place.column), (Some(4), Some(1)));
    /// # Ok::<(), profile::ProfileError>(())
    /// ```
    #[must_use]
    pub fn locate(&self, key: &str, text: &str, part: &Range<usize>, overlaid: bool) -> Option<Place> {
        let meant = text.get(part.clone())?;
        // All of the text is found in fewer places than a part of it.
        let (value, text, start) = match self.value_with(key, text, overlaid) {
            Some(value) => (value, text, part.start),
            None => (self.value_with(key, meant, overlaid)?, meant, 0),
        };
        let written = &self.text[value.clone()];
        // An escape in it keeps a text from being found as it is written.
        let find = |text: &str| if text.trim().is_empty() { None } else { written.find(text) };
        let span = match find(text).map(|at| at + start).or_else(|| find(meant)) {
            Some(at) => value.start + at..value.start + at + meant.len(),
            None => value.start..value.start + written.find('\n').unwrap_or(written.len()),
        };
        Some(Place::within(None, &self.path, &self.text, span))
    }

    /// Finds the first value with a text under a key.
    fn value_with(&self, key: &str, text: &str, overlaid: bool) -> Option<Range<usize>> {
        let table = toml::de::DeTable::parse(&self.text).ok()?;
        let is_meant = |path: &str| match overlaid {
            false => is_at_or_below(path, key),
            // The key follows the name of the variant; any of them may have dots.
            true => path.match_indices('.').any(|(at, _)| is_at_or_below(&path[at + 1..], key)),
        };
        let mut values =
            table.get_ref().iter().filter(|(name, _)| (name.get_ref() == "variants") == overlaid);
        values.find_map(|(name, value)| find_text(value, name.get_ref().to_string(), &is_meant, text))
    }
}

fn is_at_or_below(path: &str, key: &str) -> bool {
    path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Finds the first string with a text below a value.
fn find_text(
    value: &toml::Spanned<toml::de::DeValue<'_>>,
    path: String,
    is_meant: &dyn Fn(&str) -> bool,
    text: &str,
) -> Option<Range<usize>> {
    use toml::de::DeValue;
    match value.get_ref() {
        DeValue::String(string) => (is_meant(&path) && string.contains(text)).then(|| value.span()),
        DeValue::Table(table) => table
            .iter()
            .find_map(|(key, below)| find_text(below, format!("{path}.{}", key.get_ref()), is_meant, text)),
        DeValue::Array(array) => array
            .iter()
            .enumerate()
            .find_map(|(at, below)| find_text(below, format!("{path}.{at}"), is_meant, text)),
        _ => None,
    }
}

/// The error of a profile that cannot be used, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ProfileError {
    /// The message, which starts in lower case.
    pub message: String,
    /// The location of the error.
    pub place: Box<Place>,
    /// The remedy.
    pub help: Option<Remedy>,
    /// True if a variant is wrong that was applied, and not the value that selected it.
    pub in_overlay: bool,
}

impl ProfileError {
    pub(super) fn help(mut self, help: impl Into<Remedy>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the name that an unknown one was meant to be, if one is near.
    pub(super) fn near<'a>(self, unknown: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        match did_you_mean(unknown, names) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self,
        }
    }
}

impl From<ProfileError> for Diagnostic {
    fn from(error: ProfileError) -> Self {
        let diagnostic = Diagnostic::error(DiagnosticCode::ProfileInvalid, error.message).at(*error.place);
        Diagnostic { help: error.help, ..diagnostic }
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
        in_overlay: false,
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

/// The part of an entry that an error points at.
#[derive(Clone, Copy, Debug)]
pub(super) enum EntryPart {
    Key,
    /// The value; the key if the value is a table.
    Value,
}

/// The bytes of a key and its value in a TOML text.
struct EntrySpan {
    key: Range<usize>,
    /// `None` for a table, which may have lines of its own.
    value: Option<Range<usize>>,
}

/// Finds the bytes of a key and its value in a TOML text.
fn entry(text: &str, path: &[&str]) -> Option<EntrySpan> {
    use toml::de::{DeTable, DeValue};
    let table = DeTable::parse(text).ok()?;
    let (first, below) = path.split_first()?;
    let (key, value) = table.get_ref().iter().find(|(name, _)| name.get_ref() == first)?;
    let (mut span, mut here) = (key.span(), value);
    for key in below {
        (span, here) = match here.get_ref() {
            DeValue::Table(table) => {
                let (key, value) = table.iter().find(|(name, _)| name.get_ref() == key)?;
                (key.span(), value)
            }
            DeValue::Array(items) => {
                let item = items.get(key.parse::<usize>().ok()?)?;
                (item.span(), item)
            }
            _ => return None,
        };
    }
    let is_table = matches!(here.get_ref(), DeValue::Table(_));
    Some(EntrySpan { key: span, value: (!is_table).then(|| here.span()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
[section.a]
text = "One \"quoted\" line.\nAnother."
[[guideline]]
text = "Be brief."
[[guideline]]
text = "Be kind."
[variants.short.section.a]
text = "Short."
[variants.with.section.a]
text = "With."
"#;

    #[test]
    fn a_text_is_found_under_its_key() {
        let raw = read("t", "t.toml", TEXT).expect("a profile");
        let at = |key: &str, text: &str, overlaid: bool| {
            let place = raw.locate(key, text, &(0..text.len()), overlaid)?;
            Some((place.line.unwrap(), place.column.unwrap()))
        };
        assert_eq!(at("section.a.text", "line.", false), Some((3, 24)));
        // As the file writes it, the text is another one: its value is shown.
        assert_eq!(at("section.a.text", "quoted\" line", false), Some((3, 8)));
        assert_eq!(at("guideline.1", "Be kind.", false), Some((7, 9)));
        assert_eq!(at("section.a.text", "Short.", true), Some((9, 9)));
        assert_eq!(at("section.a.text", "With.", true), Some((11, 9)));
        for (key, text, overlaid) in [
            ("section.a.text", "Short.", false),
            ("section.a.text", "line.", true),
            ("section.a", "Elsewhere", false),
            ("section.b.text", "line.", false),
            ("guideline.0", "Be kind.", false),
        ] {
            assert_eq!(at(key, text, overlaid), None, "{key} {text}");
        }
    }
}
