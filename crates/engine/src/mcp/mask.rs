//! Masks secret values of a server's configuration: where the server repeats one, it is masked before anything is shown or
//! written.

use preface_core::mcp_servers::ServerDescription;
use serde_json::Value;
use std::collections::HashSet;

/// A shorter value is no secret, and masking it would mask words.
const SHORTEST: usize = 6;
/// The replacement for a secret.
const MASK: &str = "***";

/// The values that must not be shown.
#[derive(Default)]
pub(super) struct SecretValues(Vec<String>);

impl SecretValues {
    pub(super) fn add(&mut self, value: &str) {
        if value.len() >= SHORTEST && !self.0.iter().any(|known| known == value) {
            self.0.push(value.to_owned());
            // The longest first: one may be part of another.
            self.0.sort_by_key(|known| std::cmp::Reverse(known.len()));
        }
    }

    /// Returns a text without them.
    pub(super) fn masked(&self, text: &str) -> String {
        let mut text = text.to_owned();
        self.0.iter().for_each(|secret| hide(&mut text, secret));
        text
    }

    /// Returns a server's recording with secrets masked, and whether there were any.
    pub(super) fn masked_in(&self, described: ServerDescription) -> (ServerDescription, bool) {
        let Ok(mut value) = serde_json::to_value(&described) else { return (described, false) };
        if self.0.is_empty() || !self.mask(&mut value) {
            return (described, false);
        }
        // The masked value has the same shape; if it had not, none of it would be shown.
        (serde_json::from_value(value).unwrap_or_default(), true)
    }

    fn mask(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => {
                let masked = self.masked(text);
                let found = masked != *text;
                *text = masked;
                found
            }
            Value::Array(values) => values.iter_mut().fold(false, |found, value| self.mask(value) | found),
            Value::Object(fields) => {
                let hidden: Vec<String> =
                    fields.keys().filter(|key| self.masked(key) != **key).cloned().collect();
                for key in &hidden {
                    if let Some(value) = fields.remove(key) {
                        fields.insert(self.masked(key), value);
                    }
                }
                fields.values_mut().fold(!hidden.is_empty(), |found, value| self.mask(value) | found)
            }
            _ => false,
        }
    }
}

/// The number of consecutive bytes of a secret that are hidden if the rest of it is cut off or on another
/// line.
const PART: usize = 16;

/// Hides a secret in a text, and each larger part of it.
fn hide(text: &mut String, secret: &str) {
    if text.contains(secret) {
        *text = text.replace(secret, MASK);
    }
    if secret.len() < PART || text.len() < PART {
        return;
    }
    let parts: HashSet<&[u8]> = secret.as_bytes().windows(PART).collect();
    let mut is_secret = vec![false; text.len()];
    for (at, window) in text.as_bytes().windows(PART).enumerate() {
        if parts.contains(window) {
            is_secret[at..at + PART].fill(true);
        }
    }
    if !is_secret.contains(&true) {
        return;
    }
    let mut shown = String::with_capacity(text.len());
    let mut hidden = false;
    for (at, c) in text.char_indices() {
        let hides = is_secret[at..at + c.len_utf8()].contains(&true);
        match (hides, hidden) {
            (true, false) => shown.push_str(MASK),
            (true, true) => {}
            (false, _) => shown.push(c),
        }
        hidden = hides;
    }
    *text = shown;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_secret_that_is_repeated_is_masked_everywhere() {
        let mut secrets = SecretValues::default();
        for secret in ["hush", "hush-hush", "hush-hush-hush"] {
            secrets.add(secret);
        }
        assert_eq!(secrets.masked("a hush-hush-hush b hush-hush c hush"), "a *** b *** c hush");
        let said = json!({
            "instructions": "Your key is hush-hush.",
            "tools": [{"name": "t", "inputSchema": {"hush-hush": ["hush-hush"]}}],
        });
        let (masked, found) = secrets.masked_in(serde_json::from_value(said).expect("a description"));
        assert!(found);
        assert_eq!(masked.instructions.as_deref(), Some("Your key is ***."));
        assert_eq!(masked.tools[0].input_schema, Some(json!({"***": ["***"]})));
        let (_, found) = secrets.masked_in(ServerDescription::default());
        assert!(!found);
    }

    #[test]
    fn six_bytes_are_a_secret_and_five_are_a_word() {
        let mut secrets = SecretValues::default();
        secrets.add("sixsix");
        secrets.add("fives");
        assert_eq!(secrets.masked("sixsix fives"), "*** fives");
    }

    #[test]
    fn a_secret_is_hidden_whole_and_in_parts() {
        let key = "sk-ant-0123456789abcdef0123456789";
        for (text, shown) in [
            ("bad token sk-ant-0123456789abcdef0123456789!", "bad token ***!"),
            ("bad token sk-ant-0123456789ab\u{2026}", "bad token ***\u{2026}"),
            ("6789abcdef0123456789 / next", "*** / next"),
            ("sk-ant-0123", "sk-ant-0123"),
            ("größer: sk-ant-0123456789abé", "größer: ***é"),
        ] {
            let mut text = text.to_owned();
            hide(&mut text, key);
            assert_eq!(text, shown);
        }
    }
}
