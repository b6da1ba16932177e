//! The fields of an event: what a reminder can name.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{fmt, str::FromStr};

/// One field of an event: its name, what is in it, and whether it may be left out. Written `path text`, `line number?`.
///
/// ```
/// use preface_core::reminder::{EventField, FieldKind};
/// let field: EventField = "line number?".parse().unwrap();
/// assert_eq!((field.name.as_str(), field.kind, field.optional), ("line", FieldKind::Number, true));
/// assert_eq!(field.to_string(), "line number?");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct EventField {
    /// The name of the field.
    pub name: String,
    /// The kind of value.
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// True: an event may do without.
    pub optional: bool,
}

/// The kind of value in a field of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum FieldKind {
    /// A name, a path, an address or a command: a string that is written on one visible line.
    Name,
    /// A description: a string that is written on one line.
    Line,
    /// A string.
    Text,
    /// A number.
    Number,
    /// `true` or `false`; the variable exists where it is `true`.
    Flag,
    /// A list of strings; the variable is one text with a line for each.
    Lines,
}

impl FieldKind {
    /// Every kind, in the order of listings.
    pub const ALL: [FieldKind; 6] = [
        FieldKind::Name,
        FieldKind::Line,
        FieldKind::Text,
        FieldKind::Number,
        FieldKind::Flag,
        FieldKind::Lines,
    ];

    /// True for a string that is written on one line.
    #[must_use]
    pub fn is_one_line(self) -> bool {
        matches!(self, FieldKind::Name | FieldKind::Line)
    }

    /// Returns the word that files use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the JSON type that an event needs there.
    #[must_use]
    pub fn expects(self) -> &'static str {
        match self {
            FieldKind::Name => "a string that is not empty",
            FieldKind::Line | FieldKind::Text => "a string",
            FieldKind::Number => "a number",
            FieldKind::Flag => "`true` or `false`",
            FieldKind::Lines => "a list of strings",
        }
    }

    /// Reads a value. `None`: it is of another type. `Some(None)`: the variable does not exist.
    pub(super) fn read(self, value: &Value) -> Option<Option<String>> {
        match (self, value) {
            (FieldKind::Name, Value::String(text)) if text.is_empty() => None,
            (FieldKind::Name | FieldKind::Line | FieldKind::Text, Value::String(text)) => {
                Some(Some(text.clone()))
            }
            (FieldKind::Number, Value::Number(number)) => Some(Some(number.to_string())),
            (FieldKind::Flag, Value::Bool(set)) => Some(set.then(|| "true".to_owned())),
            (FieldKind::Lines, Value::Array(lines)) => {
                let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
                Some(Some(lines?.join("\n")))
            }
            _ => None,
        }
    }
}

impl fmt::Display for EventField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.name, self.kind, if self.optional { "?" } else { "" })
    }
}

impl TryFrom<String> for EventField {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for EventField {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let (Some(name), Some(kind), None) = (words.next(), words.next(), words.next()) else {
            return Err(format!("a field is a name and a type, such as `path text`: `{text}`"));
        };
        let (kind, optional) = match kind.strip_suffix('?') {
            Some(kind) => (kind, true),
            None => (kind, false),
        };
        let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        if !starts || !name.chars().all(word) || name == "type" {
            return Err(format!("`{name}` cannot be the name of a field"));
        }
        let known = FieldKind::ALL.into_iter().find(|known| known.as_str() == kind);
        let kind = known.ok_or_else(|| {
            format!("unknown type of the field `{name}`: `{kind}` (types are name, line, text, number, flag, lines)")
        })?;
        Ok(EventField { name: name.to_owned(), kind, optional })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_of_its_type_or_refused() {
        let cases = [
            (FieldKind::Name, json!("a\nb"), Some(Some("a\nb"))),
            (FieldKind::Name, json!(""), None),
            (FieldKind::Line, json!(""), Some(Some(""))),
            (FieldKind::Text, json!(""), Some(Some(""))),
            (FieldKind::Text, json!("a\nb"), Some(Some("a\nb"))),
            (FieldKind::Text, json!(1), None),
            (FieldKind::Text, json!(null), None),
            (FieldKind::Number, json!(120), Some(Some("120"))),
            (FieldKind::Number, json!(-0.5), Some(Some("-0.5"))),
            (FieldKind::Number, json!("120"), None),
            (FieldKind::Flag, json!(true), Some(Some("true"))),
            (FieldKind::Flag, json!(false), Some(None)),
            (FieldKind::Flag, json!("true"), None),
            (FieldKind::Lines, json!(["a", "b"]), Some(Some("a\nb"))),
            (FieldKind::Lines, json!([]), Some(Some(""))),
            (FieldKind::Lines, json!(["a", 1]), None),
            (FieldKind::Lines, json!("a"), None),
        ];
        for (kind, value, expected) in cases {
            let found = kind.read(&value);
            assert_eq!(found.as_ref().map(Option::as_deref), expected, "{kind} {value}");
        }
    }

    #[test]
    fn a_field_is_a_name_and_a_type() {
        for good in ["path text", "  path   text ", "a-b_1 lines?", "done flag"] {
            let field: EventField = good.parse().unwrap();
            assert_eq!(field.to_string(), good.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        for bad in
            ["", "path", "path text more", "Path text", "1 text", "type text", "path string", "path text??"]
        {
            assert!(bad.parse::<EventField>().is_err(), "{bad}");
        }
    }
}
