//! Text of servers on its way into messages: cut and escaped, hidden characters reported.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Severity},
    lint::{character::excerpt, finding::TextFinding, hidden::scan},
    mcp_servers::ServerDescription,
};
use serde_json::{Value, json};

// Text of servers in messages.

/// Shows the start of some bytes in one line: at most so many characters, control characters and hidden ones escaped.
pub(crate) fn shown(bytes: &[u8], at_most: usize) -> String {
    excerpt(String::from_utf8_lossy(bytes).trim(), at_most)
}

// Hidden text in descriptions of a server. It is reported and not removed.

/// The most places that are named.
const NAMED: usize = 5;

/// Looks for hidden text, and returns one warning that names the places.
pub(crate) fn warning(description: &ServerDescription) -> Option<Diagnostic> {
    let mut found = Vec::new();
    find_hidden("", &json!(description), &mut found);
    let more = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let what = format!("it hides text in {}{more}", found.join("; "));
    let remedy = "read what is hidden before the server is used: a model reads it, too";
    (!found.is_empty()).then(|| Diagnostic::warning(DiagnosticCode::McpHidden, what).help(remedy))
}

/// Scans each text of a value, and each name in it. An item of a list is named by its name or address: `tools/status/description`.
fn find_hidden(place: &str, value: &Value, found: &mut Vec<String>) {
    let of_text = |place: &str, text: &str| -> Vec<String> {
        let hidden = scan(text).into_iter().filter(|hidden| hidden.severity() >= Severity::Warning);
        hidden.map(|hidden| format!("{place}: {}", hidden.message())).collect()
    };
    match value {
        Value::String(text) => found.extend(of_text(place, text)),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let name = item.get("name").or_else(|| item.get("uri")).and_then(Value::as_str);
                let name = name.map_or_else(|| at.to_string(), |name| shown(name.as_bytes(), 80));
                find_hidden(&format!("{place}/{name}"), item, found);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                let below = format!("{place}/{}", shown(key.as_bytes(), 80));
                found.extend(of_text(&below, key));
                find_hidden(&below, value, found);
            }
        }
        _ => {}
    }
}
