//! Masks secret values of a server's configuration: where the server repeats one, it is masked before anything is shown or
//! written.

use preface_core::mcp_servers::ServerDescription;
use serde_json::Value;

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
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, MASK))
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
}
