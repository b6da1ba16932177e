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
