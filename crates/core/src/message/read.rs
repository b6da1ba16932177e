//! Reading a history from a file: a JSON array, an object with `messages`, or one message after the other (JSON Lines).
//!
//! Each message is read by itself, so an error can name the message and its location.

use super::{
    types::{Message, MessageFault},
    value::LimitedValue,
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    json_type::{json_type, without_position},
    lint::character::floor_char_boundary,
    settings::shown,
};
use serde::de::DeserializeSeed;
use serde_json::{Map, Value};
use std::{cell::Cell, fmt, ops::Range};

/// The largest file, in bytes.
pub const MOST_BYTES: usize = 16 << 20;

/// The most messages of a file.
pub const MOST_MESSAGES: usize = 100_000;

/// The most JSON values of a file, on all levels, so that a file of brackets cannot exhaust the memory.
const MOST_VALUES: usize = 2_000_000;

/// The message for a file that ends early.
const CUT: &str = "the file ends early: was it cut?";

/// The error for a file that is not a valid history, with the location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct MessagesError {
    /// The problem, lower case first.
    pub message: String,
    /// The location in the file.
    pub place: Box<Place>,
    /// The position of the message, from 0.
    pub index: Option<usize>,
    /// The remedy.
    pub help: Option<String>,
}

impl fmt::Display for MessagesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(index) = self.index {
            write!(f, "message {index}: ")?;
        }
        write!(f, "{}", self.message)
    }
}

/// Reads the messages of a file; `path` is its name for display.
///
/// There are three formats: a JSON array of messages, an object `{"messages": […]}`, and one message per line
/// (JSON Lines). A byte order mark is skipped. Keys beside `messages` are reported.
///
/// ```
/// use preface_core::message::read;
/// let mut diagnostics = Vec::new();
/// let history = read("chat.jsonl", b"{\"role\":\"user\",\"content\":\"hi\"}\n", &mut diagnostics).unwrap();
/// assert_eq!(history[0].text(), "hi");
/// let error = read("chat.json", br#"[{"role":"usr","content":"hi"}]"#, &mut diagnostics).unwrap_err();
/// assert_eq!(error.to_string(), "message 0: unknown role `usr`");
/// assert_eq!((error.place.line, error.place.column), (Some(1), Some(10)));
/// assert_eq!(error.help.as_deref(), Some("did you mean `user`?"));
/// ```
///
/// # Errors
/// A file that is too large, not UTF-8, not JSON, or empty; too many messages; an invalid message (see
/// [`Message::new`]); a duplicate key.
pub fn read(path: &str, bytes: &[u8], diagnostics: &mut Diagnostics) -> Result<Vec<Message>, MessagesError> {
    if bytes.len() > MOST_BYTES {
        let message = format!("{} bytes of messages are more than the limit of {MOST_BYTES}", bytes.len());
        return Err(MessagesError {
            message,
            place: Box::new(Place::file(None, path)),
            index: None,
            help: Some("leave out older messages, or summarise them".to_owned()),
        });
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let at = good.len()..good.len();
            return Err(MessagesError {
                message: "messages must be UTF-8".to_owned(),
                place: Box::new(Place { excerpt: None, ..Place::within(None, path, &good, at) }),
                index: None,
                help: Some("save the file as UTF-8".to_owned()),
            });
        }
    };
    let mut walk = MessageReader { path, text, at: 0, left: Cell::new(MOST_VALUES), messages: Vec::new() };
    walk.at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    walk.file(diagnostics)?;
    Ok(walk.messages)
}

/// A parser of the text, with the position of the next byte to read.
struct MessageReader<'t> {
    path: &'t str,
    text: &'t str,
    at: usize,
    left: Cell<usize>,
    messages: Vec<Message>,
}

