//! The head of a file: the comment at its first byte, read line by line.
//!
//! Older heads look like YAML and are none: a description has no quotes and has colons in it. Newer ones quote
//! each text as JSON does. Both are read here, and a line that is neither is a diagnostic: the rest of the head still counts.

use preface_core::diagnostic::{Diagnostic, DiagnosticCode, Place};
use std::{borrow::Cow, ops::Range};

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
/// The most diagnostics of a header; the last one reports that there are more.
const MAX_NOTES: usize = 50;

/// Reads the head of the file `path`. It never fails: what cannot be read is a diagnostic with its line.
///
/// ```
/// let text = "<!--\nname: 'Tool: Bell'\ndescription: Rings: once\nccVersion: 2.1.3\n-->\nDing.\n";
/// let mut diagnostics = Vec::new();
/// let header = preface_catalog::read_header("bell.md", text, &mut diagnostics);
/// assert_eq!(header.name.as_deref(), Some("Tool: Bell"));
/// assert_eq!(header.description, "Rings: once");
/// assert_eq!(&text[header.body..], "Ding.\n");
/// assert!(diagnostics.is_empty());
/// ```
#[must_use]
pub fn read(path: &str, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Header {
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut reader = HeaderReader {
        path,
        text,
        diagnostics,
        header: Header { body: start, ..Header::default() },
        under: HeaderBlock::Nothing,
        noted: 0,
    };
    let Some(rest) = text[start..].strip_prefix(OPEN) else {
        reader.note(
            start..start,
            "the file does not start with a comment",
            "start it with `<!--`, and `name:` on the next line",
        );
        return reader.header;
    };
    let first = text.len() - rest.len();
    let (end, body) = reader.end(first);
    reader.lines(first..end);
    reader.header.body = body;
    reader.header
}

/// The key that indented lines belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeaderBlock {
    /// Nothing: an indented line is a mistake.
    Nothing,
    /// A description that continues.
    Description,
    /// A key whose value is not used.
    Other,
}

struct HeaderReader<'t, 'n> {
    path: &'t str,
    text: &'t str,
    diagnostics: &'n mut Vec<Diagnostic>,
    header: Header,
    under: HeaderBlock,
    noted: usize,
}

impl HeaderReader<'_, '_> {
    /// Finds where the head ends and where the body starts: at the first line that is `-->` and nothing else, if all lines
    /// before it look like a head; otherwise at the first `-->`.
    fn end(&mut self, first: usize) -> (usize, usize) {
        let head = &self.text[first..];
        let mut at = first;
        for line in head.split_inclusive('\n') {
            if line.trim_end() == CLOSE {
                return (at, at + line.len());
            }
            let blank_before_body = line.trim().is_empty() && at > first;
            if blank_before_body || !(line.starts_with([' ', '\t', '\r', '\n']) || key_of(line).is_some()) {
                break;
            }
            at += line.len();
        }
        let Some(found) = head.find(CLOSE) else {
            let open = first - OPEN.len()..first;
            self.note(open, "the head is never closed", "close it with `-->` on a line of its own");
            return (at, at);
        };
        let (end, after) = (first + found, first + found + CLOSE.len());
        let rest = &self.text[after..];
        let body = rest.strip_prefix("\r\n").or(rest.strip_prefix('\n')).unwrap_or(rest);
        let alone = head[..found].ends_with('\n') && (rest.is_empty() || body.len() < rest.len());
        if !alone {
            self.note(end..after, "the head is not closed on a line of its own", "put `-->` on its own line");
        }
        (end, self.text.len() - body.len())
    }

    fn lines(&mut self, head: Range<usize>) {
        let (mut at, head_start) = (head.start, head.start);
        for whole in self.text[head].split_inclusive('\n') {
            let line = whole.trim_end();
            let span = at..at + line.len();
            at += whole.len();
            if line.is_empty() {
                continue;
            }
            if line.starts_with([' ', '\t']) && span.start > head_start {
                self.indented(line.trim_start(), span);
            } else if let Some((key, value)) = key_of(line.trim_start()) {
                self.field(key, value.trim(), span);
            } else {
                self.under = HeaderBlock::Nothing;
                self.note(
                    span,
                    "a line of the head is no `key: value`",
                    "write `key: value`, or remove the line",
                );
            }
        }
    }

