//! Strings that a file does not show as they are read: with the escapes of JSON (settings, manifests) or YAML (the head of a
//! Markdown file). What is hidden, secret or forged in them is reported where they are written.

use super::finding::{FindingLimiter, TextFinding};
use crate::{
    diagnostic::{DiagnosticCode, Diagnostics, Place},
    scope::Scope,
    settings::{offset_in_string, scanner},
    skill::frontmatter,
};
use jsonc_parser::tokens::Token;
use serde_json::Value;
use std::{collections::BTreeSet, ops::Range};

/// The most diagnostics of one code about the strings of one file.
const MOST: usize = 20;

/// Reports what a scan finds in the strings of a file as they are read, and not in its text.
///
/// ```
/// use preface_core::lint::{decoded::scan_strings, hidden::scan};
/// let found = |text| scan_strings(text, None, "a", scan).into_iter().filter_map(|found| found.place?.span).collect::<Vec<_>>();
/// assert_eq!(found(r#"{"a": "b\u200b"}"#), [8..14]);
/// assert_eq!(found("---\na: \"b\\u200B\"\n---\n"), [4..16]);
/// assert_eq!(found("no file of this kind: \\u200b"), []);
/// ```
pub fn scan_strings<F: TextFinding>(
    text: &str,
    scope: Option<Scope>,
    path: &str,
    scan: impl Fn(&str) -> Vec<F>,
) -> Diagnostics {
    let strings = strings(text);
    // A string of several lines is in the text as well.
    let shown = if strings.is_empty() { Vec::new() } else { scan(text) };
    let shown: BTreeSet<(DiagnosticCode, String)> =
        shown.iter().map(TextFinding::diagnostic).map(|found| (found.code, found.message)).collect();
    let (mut found, mut few) = (Diagnostics::new(), FindingLimiter::new(MOST));
    for (written, string) in strings {
        let raw = &text[written.clone()];
        let is_json = raw.starts_with('"');
        let at = |offset| written.start + offset_in_string(raw, offset);
        for finding in scan(&string) {
            let Range { start, end } = finding.range();
            let range = if is_json { at(start)..at(end) } else { written.clone() };
            let is_raw = !is_json || text.get(range.clone()) == Some(&string[start..end]);
            let diagnostic = finding.diagnostic();
            let is_shown = is_raw && shown.contains(&(diagnostic.code, diagnostic.message.clone()));
            if !is_shown && few.keeps(diagnostic.code, diagnostic.severity, &range) {
                found.push(diagnostic.at(Place::within(scope, path, text, range)));
            }
        }
    }
    found
}

/// Returns the strings of a file that are not in its text, with the bytes that they are written as.
fn strings(text: &str) -> Vec<(Range<usize>, String)> {
    let content = text.trim_start_matches('\u{feff}');
    let start = text.len() - content.len();
    let mut found = Vec::new();
    if content.starts_with("---") {
        head(content, &mut found);
    } else if content.trim_start().starts_with(['{', '/']) {
        let mut scanner = scanner(content);
        // No reader takes a file behind what is no JSON.
        while let Ok(Some(token)) = scanner.scan() {
            let range = scanner.token_start()..scanner.token_end();
            match token {
                Token::String(string) if content[range.clone()].contains('\\') => {
                    found.push((range, string.into_owned()));
                }
                _ => {}
            }
        }
    }
    found.iter_mut().for_each(|(range, _)| *range = range.start + start..range.end + start);
    found
}

fn head(text: &str, found: &mut Vec<(Range<usize>, String)>) {
    fn add(value: &Value, texts: &mut Vec<String>) {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Array(values) => values.iter().for_each(|value| add(value, texts)),
            Value::Object(pairs) => pairs.iter().for_each(|(key, value)| {
                texts.push(key.clone());
                add(value, texts);
            }),
            _ => {}
        }
    }
    let split = frontmatter::split(text);
    let Some(Ok(fields)) = split.block.map(|block| frontmatter::read(&block)) else { return };
    let mut texts = Vec::new();
    for (key, value) in fields.iter() {
        texts.push(key.to_owned());
        add(value, &mut texts);
    }
    texts.retain(|string| !text.contains(string.as_str()));
    found.extend(texts.into_iter().map(|string| (split.span.clone(), string)));
}
