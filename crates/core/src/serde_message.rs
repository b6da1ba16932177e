//! The messages of serde's errors, which are all that is left of an error: the kind, the names in it, and plain words for the
//! names of Rust types.

/// A message of serde, by its kind. Names and values are as the message has them: not escaped, and of any length.
///
/// ```
/// use preface_core::serde_message::SerdeMessage;
/// let message = SerdeMessage::of("unknown field `nmae`, expected `name` or `text`");
/// assert_eq!(message, SerdeMessage::UnknownField { name: "nmae", known: vec!["name", "text"] });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SerdeMessage<'m> {
    /// A key that the type does not have.
    UnknownField {
        /// The key.
        name: &'m str,
        /// The keys of the type.
        known: Vec<&'m str>,
    },
    /// A word that is not one of an enumeration.
    UnknownVariant {
        /// The word.
        name: &'m str,
        /// The words of the enumeration.
        known: Vec<&'m str>,
    },
    /// A required key that is absent.
    MissingField(&'m str),
    /// A key that is given twice.
    DuplicateField(&'m str),
    /// A value of another type, or out of range.
    WrongType {
        /// The expected type, in serde's words; [`SerdeMessage::wrong_type`] has plain ones.
        expected: &'m str,
        /// The value with its type.
        found: &'m str,
    },
    /// Any other message.
    Other(&'m str),
}

impl<'m> SerdeMessage<'m> {
    /// Parses a message that has no position; see [`without_position`].
    #[must_use]
    pub fn of(message: &'m str) -> Self {
        let message = message.trim();
        let name = |rest: &'m str| rest.trim_matches('`');
        if let Some((name, known)) = message.strip_prefix("unknown field `").and_then(name_and_known) {
            SerdeMessage::UnknownField { name, known }
        } else if let Some((name, known)) = message.strip_prefix("unknown variant `").and_then(name_and_known)
        {
            SerdeMessage::UnknownVariant { name, known }
        } else if let Some(rest) = message.strip_prefix("missing field ") {
            SerdeMessage::MissingField(name(rest))
        } else if let Some(rest) = message.strip_prefix("duplicate field ") {
            SerdeMessage::DuplicateField(name(rest))
        } else if let Some((found, expected)) = message
            .strip_prefix("invalid type: ")
            .or_else(|| message.strip_prefix("invalid value: "))
            .and_then(|rest| rest.rsplit_once(", expected "))
        {
            SerdeMessage::WrongType { expected, found }
        } else {
            SerdeMessage::Other(message)
        }
    }

    /// Returns the expected type of a field and the type of its value, in plain words; `None` for the other kinds.
    /// `table` is the format's name for keys with values, such as `an object`.
    ///
    /// ```
    /// use preface_core::serde_message::SerdeMessage;
    /// let message = SerdeMessage::of("invalid type: string \"high\", expected i64");
    /// assert_eq!(message.wrong_type("a table"), Some(("a whole number", "a string")));
    /// assert_eq!(SerdeMessage::of("missing field `text`").wrong_type("a table"), None);
    /// ```
    #[must_use]
    pub fn wrong_type(&self, table: &'static str) -> Option<(&'m str, &'static str)> {
        match self {
            SerdeMessage::WrongType { expected, found } => {
                Some((expected_type(expected, table), found_type(found, table)))
            }
            _ => None,
        }
    }
}

/// Returns a parser's message without the position at its end, which is reported in another form.
///
/// ```
/// use preface_core::serde_message::without_position;
/// assert_eq!(without_position("expected value at line 1 column 4"), "expected value");
/// assert_eq!(without_position("unknown field ` at line `"), "unknown field ` at line `");
/// ```
#[must_use]
pub fn without_position(message: &str) -> &str {
    match message.rsplit_once(" at line ") {
        Some((before, position)) if position.starts_with(|c: char| c.is_ascii_digit()) => before,
        _ => message,
    }
}

/// Returns the error of a JSON parser with its position and in plain words.
///
/// ```
/// use preface_core::serde_message::json_error;
/// let error = serde_json::from_str::<serde_json::Value>("nope").unwrap_err();
/// assert_eq!(json_error(&error), "line 1, column 2: expected a JSON value");
/// ```
#[must_use]
pub fn json_error(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let plain = match without_position(&message) {
        message if message.starts_with("EOF while parsing") => "the text ends too early",
        "expected ident" | "expected value" => "expected a JSON value",
        "key must be a string" => "expected a key in double quotes",
        "expected `:`" => "expected `:` after the key",
        message => message,
    };
    format!("line {}, column {}: {plain}", error.line(), error.column())
}

/// Splits ``x`, expected one of `a`, `b` ``. The known names are those of a type: the last list is theirs, whatever the
/// unknown name contains.
fn name_and_known(rest: &str) -> Option<(&str, Vec<&str>)> {
    let (name, known) = rest.rsplit_once("`, expected ").or_else(|| rest.rsplit_once("`, there are no "))?;
    Some((name, known.split('`').skip(1).step_by(2).collect()))
}

fn found_type(found: &str, table: &'static str) -> &'static str {
    match found.split([' ', '`']).next().unwrap_or_default() {
        "string" => "a string",
        "integer" | "floating" | "number" => "a number",
        "boolean" => "`true` or `false`",
        "null" | "unit" => "null",
        "map" => table,
        "sequence" => "a list",
        _ => "something else",
    }
}

fn expected_type<'m>(expected: &'m str, table: &'static str) -> &'m str {
    match expected {
        _ if expected.starts_with("struct ") => table,
        "a map" | "an object" => table,
        "a sequence" => "a list",
        "a boolean" => "`true` or `false`",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative",
        _ => expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, de::DeserializeOwned};

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "it is only read into")]
    struct SampleFields {
        name: String,
        #[serde(default)]
        kind: Option<SampleKind>,
        #[serde(default)]
        last: Option<u8>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum SampleKind {
        One,
        Two,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SampleEmpty {}

    fn json<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
        let error = serde_json::from_str::<T>(text).expect_err("it is invalid");
        without_position(&error.to_string()).to_owned()
    }

    fn toml<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
        toml::from_str::<T>(text).expect_err("it is invalid").message().to_owned()
    }

    #[test]
    fn the_libraries_use_the_words_that_are_parsed() {
        let known = vec!["name", "kind", "last"];
        for (message, parsed) in [
            (
                json::<SampleFields>(r#"{"`, expected `x": 1}"#),
                SerdeMessage::UnknownField { name: "`, expected `x", known: known.clone() },
            ),
            (toml::<SampleFields>("nmae = 1"), SerdeMessage::UnknownField { name: "nmae", known }),
            (json::<SampleEmpty>(r#"{"a": 1}"#), SerdeMessage::UnknownField { name: "a", known: Vec::new() }),
            (
                json::<SampleKind>(r#""Two""#),
                SerdeMessage::UnknownVariant { name: "Two", known: vec!["one", "two"] },
            ),
            (
                toml::<SampleFields>("name = 'a'\nkind = 'three'"),
                SerdeMessage::UnknownVariant { name: "three", known: vec!["one", "two"] },
            ),
            (json::<SampleFields>("{}"), SerdeMessage::MissingField("name")),
            (toml::<SampleFields>(""), SerdeMessage::MissingField("name")),
            (json::<SampleFields>(r#"{"name": "a", "name": "b"}"#), SerdeMessage::DuplicateField("name")),
            (
                json::<SampleFields>(r#"{"name": "a", "last": 256}"#),
                SerdeMessage::WrongType { expected: "u8", found: "integer `256`" },
            ),
            (
                toml::<SampleFields>("name = 1"),
                SerdeMessage::WrongType { expected: "a string", found: "integer `1`" },
            ),
            (json::<SampleFields>("["), SerdeMessage::Other("EOF while parsing a list")),
        ] {
            assert_eq!(SerdeMessage::of(&message), parsed, "{message}");
        }
    }

    #[test]
    fn positions_are_at_the_end_of_a_message() {
        assert_eq!(json::<SampleKind>("nul"), "expected value");
    }
}
