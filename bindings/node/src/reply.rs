//! Results and errors as JSON.

use crate::resource::Resource;
use preface::{Conversation, ErrorKind, Origin, Prompt, Request, Tool};
use preface_bindings::{diagnostics, location};
use serde_json::{Value, json};

/// The result of an operation.
pub struct Reply {
    /// JSON: `{"value": …}` or `{"error": …}`.
    pub json: String,
    /// A long text, which JSON would only make longer.
    pub text: Option<String>,
    /// What later operations need.
    pub resource: Option<Resource>,
}

impl Reply {
    /// Makes a reply with a value.
    pub fn new(value: Value) -> Self {
        Reply { json: json!({ "value": value }).to_string(), text: None, resource: None }
    }

    /// Adds a long text.
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Adds what later operations need.
    pub fn with(mut self, resource: Resource) -> Self {
        self.resource = Some(resource);
        self
    }
}

/// The reason why an operation failed.
pub enum Failure {
    /// An error of the library.
    Preface(preface::Error),
    /// An argument that the JavaScript layer let through.
    Usage(String),
    /// A panic, or a call that the JavaScript layer never makes.
    Bug(String),
}

impl From<preface::Error> for Failure {
    fn from(error: preface::Error) -> Self {
        Failure::Preface(error)
    }
}

impl From<Failure> for Reply {
    fn from(failure: Failure) -> Self {
        let error = match failure {
            Failure::Preface(error) => json!({
                "kind": kind(error.kind()),
                "code": error.code(),
                "message": error.to_string(),
                "help": error.help(),
                "location": error.place().map(location),
            }),
            Failure::Usage(message) => json!({"kind": "usage", "code": "cli/usage", "message": message}),
            Failure::Bug(what) => json!({
                "kind": "internal",
                "code": "internal",
                "message": format!("internal error, this is a bug, please report it: {what}"),
            }),
        };
        Reply { json: json!({ "error": error }).to_string(), text: None, resource: None }
    }
}

fn kind(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Usage => "usage",
        ErrorKind::Config => "config",
        ErrorKind::Untrusted => "untrusted",
        ErrorKind::TooLarge => "too-large",
        ErrorKind::Snapshot => "snapshot",
        ErrorKind::Conversation => "conversation",
        ErrorKind::Store => "store",
        _ => "internal",
    }
}

/// Returns what every caller reads of a prompt, but for its text.
pub fn prompt(prompt: &Prompt) -> Value {
    json!({"preset": prompt.preset(), "diagnostics": diagnostics(prompt.diagnostics())})
}

/// Returns the rest of a prompt. Places in its text are UTF-16 code units, as JavaScript counts; parts, spans and blocks follow each other
/// without a gap, so that each has its end alone.
pub fn details(prompt: &Prompt) -> Value {
    let mut units = Units::new(prompt.text());
    let parts: Vec<Value> = prompt
        .parts()
        .iter()
        .map(|part| {
            let start = part.range.start;
            let spans: Vec<Value> = part
                .spans
                .iter()
                .map(|span| json!({"end": units.up_to(start + span.range.end), "origin": origin(&span.origin)}))
                .collect();
            json!({
                "id": part.section.as_str(),
                "end": units.up_to(part.range.end),
                "stability": part.stability,
                "tokens": prompt.tokens_of(prompt.text_of(part)),
                "isCut": !part.cuts.is_empty(),
                "spans": spans,
            })
        })
        .collect();
    let mut units = Units::new(prompt.text());
    let blocks: Vec<Value> = prompt
        .blocks()
        .iter()
        .map(|block| json!({"end": units.up_to(block.range.end), "stability": block.stability}))
        .collect();
    json!({
        "fingerprint": prompt.fingerprint(),
        "tokens": prompt.tokens(),
        "parts": parts,
        "blocks": blocks,
        "staticEnd": Units::new(prompt.text()).up_to(prompt.static_prefix().len()),
        "absent": prompt.absent(),
        "tools": prompt.tools().iter().map(tool_definition).collect::<Vec<_>>(),
    })
}

/// Names the keys of a tool as the options of a build have them.
fn tool_definition(tool: &Tool) -> Value {
    match json!(tool) {
        Value::Object(keys) => {
            let name = |key: String| if key == "input_schema" { "inputSchema".into() } else { key };
            Value::Object(keys.into_iter().map(|(key, value)| (name(key), value)).collect())
        }
        other => other,
    }
}

fn origin(origin: &Origin) -> Value {
    let mut json = match origin {
        Origin::Source { source, span, .. } => {
            json!({"type": "file", "path": source.path, "bytes": [span.start, span.end], "scope": source.scope})
        }
        Origin::Literal { profile, key } => json!({"type": "profile", "profile": profile, "key": key}),
        Origin::Variable { key, source } => json!({"type": "variable", "name": key, "source": source}),
        Origin::Stored { template, version, span } => {
            json!({"type": "template", "name": template, "version": version, "bytes": [span.start, span.end]})
        }
        Origin::Caller { flag } => json!({"type": "caller", "argument": flag}),
        Origin::Hook { hook, event } => json!({"type": "hook", "hook": hook, "event": event}),
    };
    json["label"] = origin.to_string().into();
    json
}

/// Returns a request, but for its body.
pub fn request(request: &Request) -> Value {
    json!({
        "number": request.number(),
        "extends": request.extends(),
        "diagnostics": diagnostics(request.diagnostics()),
    })
}

/// Returns the state of a conversation, but for its text.
pub fn conversation(conversation: &Conversation) -> Value {
    json!({
        "id": conversation.id(),
        "isNew": conversation.is_new(),
        "tools": conversation.tools().iter().map(|tool| &tool.name).collect::<Vec<_>>(),
        "diagnostics": diagnostics(conversation.diagnostics()),
    })
}

/// Returns the answer of a hook, or why it failed.
pub fn of_hook(json: &str) -> Result<String, String> {
    let mut reply: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    match reply["error"].as_str() {
        Some(error) => Err(error.to_owned()),
        None => Ok(reply["answer"].take().to_string()),
    }
}

/// Counts a text in UTF-16 code units, from its beginning to its end.
struct Units<'a> {
    rest: &'a str,
    is_ascii: bool,
    bytes: usize,
    units: usize,
}

impl<'a> Units<'a> {
    fn new(text: &'a str) -> Self {
        Units { rest: text, is_ascii: text.is_ascii(), bytes: 0, units: 0 }
    }

    /// Returns the code units before a byte, which is not before the one of the last call.
    fn up_to(&mut self, byte: usize) -> usize {
        if self.is_ascii {
            return byte;
        }
        let (passed, rest) = self.rest.split_at(byte - self.bytes);
        self.units += passed.encode_utf16().count();
        (self.rest, self.bytes) = (rest, byte);
        self.units
    }
}
