//! Values and names in messages: short, escaped, and without what looks like a secret.

use preface_core::{json_type::json_type, lint::character::excerpt};
use serde_json::Value;

/// Shows a name or a text.
pub fn text(text: &str) -> String {
    excerpt(text, LONGEST)
}

/// Shows a value: text and numbers in backticks, anything that holds others by its kind.
pub fn value(value: &Value) -> String {
    match value {
        Value::String(string) => format!("`{}`", text(string)),
        Value::Array(_) | Value::Object(_) => json_type(value).to_owned(),
        plain => format!("`{plain}`"),
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
