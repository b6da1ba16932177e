//! A settings value with its location: JSON with the file and the byte range of each part.

use super::{merge::SetBy, schema::ValueShape};
use crate::{diagnostic::Place, json_type::json_type, lint::secret::mask};
use indexmap::IndexMap;
use serde_json::{Map, Number, Value};
use std::{ops::Range, sync::Arc};

/// A value, with its source and location.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingsNode {
    pub(super) source: Arc<SettingsSource>,
    pub(super) key_span: Range<usize>,
    pub(super) span: Range<usize>,
    pub(super) tree: SettingsTree,
}

/// The content of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingsTree {
    /// `null`, which is a value and overrides.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<SettingsNode>),
    /// An object.
    Table(SettingsTable),
}

impl SettingsNode {
    /// Returns the source of the value; for an object the strongest layer that contributed to it.
    #[must_use]
    pub fn by(&self) -> SetBy {
        self.source.by
    }

    /// Returns the content of the value.
    #[must_use]
    pub fn tree(&self) -> &SettingsTree {
        &self.tree
    }

    /// Returns the byte range of the value in its file.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the location of the value.
    #[must_use]
    pub fn place(&self) -> Place {
        self.source.place(self.span.clone())
    }

    /// Returns the location of the value's key, or of the value if it has no key.
    #[must_use]
    pub fn key_place(&self) -> Place {
        self.source.place(if self.key_span.is_empty() { self.span.clone() } else { self.key_span.clone() })
    }

    /// Returns the value as plain JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.tree {
            SettingsTree::Null => Value::Null,
            SettingsTree::Flag(flag) => Value::Bool(*flag),
            SettingsTree::Number(number) => Value::Number(number.clone()),
            SettingsTree::Text(text) => Value::String(text.clone()),
            SettingsTree::List(items) => Value::Array(items.iter().map(SettingsNode::to_value).collect()),
            SettingsTree::Table(table) => {
                Value::Object(table.iter().map(|(key, node)| (key.clone(), node.to_value())).collect())
            }
        }
    }

    /// Returns the value for the type that has this shape: without what is `null`, integers in the range of an `i64`.
    pub(super) fn typed(&self, shape: ValueShape) -> Value {
        match &self.tree {
            SettingsTree::Table(table) if !shape.is_any() && !shape.is_condition() => {
                let values = table.iter().filter(|(_, node)| node.tree != SettingsTree::Null);
                let typed = |(key, node): (&String, &SettingsNode)| {
                    (key.clone(), node.typed(shape.under(key).unwrap_or(ValueShape::any())))
                };
                Value::Object(values.map(typed).collect())
            }
            SettingsTree::Number(number) if !shape.is_any() => {
                self.as_integer().map_or_else(|| number.clone(), Number::from).into()
            }
            _ => self.to_value(),
        }
    }

    /// Returns the value as plain JSON, with asterisks in place of secrets: literal `env` values, values
    /// under a key that names a secret, and tokens that look like credentials.
    ///
    /// ```
    /// use preface_core::{scope::Scope, settings::parse};
    /// let json = br#"{"env": {"TOKEN": "abc", "REFERENCE": "${TOKEN}"}}"#;
    /// let layer = parse(Scope::Global, "settings.json", json).0.unwrap();
    /// let shown = layer.root().masked().to_string();
    /// assert_eq!(shown, r#"{"env":{"TOKEN":"***","REFERENCE":"${TOKEN}"}}"#);
    /// ```
    #[must_use]
    pub fn masked(&self) -> Value {
        match &self.tree {
            SettingsTree::Text(_) if self.source.hides(&self.span) => Value::String("***".to_owned()),
            SettingsTree::Text(text) => Value::String(mask(text).into_owned()),
            SettingsTree::List(items) => Value::Array(items.iter().map(SettingsNode::masked).collect()),
            SettingsTree::Table(table) => {
                Value::Object(table.iter().map(|(key, node)| (key.clone(), node.masked())).collect())
            }
            _ => self.to_value(),
        }
    }

    /// Returns the text, if the value is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.tree {
            SettingsTree::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the flag, if the value is one.
    #[must_use]
    pub fn as_flag(&self) -> Option<bool> {
        match &self.tree {
            SettingsTree::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// Returns the number if it is an integer: one without a fraction, in any notation. Larger ones become
    /// the nearest `i64`.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        let SettingsTree::Number(number) = &self.tree else { return None };
        if let Some(integer) = number.as_i64() {
            return Some(integer);
        }
        if number.is_u64() {
            return Some(i64::MAX);
        }
        // A float-to-integer cast saturates, as documented above.
        number.as_f64().filter(|float| float.fract() == 0.0).map(|float| float as i64)
    }

    /// Returns the object, if the value is one.
    #[must_use]
    pub fn as_table(&self) -> Option<&SettingsTable> {
        match &self.tree {
            SettingsTree::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Returns the value below this one at `path`: keys of objects, indexes of arrays.
    #[must_use]
    pub fn at<S: AsRef<str>>(&self, path: &[S]) -> Option<&SettingsNode> {
        let mut node = self;
        for key in path {
            let key = key.as_ref();
            node = match &node.tree {
                SettingsTree::Table(table) => table.get(key)?,
                SettingsTree::List(items) if key == "0" || !key.starts_with('0') => {
                    items.get(key.parse::<usize>().ok()?)?
                }
                _ => return None,
            };
        }
        Some(node)
    }

    /// Returns an object with this value as its only member.
    pub(crate) fn under(self, key: &str) -> SettingsNode {
        let (source, span) = (self.source.clone(), self.span.clone());
        let table = SettingsTable::from([(key.to_owned(), self)]);
        SettingsNode { source, key_span: 0..0, span, tree: SettingsTree::Table(table) }
    }

    /// Describes the value for a message: `a string`, `true`, `-5`.
    pub(crate) fn described(&self) -> String {
        match &self.tree {
            SettingsTree::Flag(flag) => flag.to_string(),
            SettingsTree::Number(number) => number.to_string(),
            _ => self.json_type().to_owned(),
        }
    }

    /// Returns the name of the value's type, which does not show the value.
    pub(crate) fn json_type(&self) -> &'static str {
        json_type(&match &self.tree {
            SettingsTree::Null => Value::Null,
            SettingsTree::Flag(flag) => Value::Bool(*flag),
            SettingsTree::Number(number) => Value::Number(number.clone()),
            SettingsTree::Text(_) => Value::String(String::new()),
            SettingsTree::List(_) => Value::Array(Vec::new()),
            SettingsTree::Table(_) => Value::Object(Map::new()),
        })
    }
}

/// Parses a number of JSON; `None` if it is invalid or too large. One without a fraction is an integer, in
/// any notation: `2e5` is `200000`.
pub(super) fn read_number(text: &str) -> Option<Number> {
    let number: Number = text.parse().ok()?;
    if !number.is_f64() {
        return Some(number);
    }
    // Larger ones stay as they are; the cast of these is exact.
    let limit = i64::MAX as f64;
    let integer = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < limit);
    Some(integer.map_or(number, |float| Number::from(float as i64)))
}

