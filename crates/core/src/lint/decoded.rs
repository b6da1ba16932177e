//! Strings that a file does not show as they are read: with the escapes of JSON (settings, manifests) or YAML (the head of a
//! Markdown file). What is hidden, secret or forged in them is found where they are written.

use super::finding::{MovedFinding, TextFinding};
use crate::{
    diagnostic::DiagnosticCode,
    settings::offset_in_string,
    skill::{YamlValue, frontmatter},
};
use jsonc_parser::{Scanner, ScannerOptions, tokens::Token};
use std::{collections::BTreeSet, ops::Range};

/// Returns what a scan finds in the strings of a file as they are read, and not in its text.
///
/// ```
/// use preface_core::lint::{decoded::scan_strings, hidden::scan};
/// let found = |text| scan_strings(text, scan).iter().map(|found| found.range.clone()).collect::<Vec<_>>();
/// assert_eq!(found(r#"{"a": "b\u200b"}"#), [6..15]);
/// assert_eq!(found("---\na: \"b\\u200B\"\n---\n"), [4..16]);
/// assert_eq!(found("no file of this kind: \\u200b"), []);
/// ```
pub fn scan_strings<F: TextFinding>(text: &str, scan: impl Fn(&str) -> Vec<F>) -> Vec<MovedFinding<F>> {
    let strings = strings(text);
    let shown = if strings.is_empty() { Vec::new() } else { scan(text) };
    // A string of several lines is in the text as well.
    let shown: BTreeSet<(DiagnosticCode, String)> =
        shown.iter().map(|finding| (finding.code(), finding.message())).collect();
    let mut found = Vec::new();
    for (written, string) in strings {
        for finding in scan(&string) {
            let Range { start, end } = finding.range();
            let range = match text[written.clone()].starts_with('"') {
                true => {
                    written.start + offset_in_string(&text[written.clone()], start)
                        ..written.start + offset_in_string(&text[written.clone()], end)
                }
                false => written.clone(),
            };
            if !shown.contains(&(finding.code(), finding.message())) {
                found.push(MovedFinding { finding, range });
            }
        }
    }
    found
}

/// Returns the strings of a file that are not in its text, with the bytes that they are written as.
fn strings(text: &str) -> Vec<(Range<usize>, String)> {
    let content = text.trim_start_matches('\u{feff}');
    let start = text.len() - content.len();
    if content.starts_with("---") {
        return head(content)
            .into_iter()
            .map(|(range, text)| (range.start + start..range.end + start, text))
            .collect();
    }
    if !content.trim_start().starts_with(['{', '/']) {
        return Vec::new();
    }
    let options = ScannerOptions {
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let mut scanner = Scanner::new(content, &options);
    let mut found = Vec::new();
    // No reader takes a file behind what is no JSON.
    while let Ok(Some(token)) = scanner.scan() {
        let range = scanner.token_start()..scanner.token_end();
        if let Token::String(string) = token
            && content[range.clone()].contains('\\')
        {
            found.push((range.start + start..range.end + start, string.into_owned()));
        }
    }
    found
}

fn head(text: &str) -> Vec<(Range<usize>, String)> {
    fn texts(value: &YamlValue, found: &mut Vec<String>) {
        match value {
            YamlValue::Text(text) => found.push(text.clone()),
            YamlValue::List(values) => values.iter().for_each(|value| texts(value, found)),
            YamlValue::Map(pairs) => pairs.iter().for_each(|(key, value)| {
                texts(key, found);
                texts(value, found);
            }),
            _ => {}
        }
    }
    let split = frontmatter::split(text);
    let Some(Ok(fields)) = split.block.map(|block| frontmatter::read(&block)) else { return Vec::new() };
    let mut found = Vec::new();
    for (key, value) in fields.iter() {
        found.push(key.to_owned());
        texts(value, &mut found);
    }
    found.retain(|string| !text.contains(string.as_str()));
    found.into_iter().map(|string| (split.span.clone(), string)).collect()
}