    fn field(&mut self, key: &str, value: &str, span: Range<usize>) {
        self.under = HeaderBlock::Nothing;
        match key {
            "name" => {
                let name = self.scalar(value, &span).into_owned();
                if self.header.name.is_some() {
                    self.note(span, "the head has `name` twice", "keep one; the first counts");
                } else if name.is_empty() || name.chars().any(char::is_control) {
                    self.note(span, "the name is empty or has control characters", "give it a plain name");
                } else {
                    self.header.name = Some(name);
                }
            }
            "description" => {
                self.under = HeaderBlock::Description;
                if !matches!(value.as_bytes(), [b'>' | b'|'] | [b'>' | b'|', b'-' | b'+']) {
                    self.header.description = one_line(&self.scalar(value, &span));
                }
            }
            "ccVersion" => self.header.changed_in = one_line(&self.scalar(value, &span)),
            _ => self.under = HeaderBlock::Other,
        }
    }

    fn indented(&mut self, line: &str, span: Range<usize>) {
        match self.under {
            HeaderBlock::Other => {}
            HeaderBlock::Description => {
                let text = one_line(line);
                if !self.header.description.is_empty() {
                    self.header.description.push(' ');
                }
                self.header.description.push_str(&text);
            }
            HeaderBlock::Nothing => {
                self.note(span, "an indented line belongs to no key", "remove the line, or its indent");
            }
        }
    }

