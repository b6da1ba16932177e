//! The names of the types of JSON in messages.

use serde_json::Value;

/// Returns the name of a value's type, with its article.
///
/// ```
/// use preface_core::json_type::json_type;
/// assert_eq!(json_type(&serde_json::json!([1])), "an array");
/// ```
#[must_use]
pub fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Returns a parser's message without the position at its end, which is reported in another form.
///
/// ```
/// use preface_core::json_type::without_position;
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
