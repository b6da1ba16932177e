//! The head of a file: the comment at its first byte, read line by line.
//!
//! Older heads look like YAML and are none: a description stands without quotes and has colons in it. Newer ones quote
//! each text as JSON does. Both are read here, and a line that is neither is a note: the rest of the head still counts.

use preface_core::diagnostic::{Diagnostic, Place};
use std::{borrow::Cow, ops::Range};

/// What the head of a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The name of the prompt.
    pub name: Option<String>,
    /// What it is, in a line.
    pub description: String,
    /// The version in which it last changed.
    pub changed_in: String,
    /// The names that it declares, each once, in its order.
    pub variables: Vec<String>,
    /// Where the body starts: a byte of the file.
    pub body: usize,
}

/// What opens a head, and what closes it on a line of its own.
const OPEN: &str = "<!--";
const CLOSE: &str = "-->";

/// Reads the head of the file `path`. It never fails: what cannot be read is a note with its line.
///
/// ```
/// let text = "<!--\nname: 'Tool: Bell'\ndescription: Rings: once\nccVersion: 2.1.3\n-->\nDing.\n";
/// let mut notes = Vec::new();
/// let header = preface_catalog::read_header("bell.md", text, &mut notes);
/// assert_eq!(header.name.as_deref(), Some("Tool: Bell"));
/// assert_eq!(header.description, "Rings: once");
/// assert_eq!(&text[header.body..], "Ding.\n");
/// assert!(notes.is_empty());
/// ```
#[must_use]
pub fn read(path: &str, text: &str, notes: &mut Vec<Diagnostic>) -> Header {
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut reader = Reader {
        path,
        text,
        notes,
        header: Header { body: start, ..Header::default() },
        under: Under::Nothing,
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

/// What indented lines belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    /// Nothing: an indented line is a mistake.
    Nothing,
    /// A description that goes on.
    Description,
    /// The list of names.
    Variables,
    /// A key whose content does not matter here.
    Other,
}

struct Reader<'t, 'n> {
    path: &'t str,
    text: &'t str,
    notes: &'n mut Vec<Diagnostic>,
    header: Header,
    under: Under,
}

impl Reader<'_, '_> {
    /// Finds where the head ends and where the body starts.
    fn end(&mut self, first: usize) -> (usize, usize) {
        let head = &self.text[first..];
        let mut at = first;
        for line in head.split_inclusive('\n') {
            if line.trim_end() == CLOSE && at > first {
                return (at, at + line.len());
            }
            at += line.len();
        }
        if let Some(found) = head.find(CLOSE) {
            let (end, after) = (first + found, first + found + CLOSE.len());
            self.note(end..after, "the head is not closed on a line of its own", "put `-->` on its own line");
            let rest = &self.text[after..];
            let line_end =
                rest.len() - rest.strip_prefix("\r\n").or(rest.strip_prefix('\n')).unwrap_or(rest).len();
            return (end, after + line_end);
        }
        self.note(
            first - OPEN.len()..first,
            "the head is never closed",
            "close it with `-->` on a line of its own",
        );
        let mut at = first;
        for line in head.split_inclusive('\n') {
            let looks = line.starts_with([' ', '\t'])
                || key_of(line).is_some()
                || line.trim().is_empty() && at == first;
            if !looks {
                break;
            }
            at += line.len();
        }
        (at, at)
    }

    fn lines(&mut self, head: Range<usize>) {
        let mut at = head.start;
        for whole in self.text[head].split_inclusive('\n') {
            let line = whole.trim_end();
            let span = at..at + line.len();
            at += whole.len();
            if line.is_empty() {
                continue;
            }
            if line.starts_with([' ', '\t']) {
                self.indented(line.trim_start(), span);
            } else if let Some((key, value)) = key_of(line) {
                self.field(key, value.trim(), span);
            } else {
                self.under = Under::Nothing;
                self.note(
                    span,
                    "a line of the head is no `key: value`",
                    "write `key: value`, or remove the line",
                );
            }
        }
    }

    fn field(&mut self, key: &str, value: &str, span: Range<usize>) {
        self.under = Under::Nothing;
        match key {
            "name" => {
                let name = self.scalar(value, &span).into_owned();
                if self.header.name.is_some() {
                    self.note(span, "the head says `name` twice", "keep one; the first counts");
                } else if name.is_empty() || name.chars().any(char::is_control) {
                    self.note(span, "the name is empty or has control characters", "give it a plain name");
                } else {
                    self.header.name = Some(name);
                }
            }
            "description" => {
                self.under = Under::Description;
                if !matches!(value.as_bytes(), [b'>' | b'|'] | [b'>' | b'|', b'-' | b'+']) {
                    self.header.description = one_line(&self.scalar(value, &span));
                }
            }
            "ccVersion" => self.header.changed_in = one_line(&self.scalar(value, &span)),
            "variables" => {
                self.under = Under::Variables;
                match serde_json::from_str::<Vec<String>>(value) {
                    Ok(names) => names.into_iter().for_each(|name| self.variable(name)),
                    Err(_) if value.is_empty() => {}
                    Err(_) => self.note(
                        span,
                        "`variables` is no list",
                        "write each name as `  - NAME` on its own line",
                    ),
                }
            }
            _ => self.under = Under::Other,
        }
    }

    fn indented(&mut self, line: &str, span: Range<usize>) {
        match self.under {
            Under::Other => {}
            Under::Description => {
                let text = one_line(line);
                if !self.header.description.is_empty() {
                    self.header.description.push(' ');
                }
                self.header.description.push_str(&text);
            }
            Under::Variables => match line.strip_prefix('-') {
                Some(name) => {
                    let name = self.scalar(name.trim(), &span).into_owned();
                    if name.is_empty() {
                        self.note(span, "a name under `variables` is empty", "name it, or remove the line");
                    } else {
                        self.variable(name);
                    }
                }
                None => self.note(span, "a line under `variables` is no `- NAME`", "write `  - NAME`"),
            },
            Under::Nothing => {
                self.note(span, "an indented line belongs to no key", "remove the line, or its indent");
            }
        }
    }

    fn variable(&mut self, name: String) {
        if !self.header.variables.contains(&name) {
            self.header.variables.push(name);
        }
    }

    /// Takes a text out of its quotes: single ones as YAML has them, double ones as JSON has them.
    fn scalar<'v>(&mut self, value: &'v str, span: &Range<usize>) -> Cow<'v, str> {
        let inside = |quote| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inside) = inside('\'') {
            return if inside.contains('\'') {
                Cow::Owned(inside.replace("''", "'"))
            } else {
                Cow::Borrowed(inside)
            };
        }
        let Some(inside) = inside('"') else { return Cow::Borrowed(value) };
        match serde_json::from_str(value) {
            Ok(text) => Cow::Owned(text),
            Err(error) => {
                let what = format!("a quoted text of the head cannot be read: {error}");
                self.note(span.clone(), what, "quote it as a JSON string; it is taken as it stands");
                Cow::Borrowed(inside)
            }
        }
    }

    fn note(&mut self, span: Range<usize>, what: impl Into<String>, remedy: &str) {
        let place = Place::within(None, self.path, self.text, span);
        self.notes.push(Diagnostic::warning("catalog/header", what).at(place).help(remedy));
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