    /// Takes a text out of its quotes: single ones as YAML has them, double ones as JSON has them. What only looks quoted,
    /// such as `'a' or 'b'`, is taken as it is.
    fn scalar<'v>(&mut self, value: &'v str, span: &Range<usize>) -> Cow<'v, str> {
        let inside = |quote| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inside) = inside('\'') {
            let plain = inside.replace("''", "");
            return if plain.contains('\'') {
                Cow::Borrowed(value)
            } else {
                Cow::Owned(inside.replace("''", "'"))
            };
        }
        let Some(inside) = inside('"') else { return Cow::Borrowed(value) };
        match serde_json::from_str(value) {
            Ok(text) => Cow::Owned(text),
            Err(_) if inside.contains('"') && !inside.contains('\\') => Cow::Borrowed(value),
            Err(error) => {
                let what = format!("a quoted text of the head cannot be read: {error}");
                self.note(span.clone(), what, "quote it as a JSON string");
                Cow::Borrowed(inside)
            }
        }
    }

    fn note(&mut self, span: Range<usize>, what: impl Into<String>, remedy: &str) {
        self.noted += 1;
        let (what, remedy) = match self.noted {
            ..MAX_NOTES => (what.into(), remedy),
            MAX_NOTES => ("the head has more invalid lines".to_owned(), "see to the first lines"),
            _ => return,
        };
        let place = Place::within(None, self.path, self.text, span);
        self.diagnostics
            .push(Diagnostic::warning(DiagnosticCode::CatalogLeftOut, what).at(place).help(remedy));
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

    fn head(text: &str) -> (Header, Vec<String>) {
        let mut diagnostics = Vec::new();
        let header = read("x.md", text, &mut diagnostics);
        assert!(diagnostics.iter().all(|diagnostic| diagnostic.help.is_some()), "{diagnostics:?}");
        let line = |diagnostic: Diagnostic| {
            let place = diagnostic.place.expect("each note has a place");
            assert_eq!(place.path, "x.md");
            format!("{}: {}", place.line.expect("each note has a line"), diagnostic.message)
        };
        (header, diagnostics.into_iter().map(line).collect())
    }

    #[test]
    fn an_older_head_is_no_yaml() {
        let text = "<!--\nname: 'Tool: the bell''s rope'\ndescription: One: two: 'three', and # four\nccVersion: 2.0.14\n\
                    variables:\n  - BELL_NAME\n  - TIMES\n  - BELL_NAME\n-->\n\nBody <!-- no head -->\n";
        let (header, diagnostics) = head(text);
        assert_eq!(header.name.as_deref(), Some("Tool: the bell's rope"));
        assert_eq!(header.description, "One: two: 'three', and # four");
        assert_eq!(header.changed_in, "2.0.14");
        assert_eq!(&text[header.body..], "\nBody <!-- no head -->\n");
        assert_eq!(diagnostics, [""; 0]);
    }

    #[test]
    fn a_newer_head_has_json_texts_and_a_map_that_is_skipped() {
        let text = "<!--\nname: \"Agent: \\\"Ringer\\\"\"\ndescription: \"Tells --\\u003e what\\nis\"\nccVersion: \"2.1.200\"\n\
                    variables:\n  - \"ROPE\"\nagentMetadata:\n  agentType: \"ringer\"\n  tools:\n    - \"*\"\n  odd\n-->\nBody";
        let (header, diagnostics) = head(text);
        assert_eq!(header.name.as_deref(), Some("Agent: \"Ringer\""));
        assert_eq!(header.description, "Tells --> what is");
        assert_eq!(header.changed_in, "2.1.200");
        assert_eq!(&text[header.body..], "Body");
        assert_eq!(diagnostics, [""; 0]);
    }

    #[test]
    fn a_description_can_be_a_block() {
        for mark in [">", ">-", "|", "|+"] {
            let text = format!(
                "<!--\nname: x\ndescription: {mark}\n  One line,\n  and: another\nccVersion: 1\n-->\n"
            );
            let (header, diagnostics) = head(&text);
            assert_eq!((&*header.description, diagnostics.len()), ("One line, and: another", 0), "{mark}");
        }
    }

    #[test]
    fn what_looks_quoted_and_is_not_stays_as_it_stands() {
        for (value, expected, diagnostics) in [
            ("'a' or 'b'", "'a' or 'b'", 0),
            ("\"a\" or \"b\"", "\"a\" or \"b\"", 0),
            ("'", "'", 0),
            ("\"", "\"", 0),
            ("> 5 files", "> 5 files", 0),
            ("\"a \\q b\"", "a \\q b", 1),
            ("''", "", 0),
        ] {
            let (header, found) = head(&format!("<!--\nname: x\ndescription: {value}\n-->\n"));
            assert_eq!((&*header.description, found.len()), (expected, diagnostics), "{value}");
        }
    }

    #[test]
    fn a_malformed_head_is_reported_by_line_and_loses_no_body() {
        for (text, name, body, expected) in [
            ("Just words.\n", None, "Just words.\n", &["1: the file does not start with a comment"][..]),
            ("", None, "", &["1: the file does not start with a comment"]),
            ("<!--", None, "", &["1: the head is never closed"]),
            (
                "<!--\nname: x\n\nBody -> here\n",
                Some("x"),
                "\nBody -> here\n",
                &["1: the head is never closed"],
            ),
            ("<!--\nname: x\nBody\n", Some("x"), "Body\n", &["1: the head is never closed"]),
            (
                "<!-- name: x -->\nBody\n-->\n",
                Some("x"),
                "Body\n-->\n",
                &["1: the head is not closed on a line of its own"],
            ),
            (
                "<!--\nname: x\noh no\n-->\nBody",
                Some("x"),
                "Body",
                &["3: a line of the head is no `key: value`"],
            ),
            ("<!--\nname: x\n  y\n-->\nBody", Some("x"), "Body", &["3: an indented line belongs to no key"]),
            ("<!--\nname: x\nname: y\n-->\n", Some("x"), "", &["3: the head has `name` twice"]),
            ("<!--\nname:\n-->\nB", None, "B", &["2: the name is empty or has control characters"]),
            ("<!--\nname: \"a\\nb\"\n-->\nB", None, "B", &["2: the name is empty or has control characters"]),
            ("\u{feff}<!--\r\nname: x\r\n-->\r\nB\r\n", Some("x"), "B\r\n", &[]),
            ("<!--\nname: x\ndescription: a --> b\n-->\nB", Some("x"), "B", &[]),
            ("<!--\nname: x\nvariables:\n  - \"A\"\n  odd\n-->\nB", Some("x"), "B", &[]),
        ] {
            let (header, diagnostics) = head(text);
            assert_eq!((header.name.as_deref(), &text[header.body..]), (name, body), "{text:?}");
            assert_eq!(diagnostics, expected, "{text:?}");
        }
    }
}
