//! Values and names in messages: short, escaped, and without what looks like a secret.

use preface_core::lint::hidden::escape_hidden;
use serde_json::Value;

/// Shows a name or a text, hidden characters escaped, cut after [`LONGEST`] characters.
pub fn text(text: &str) -> String {
    // Escaping makes longer, never shorter, and a long text is not worth escaping whole.
    let end = text.char_indices().nth(LONGEST + 1).map_or(text.len(), |(at, _)| at);
    let shown = escape_hidden(&text[..end]);
    match shown.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &shown[..cut]),
        None => shown.into_owned(),
    }
}

/// Shows a value: text and numbers in backticks, anything that holds others by its kind.
pub fn value(value: &Value) -> String {
    match value {
        Value::String(string) => format!("`{}`", text(string)),
        Value::Array(_) | Value::Object(_) => kind(value).to_owned(),
        plain => format!("`{plain}`"),
    }
}

/// Returns the name of a value's type.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Returns whether a place in a value may hold a secret: one of the names on the path to it looks like that
/// of a secret.
pub fn is_secret(pointer: &str) -> bool {
    let pointer = pointer.to_ascii_lowercase();
    ["key", "token", "secret", "password"].iter().any(|word| pointer.contains(word))
}

/// Returns the pointer to the member `name` of what `pointer` points to.
pub fn member(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

const LONGEST: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_and_hidden_text_is_cut_and_escaped() {
        assert_eq!(text("plain"), "plain");
        assert_eq!(text(&"ä".repeat(80)), "ä".repeat(80));
        assert_eq!(text(&"ä".repeat(81)), format!("{}…", "ä".repeat(80)));
        assert_eq!(text("a\u{202e}b\n"), "a\\u{202e}b\\u{a}");
        assert!(text(&"\u{e0041}".repeat(1_000_000)).chars().count() <= LONGEST + 1);
    }

    #[test]
    fn what_holds_others_is_shown_by_its_kind() {
        assert_eq!(value(&json!({ "password": "x" })), "an object");
        assert_eq!(value(&json!(["x"])), "an array");
        assert_eq!(value(&json!("x")), "`x`");
        assert_eq!(value(&json!(null)), "`null`");
        assert_eq!(value(&json!(1.5)), "`1.5`");
    }

    #[test]
    fn members_of_a_secret_are_secret() {
        for pointer in ["/apiKey", "/API_KEY/0", "/auth/accessToken", "/clientSecret/value", "/dbPassword"] {
            assert!(is_secret(pointer), "{pointer}");
        }
        assert!(!is_secret("/retries"));
    }

    #[test]
    fn pointers_escape_their_names() {
        assert_eq!(member("/a", "b/c~d"), "/a/b~1c~0d");
        assert_eq!(member("", ""), "/");
    }
}
