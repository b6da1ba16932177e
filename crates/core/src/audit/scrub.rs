//! Removes secrets from a record before it is written.
//!
//! In this order: what looks like a credential or is a known secret, in keys and values; references to secrets, which
//! become their names; and what is too long for a log.

use crate::lint::character::floor_char_boundary;
use crate::lint::secret::{redact, redact_known};
use serde_json::{Map, Value};

/// The longest text that a record holds, in bytes, with the mark of a cut.
pub const TEXT_LIMIT: usize = 65_536;

/// The kinds of secret references.
const KINDS: [&str; 3] = ["env", "keyring", "file"];

/// Returns a record that may be written down. `known` are secrets that the caller knows; empty ones are skipped.
///
/// ```
/// use preface_core::audit::scrub::scrub;
/// use serde_json::json;
///
/// let record = json!({"token": {"kind": "env", "name": "API_TOKEN"}, "text": "pw=hunter2"});
/// assert_eq!(scrub(&record, &["hunter2"]), json!({"token": "<ref:API_TOKEN>", "text": "pw=[REDACTED]"}));
/// ```
#[must_use]
pub fn scrub(record: &Value, known: &[&str]) -> Value {
    match record {
        Value::String(text) => truncate(clean(text, known)).into(),
        Value::Array(items) => items.iter().map(|item| scrub(item, known)).collect(),
        Value::Object(keys) => match secret_reference(keys) {
            Some(name) => truncate(format!("<ref:{}>", clean(name, known))).into(),
            None => object(keys, known).into(),
        },
        plain => plain.clone(),
    }
}

fn object(keys: &Map<String, Value>, known: &[&str]) -> Map<String, Value> {
    let mut scrubbed = Map::new();
    for (key, value) in keys {
        let clean = truncate(clean(key, known));
        let mut name = clean.clone();
        let mut number = 1;
        // Two keys may look alike now; neither is lost.
        while scrubbed.contains_key(&name) {
            number += 1;
            name = format!("{clean} ({number})");
        }
        scrubbed.insert(name, scrub(value, known));
    }
    scrubbed
}

fn clean(text: &str, known: &[&str]) -> String {
    redact(&redact_known(text, known)).into_owned()
}

/// Returns the name of a secret where these keys are only a reference to one.
fn secret_reference(keys: &Map<String, Value>) -> Option<&str> {
    let kind = keys.get("kind")?.as_str()?;
    let name = keys.get("name")?.as_str()?;
    (keys.len() == 2 && KINDS.contains(&kind)).then_some(name)
}

/// Cuts a text that is too long, with a note at its end.
fn truncate(text: String) -> String {
    let total = text.len();
    if total <= TEXT_LIMIT {
        return text;
    }
    let mark = |cut: usize| format!("…[truncated {cut} bytes of {total}]");
    // No cut has more digits than all of it.
    let room = TEXT_LIMIT - mark(total).len();
    let kept = floor_char_boundary(&text, room);
    format!("{}{}", &text[..kept], mark(total - kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tokens_go_from_keys_and_values_and_the_rest_stays() {
        let token = format!("ghp_{}", "a".repeat(36));
        let other = format!("sk-ant-{}", "b".repeat(30));
        let record = json!({
            format!("of {token}"): [{"text": format!("use {token}, or {other}!")}, 7, null, true],
            "task": "sk-1 with sk-learn",
        });
        let clean = json!({
            "of [REDACTED]": [{"text": "use [REDACTED], or [REDACTED]!"}, 7, null, true],
            "task": "sk-1 with sk-learn",
        });
        assert_eq!(scrub(&record, &[]), clean);
        assert_eq!(scrub(&clean, &[]), clean);
    }

    #[test]
    fn keys_that_become_alike_are_all_kept() {
        let record = json!({"a-hunter2": 1, "a-hunter3": 2, "a-[REDACTED]": 3});
        let scrubbed = scrub(&record, &["hunter2", "hunter3", ""]);
        assert_eq!(scrubbed, json!({"a-[REDACTED]": 1, "a-[REDACTED] (2)": 2, "a-[REDACTED] (3)": 3}));
    }

    #[test]
    fn a_reference_becomes_its_name() {
        for kind in ["env", "keyring", "file"] {
            assert_eq!(scrub(&json!([{"kind": kind, "name": "N"}]), &[]), json!(["<ref:N>"]));
        }
        let known = scrub(&json!({"kind": "env", "name": "MY_hunter2"}), &["hunter2"]);
        assert_eq!(known, json!("<ref:MY_[REDACTED]>"), "redacted first");
        for other in [
            json!({"kind": "env"}),
            json!({"kind": "tool", "name": "N"}),
            json!({"kind": "env", "name": 1}),
            json!({"kind": "file", "name": "N", "size": 1}),
        ] {
            assert_eq!(scrub(&other, &[]), other);
        }
    }

    #[test]
    fn a_long_text_is_cut_at_a_character_within_the_limit() {
        let truncate = |text: &str| scrub(&json!(text), &[]).as_str().expect("a text").to_owned();
        let full = "x".repeat(65_536);
        assert_eq!(truncate(&full), full);
        let long = "x".repeat(65_537);
        let expected = format!("{}…[truncated 36 bytes of 65537]", "x".repeat(65_501));
        assert_eq!(truncate(&long), expected);
        for letter in ["é", "€", "😀"] {
            let text = letter.repeat(40_000);
            let short = truncate(&text);
            assert!(short.len() <= 65_536 && short.len() > 65_536 - 8, "{}", short.len());
            let (kept, mark) = short.split_once('…').expect("a mark");
            assert!(text.starts_with(kept));
            assert_eq!(mark, format!("[truncated {} bytes of {}]", text.len() - kept.len(), text.len()));
        }
        let late = format!("{}ghp_{}", "x ".repeat(33_000), "a".repeat(36));
        assert!(!truncate(&late).contains("ghp_"), "redacted before it is cut");
    }
}
