//! The head of a file: the comment at its first byte, read line by line.
//!
//! Older heads look like YAML and are none: a description has no quotes and has colons in it. Newer ones quote
//! each text as JSON does. Both are read here; a line that is neither is skipped.

use std::borrow::Cow;

/// The header of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The name of the prompt.
    pub name: Option<String>,
    /// A description of the prompt, in one line.
    pub description: String,
    /// The version in which it last changed.
    pub changed_in: String,
    /// The offset in the file at which the body starts.
    pub body: usize,
}

/// The markers that open a header, and close it on a line of its own.
const OPEN: &str = "<!--";
const CLOSE: &str = "-->";

/// Reads the head of a file.
///
/// ```
/// let text = "<!--\nname: 'Tool: Bell'\ndescription: Rings: once\nccVersion: 2.1.3\n-->\nDing.\n";
/// let header = preface_catalog::read_header(text);
/// assert_eq!(header.name.as_deref(), Some("Tool: Bell"));
/// assert_eq!(header.description, "Rings: once");
/// assert_eq!(&text[header.body..], "Ding.\n");
/// ```
#[must_use]
pub fn read(text: &str) -> Header {
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut header = Header { body: start, ..Header::default() };
    let Some(rest) = text[start..].strip_prefix(OPEN) else { return header };
    let (end, body) = end(rest);
    header.body = text.len() - rest.len() + body;
    let mut is_description = false;
    for line in rest[..end].lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with([' ', '\t']) && line.as_ptr() != rest.as_ptr() {
            if is_description {
                header.description = one_line(&format!("{} {line}", header.description));
            }
            continue;
        }
        let Some((key, value)) = key_of(line.trim_start()) else { continue };
        let value = value.trim();
        is_description = key == "description";
        match key {
            "name" if header.name.is_none() => {
                let name = unquoted(value);
                header.name =
                    (!name.is_empty() && !name.chars().any(char::is_control)).then(|| name.into_owned());
            }
            // A block follows.
            "description" if matches!(value.trim_end_matches(['-', '+']), ">" | "|") => {}
            "description" => header.description = one_line(&unquoted(value)),
            "ccVersion" => header.changed_in = one_line(&unquoted(value)),
            _ => {}
        }
    }
    header
}

/// Finds where the head ends and where the body starts: at the first line that is `-->` and nothing else, if all lines
/// before it look like a head; otherwise at the first `-->`.
fn end(head: &str) -> (usize, usize) {
    let mut at = 0;
    for line in head.split_inclusive('\n') {
        if line.trim_end() == CLOSE {
            return (at, at + line.len());
        }
        let blank_before_body = line.trim().is_empty() && at > 0;
        if blank_before_body || !(line.starts_with([' ', '\t', '\r', '\n']) || key_of(line).is_some()) {
            break;
        }
        at += line.len();
    }
    let Some(found) = head.find(CLOSE) else { return (at, at) };
    let rest = &head[found + CLOSE.len()..];
    let body = rest.strip_prefix("\r\n").or(rest.strip_prefix('\n')).unwrap_or(rest);
    (found, head.len() - body.len())
}

/// Takes a text out of its quotes: single ones as YAML has them, double ones as JSON has them. What only looks quoted,
/// such as `'a' or 'b'`, is taken as it is.
fn unquoted(value: &str) -> Cow<'_, str> {
    let inside = |quote| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    match (inside('\''), inside('"')) {
        (Some(inside), _) if !inside.replace("''", "").contains('\'') => inside.replace("''", "'").into(),
        (None, Some(_)) => serde_json::from_str(value).map_or(Cow::Borrowed(value), Cow::Owned),
        _ => Cow::Borrowed(value),
    }
}

/// Takes `key: value` apart, where the key is one word.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let word = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    word.then_some((key, value))
}

/// Joins lines to one.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_head_is_no_yaml() {
        let text = "<!--\nname: 'Tool: the bell''s rope'\ndescription: One: two: 'three', and # four\nccVersion: 2.0.14\n\
                    variables:\n  - BELL_NAME\n  - TIMES\n  - BELL_NAME\n-->\n\nBody <!-- no head -->\n";
        let header = read(text);
        assert_eq!(header.name.as_deref(), Some("Tool: the bell's rope"));
        assert_eq!(header.description, "One: two: 'three', and # four");
        assert_eq!(header.changed_in, "2.0.14");
        assert_eq!(&text[header.body..], "\nBody <!-- no head -->\n");
    }

    #[test]
    fn a_newer_head_has_json_texts_and_a_map_that_is_skipped() {
        let text = "<!--\nname: \"Agent: \\\"Ringer\\\"\"\ndescription: \"Tells --\\u003e what\\nis\"\nccVersion: \"2.1.200\"\n\
                    variables:\n  - \"ROPE\"\nagentMetadata:\n  agentType: \"ringer\"\n  tools:\n    - \"*\"\n  odd\n-->\nBody";
        let header = read(text);
        assert_eq!(header.name.as_deref(), Some("Agent: \"Ringer\""));
        assert_eq!(header.description, "Tells --> what is");
        assert_eq!(header.changed_in, "2.1.200");
        assert_eq!(&text[header.body..], "Body");
    }

    #[test]
    fn a_description_can_be_a_block() {
        for mark in [">", ">-", "|", "|+"] {
            let text = format!(
                "<!--\nname: x\ndescription: {mark}\n  One line,\n  and: another\nccVersion: 1\n-->\n"
            );
            assert_eq!(read(&text).description, "One line, and: another", "{mark}");
        }
    }

    #[test]
    fn what_looks_quoted_and_is_not_stays_as_it_stands() {
        for (value, expected) in [
            ("'a' or 'b'", "'a' or 'b'"),
            ("\"a\" or \"b\"", "\"a\" or \"b\""),
            ("'", "'"),
            ("\"", "\""),
            ("> 5 files", "> 5 files"),
            ("\"a \\q b\"", "\"a \\q b\""),
            ("''", ""),
        ] {
            let header = read(&format!("<!--\nname: x\ndescription: {value}\n-->\n"));
            assert_eq!(header.description, expected, "{value}");
        }
    }

    #[test]
    fn a_malformed_head_loses_no_body() {
        for (text, name, body) in [
            ("Just words.\n", None, "Just words.\n"),
            ("", None, ""),
            ("<!--", None, ""),
            ("<!--\nname: x\n\nBody -> here\n", Some("x"), "\nBody -> here\n"),
            ("<!--\nname: x\nBody\n", Some("x"), "Body\n"),
            ("<!-- name: x -->\nBody\n-->\n", Some("x"), "Body\n-->\n"),
            ("<!--\nname: x\noh no\n-->\nBody", Some("x"), "Body"),
            ("<!--\nname: x\n  y\n-->\nBody", Some("x"), "Body"),
            ("<!--\nname: x\nname: y\n-->\n", Some("x"), ""),
            ("<!--\nname:\n-->\nB", None, "B"),
            ("<!--\nname: \"a\\nb\"\n-->\nB", None, "B"),
            ("\u{feff}<!--\r\nname: x\r\n-->\r\nB\r\n", Some("x"), "B\r\n"),
            ("<!--\nname: x\ndescription: a --> b\n-->\nB", Some("x"), "B"),
            ("<!--\nname: x\nvariables:\n  - \"A\"\n  odd\n-->\nB", Some("x"), "B"),
        ] {
            let header = read(text);
            assert_eq!((header.name.as_deref(), &text[header.body..]), (name, body), "{text:?}");
        }
    }
}
