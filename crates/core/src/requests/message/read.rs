//! Reading a history from a file: a JSON array, an object with `messages`, or one message after the other (JSON Lines).
//!
//! Each message is read by itself, so an error can name the message and its location.

use super::types::{Message, MessageFault};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    duplicate_key,
    json_type::{json_type, without_position},
    lint::character::floor_char_boundary,
    settings::shown,
};
use indexmap::IndexMap;
use serde_json::{Value, value::RawValue};
use std::{cell::Cell, fmt, ops::Range};

/// The largest file, in bytes.
pub const MOST_BYTES: usize = 16 << 20;

/// The most messages of a file.
pub const MOST_MESSAGES: usize = 100_000;

/// The most JSON values of a file, on all levels, so that a file of brackets cannot exhaust the memory.
const MOST_VALUES: usize = 2_000_000;

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
    let reader = MessageReader { path, text, left: Cell::new(MOST_VALUES) };
    let json = text.strip_prefix('\u{feff}').unwrap_or(text).trim_ascii_start();
    let written = match json.chars().next() {
        None => {
            let error = reader.error(text.len()..text.len(), None, "there are no messages");
            return Err(error.help("`[]` is an empty list"));
        }
        Some('[') => reader.list(json)?,
        Some('{') => reader.objects(json, diagnostics)?,
        Some(first) => {
            let span = reader.span_of(&json[..first.len_utf8()]);
            let error = reader.error(span, None, "messages are a list of JSON objects");
            return Err(error.help("give `[…]`, `{\"messages\": […]}`, or one message on each line"));
        }
    };
    if let Some(next) = written.get(MOST_MESSAGES) {
        let message = format!("there are more than {MOST_MESSAGES} messages");
        let error = reader.error(reader.span_of(&next.get()[..1]), Some(MOST_MESSAGES), message);
        return Err(error.help("leave out older messages, or summarise them"));
    }
    written.into_iter().enumerate().map(|(index, json)| reader.message(index, json.get())).collect()
}

/// A file of messages.
struct MessageReader<'t> {
    path: &'t str,
    text: &'t str,
    /// The number of values that may follow.
    left: Cell<usize>,
}

impl<'t> MessageReader<'t> {
    /// Reads `[…]`.
    fn list(&self, json: &'t str) -> Result<Vec<&'t RawValue>, MessagesError> {
        serde_json::from_str(json).map_err(|error| self.json_error(json, &error, None))
    }

    /// Reads one message after the other, or `{"messages": […]}`.
    fn objects(
        &self,
        json: &'t str,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<&'t RawValue>, MessagesError> {
        let mut objects: Vec<&RawValue> = Vec::new();
        for next in serde_json::Deserializer::from_str(json).into_iter() {
            let index = objects.len();
            objects.push(next.map_err(|error| self.json_error(json, &error, Some(index)))?);
        }
        let [only] = objects.as_slice() else { return Ok(objects) };
        let fields = fields(only.get());
        let Some(list) = fields.get("messages").filter(|_| !fields.contains_key("role")) else {
            return Ok(objects);
        };
        // Keys that are there twice are refused.
        self.value(only.get(), None)?;
        self.left.set(MOST_VALUES);
        if !list.get().starts_with('[') {
            let error = self.error(self.span_of(&list.get()[..1]), None, "`messages` must be a list");
            return Err(error.help("write `{\"messages\": []}`"));
        }
        diagnostics.extend(self.ignored_keys_diagnostic(&fields));
        self.list(list.get())
    }

    /// Reports all keys beside `messages` in one diagnostic.
    fn ignored_keys_diagnostic(&self, fields: &IndexMap<String, &RawValue>) -> Option<Diagnostic> {
        let (name, value) = fields.iter().find(|(key, _)| *key != "messages")?;
        let name = shown(name);
        let message = match fields.len() - 2 {
            0 => format!("`{name}` beside `messages` is not read"),
            1 => format!("`{name}` and 1 other key beside `messages` are not read"),
            others => format!("`{name}` and {others} other keys beside `messages` are not read"),
        };
        let place = Place::within(None, self.path, self.text, self.span_of(value.get()));
        let diagnostic = Diagnostic::warning(DiagnosticCode::KeyUnknown, message).at(place);
        Some(diagnostic.help("only the list of messages counts"))
    }

    /// Reads the message of this position.
    fn message(&self, index: usize, json: &'t str) -> Result<Message, MessagesError> {
        let fields = match self.value(json, Some(index))? {
            Value::Object(fields) => fields,
            other => {
                let what = format!("a message must be an object, not {}", json_type(&other));
                let error = self.error(self.span_of(json), Some(index), what);
                return Err(error.help("write `{\"role\": \"user\", \"content\": \"…\"}`"));
            }
        };
        Message::new(fields).map_err(|MessageFault { field, message, help }| {
            let fields = self::fields(json);
            let value = field.and_then(|field| fields.get(field)).map_or(&json[..1], |value| value.get());
            MessagesError { help, ..self.error(self.span_of(value), Some(index), message) }
        })
    }

    fn value(&self, json: &str, index: Option<usize>) -> Result<Value, MessagesError> {
        let checked = duplicate_key::check(json.as_bytes(), &self.left);
        let value = checked.and_then(|()| serde_json::from_str(json));
        value.map_err(|error| self.json_error(json, &error, index))
    }

    /// Converts an error of serde_json, whose position is relative to `json`, to a location in the file.
    fn json_error(&self, json: &str, error: &serde_json::Error, index: Option<usize>) -> MessagesError {
        let lines: usize =
            json.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let at = self.span_of(json).start + lines + error.column().saturating_sub(1);
        let at = if error.is_eof() { self.text.len() } else { floor_char_boundary(self.text, at) };
        let message_text = error.to_string();
        let message_text = without_position(&message_text);
        let help = if error.is_eof() {
            "the file ends early: was it cut?"
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

    fn error(&self, span: Range<usize>, index: Option<usize>, message: impl Into<String>) -> MessagesError {
        let place = Box::new(Place::within(None, self.path, self.text, span));
        MessagesError { message: message.into(), place, index, help: None }
    }

    /// Returns the bytes of the file that a part of it has.
    fn span_of(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr().addr() - self.text.as_ptr().addr();
        start..start + part.len()
    }
}

/// Returns the fields of an object as they are written.
fn fields(json: &str) -> IndexMap<String, &RawValue> {
    serde_json::from_str(json).unwrap_or_default()
}

impl MessagesError {
    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