/// An object, with keys in the order in which they were first seen.
pub type SettingsTable = IndexMap<String, SettingsNode>;

// A settings file as it was read, and locations in it that show no secrets.

const BOM: char = '\u{feff}';

/// The text of one settings file, or of one `--set` argument.
#[derive(Clone, PartialEq, Eq)]
pub struct SettingsSource {
    /// The source of its values.
    pub by: SetBy,
    /// The path for display.
    pub path: String,
    /// The text as it is on disk, a BOM included.
    pub(super) text: String,
    /// The byte ranges of secrets: literal `env` values, keys and tokens of `providers`.
    pub(super) secrets: Vec<Range<usize>>,
}

impl SettingsSource {
    /// Builds an empty source, for an empty merge.
    pub(super) fn empty() -> Self {
        SettingsSource { by: SetBy::Bundled, path: String::new(), text: String::new(), secrets: Vec::new() }
    }

    /// Returns the location of a byte range, with line, column and an excerpt in which secrets are asterisks.
    #[must_use]
    pub fn place(&self, span: Range<usize>) -> Place {
        let mut place = Place::within(self.by.scope(), &self.path, &self.text, span.clone());
        if place.line == Some(1) && self.text.starts_with(BOM) {
            place.column = place.column.map(|column| column.saturating_sub(1).max(1));
            place.excerpt = place.excerpt.map(|line| line.trim_start_matches(BOM).to_owned());
        }
        if !self.secrets.is_empty() {
            let start = span.start.min(self.text.len());
            let bytes = self.text.as_bytes();
            let from = bytes[..start].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            let to = bytes[start..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| start + at);
            if self.secrets.iter().any(|secret| secret.start < to && from < secret.end) {
                let shown = Place::within(None, "", &self.masked(), span);
                place.excerpt = shown.excerpt.map(|line| line.trim_start_matches(BOM).to_owned());
            }
        }
        place
    }

    /// Returns true if a range contains a secret or a part of one.
    pub(super) fn hides(&self, span: &Range<usize>) -> bool {
        // The ranges are in the order of the text.
        let at = self.secrets.partition_point(|secret| secret.end <= span.start);
        self.secrets.get(at).is_some_and(|secret| secret.start < span.end)
    }

    /// Returns the text with every byte of a secret replaced by an asterisk. Byte offsets do not change.
    #[must_use]
    pub fn masked(&self) -> String {
        let mut shown = String::with_capacity(self.text.len());
        let mut at = 0;
        for secret in &self.secrets {
            shown.push_str(&self.text[at..secret.start]);
            shown.extend(std::iter::repeat_n('*', secret.len()));
            at = secret.end;
        }
        shown.push_str(&self.text[at..]);
        shown
    }
}

/// Shows no secret, not even in a panic message.
impl std::fmt::Debug for SettingsSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SettingsSource")
            .field("by", &self.by)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_fraction_is_an_integer() {
        for (text, shown) in [
            ("5", "5"),
            ("2e5", "200000"),
            ("-3.0", "-3"),
            ("-0", "0"),
            ("0.0", "0"),
            ("1.5", "1.5"),
            ("1e-3", "0.001"),
            ("9223372036854775807", "9223372036854775807"),
            ("18446744073709551615", "18446744073709551615"),
            ("9007199254740993.0", "9007199254740992"),
            ("1e18", "1000000000000000000"),
            ("1e300", "1e+300"),
        ] {
            assert_eq!(read_number(text).map(|number| number.to_string()).as_deref(), Some(shown), "{text}");
        }
        for text in ["1e400", "", "five", "0x10"] {
            assert_eq!(read_number(text), None, "{text}");
        }
    }
}