impl MessageReader<'_> {
    fn file(&mut self, diagnostics: &mut Diagnostics) -> Result<(), MessagesError> {
        match self.peek() {
            None => {
                return Err(self
                    .error(self.at..self.at, None, "there are no messages")
                    .help("`[]` is an empty list"));
            }
            Some(b'[') => self.list()?,
            Some(b'{') => {
                let start = self.at;
                let first = self.object(None)?;
                if first.contains_key("messages") && !first.contains_key("role") {
                    self.at = start;
                    self.left.set(MOST_VALUES);
                    self.wrapped(diagnostics)?;
                } else {
                    self.message(start, first)?;
                    return self.lines();
                }
            }
            Some(_) => {
                let error = self.error(self.char_here(), None, "messages are a list of JSON objects");
                return Err(error.help("give `[…]`, `{\"messages\": […]}`, or one message on each line"));
            }
        }
        if self.peek().is_some() {
            let error = self.error(self.char_here(), None, "there is more text after the messages");
            return Err(error.help("a file holds one list"));
        }
        Ok(())
    }

    /// Reads the messages after the first one.
    fn lines(&mut self) -> Result<(), MessagesError> {
        loop {
            let before = self.at;
            if self.peek().is_none() {
                return Ok(());
            }
            if !self.text[before..self.at].contains('\n') {
                let error = self.error(
                    self.char_here(),
                    Some(self.messages.len() - 1),
                    "there is more text after it",
                );
                return Err(error.help("put each message on a line of its own, or all into `[…]`"));
            }
            let start = self.at;
            let fields = self.object(Some(self.messages.len()))?;
            self.message(start, fields)?;
        }
    }

    /// Reads `[…]`.
    fn list(&mut self) -> Result<(), MessagesError> {
        self.at += 1;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.peek();
            let start = self.at;
            let fields = self.object(Some(self.messages.len()))?;
            self.message(start, fields)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.expected_error("`,` or `]`", Some(self.messages.len() - 1))),
            }
        }
    }

    /// Reads `{"messages": […]}`, which was read before, so it is well-formed JSON without a duplicate key.
    fn wrapped(&mut self, diagnostics: &mut Diagnostics) -> Result<(), MessagesError> {
        self.at += 1;
        let (mut first, mut keys) = (None, 0);
        loop {
            self.peek();
            let start = self.at;
            let key = self.value(None)?;
            let name = self.at;
            if self.peek() != Some(b':') {
                return Err(self.expected_error("`:`", None));
            }
            self.at += 1;
            match self.peek() {
                Some(b'[') if key == "messages" => self.list()?,
                _ if key == "messages" => {
                    let error = self.error(self.char_here(), None, "`messages` must be a list");
                    return Err(error.help("write `{\"messages\": []}`"));
                }
                _ => {
                    self.value(None)?;
                    first.get_or_insert((key, start..name));
                    keys += 1;
                }
            }
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.expected_error("`,` or `}`", None)),
            }
        }
        self.at += 1;
        diagnostics.extend(first.map(|(key, span)| self.ignored_keys_diagnostic(&key, span, keys - 1)));
        Ok(())
    }

    /// Reports all keys beside `messages` in one diagnostic.
    fn ignored_keys_diagnostic(&self, first: &Value, span: Range<usize>, others: usize) -> Diagnostic {
        let name = shown(first.as_str().unwrap_or_default());
        let message = match others {
            0 => format!("`{name}` beside `messages` is not read"),
            1 => format!("`{name}` and 1 other key beside `messages` are not read"),
            _ => format!("`{name}` and {others} other keys beside `messages` are not read"),
        };
        Diagnostic::warning(DiagnosticCode::KeyUnknown, message)
            .at(Place::within(None, self.path, self.text, span))
            .help("only the list of messages counts")
    }

    /// Adds an object that began at `start` as the next message.
    fn message(&mut self, start: usize, fields: Map<String, Value>) -> Result<(), MessagesError> {
        let index = self.messages.len();
        let span = start..self.at;
        if index == MOST_MESSAGES {
            let error = self.error(
                self.char_at(start),
                Some(index),
                format!("there are more than {MOST_MESSAGES} messages"),
            );
            return Err(error.help("leave out older messages, or summarise them"));
        }
        match Message::new(fields) {
            Ok(message) => {
                self.messages.push(message);
                Ok(())
            }
            Err(MessageFault { field, message, help }) => {
                let field = field.and_then(|field| self.field(span, field));
                let error = self.error(field.unwrap_or(self.char_at(start)), Some(index), message);
                Err(MessagesError { help, ..error })
            }
        }
    }

    /// Finds the value of a field of the object in `span`, which was read before.
    fn field(&mut self, span: Range<usize>, field: &str) -> Option<Range<usize>> {
        self.left.set(MOST_VALUES);
        self.at = span.start + 1;
        loop {
            self.peek();
            let key = self.value(None).ok()?;
            self.peek();
            self.at += 1;
            self.peek();
            let start = self.at;
            self.value(None).ok()?;
            if key == field {
                return Some(start..self.at);
            }
            self.peek().filter(|byte| *byte == b',')?;
            self.at += 1;
        }
    }

    fn object(&mut self, index: Option<usize>) -> Result<Map<String, Value>, MessagesError> {
        let start = self.at;
        match self.value(index)? {
            Value::Object(fields) => Ok(fields),
            other => {
                let what = json_type(&other);
                let error =
                    self.error(start..self.at, index, format!("a message must be an object, not {what}"));
                Err(error.help("write `{\"role\": \"user\", \"content\": \"…\"}`"))
            }
        }
    }

    fn value(&mut self, index: Option<usize>) -> Result<Value, MessagesError> {
        let rest = &self.text[self.at..];
        let mut from = serde_json::Deserializer::from_str(rest);
        match LimitedValue(&self.left).deserialize(&mut from) {
            Ok(value) => {
                self.at += from.into_iter::<Value>().byte_offset();
                Ok(value)
            }
            Err(error) => Err(self.json_error(rest, &error, index)),
        }
    }

    /// Converts an error of serde_json, whose position is relative to `rest`, to a location in the file.
    fn json_error(&self, rest: &str, error: &serde_json::Error, index: Option<usize>) -> MessagesError {
        let lines: usize =
            rest.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let at = self.at + lines + error.column().saturating_sub(1);
        let at = if error.is_eof() { self.text.len() } else { floor_char_boundary(self.text, at) };
        let message_text = error.to_string();
        let message_text = without_position(&message_text);
        let help = if error.is_eof() {
            CUT
        } else if message_text.starts_with("duplicate key") {
            "keep one of them"
        } else if message_text == "too many values" || message_text.starts_with("recursion limit") {
            "messages are texts and blocks; leave out what only a program reads"
        } else if message_text.contains("surrogate") || message_text.contains("hex escape") {
            "write both halves of the character, or the character itself"
        } else {
            "messages are strict JSON, without comments"
        };
        let message = if error.is_eof() { "the file ends in the middle of a value" } else { message_text };
        self.error(at..at, index, message).help(help)
    }

    fn expected_error(&self, what: &str, index: Option<usize>) -> MessagesError {
        let (message, help) = match self.text[self.at..].chars().next() {
            Some(c) => {
                let found = shown(c.encode_utf8(&mut [0; 4]));
                (
                    format!("expected {what} after it, found `{found}`"),
                    "messages are strict JSON, without comments",
                )
            }
            None => (format!("expected {what} after it, and the file ends"), CUT),
        };
        self.error(self.at..self.at, index, message).help(help)
    }

    fn error(&self, span: Range<usize>, index: Option<usize>, message: impl Into<String>) -> MessagesError {
        let place = Box::new(Place::within(None, self.path, self.text, span));
        MessagesError { message: message.into(), place, index, help: None }
    }

    /// Returns the range of the next character.
    fn char_here(&self) -> Range<usize> {
        self.char_at(self.at)
    }

    fn char_at(&self, at: usize) -> Range<usize> {
        at..at + self.text[at..].chars().next().map_or(0, char::len_utf8)
    }

    /// Skips JSON's white space and returns the next byte.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        self.at += blank;
        rest.get(blank).copied()
    }
}

impl MessagesError {
    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
