//! The offer of a server, as plain data, and its calls.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    lint::hidden::escape_hidden,
};
use serde_json::{Map, Value, json};

/// The arguments of a call, by name.
pub type Arguments = Map<String, Value>;

/// A server's lists and calls. The lists are read once, at the start. Calls may be slow: they run on threads
/// of their own, several at once, and a panic ends that call alone.
pub trait Offer: Send + Sync + 'static {
    /// Returns the description of the server.
    fn about(&self) -> ServerInfo;

    /// Returns the prompts, in the order in which they are listed.
    fn prompts(&self) -> Vec<PromptOffer>;

    /// Returns the tools, in the order in which they are listed.
    fn tools(&self) -> Vec<ToolOffer>;

    /// Returns the resources, in the order in which they are listed.
    fn resources(&self) -> Vec<ResourceOffer>;

    /// Returns the text of a prompt. The name is one of those offered, and so is the name of each argument.
    ///
    /// # Errors
    /// The message for the client.
    fn prompt(&self, name: &str, arguments: &Arguments) -> Result<String, Refusal>;

    /// Calls a tool. The name is one of those offered, and so is the name of each argument; its value is as it came.
    ///
    /// # Errors
    /// The message for the client.
    fn call(&self, tool: &str, arguments: &Arguments) -> Result<CallOutput, Refusal>;

    /// Returns the text of a resource. The address is one of those offered.
    ///
    /// # Errors
    /// The message for the client.
    fn read(&self, address: &str) -> Result<String, Refusal>;

    /// Receives a line for the log.
    fn note(&self, line: &str);
}

/// The description of a server.
#[derive(Clone, Debug)]
pub struct ServerInfo {
    /// The name of the server.
    pub name: String,
    /// The version of the server.
    pub version: String,
    /// A description of the offer, for the model and for people.
    pub instructions: String,
}

/// A prompt that is offered.
#[derive(Clone, Debug)]
pub struct PromptOffer {
    /// The name of the prompt.
    pub name: String,
    /// A description of the prompt, for people.
    pub about: String,
    /// The arguments of the prompt, all of them text.
    pub arguments: Vec<PromptArgument>,
}

/// An argument of a prompt. None must be given.
#[derive(Clone, Debug)]
pub struct PromptArgument {
    /// The name of the argument.
    pub name: String,
    /// A description of the argument and its default.
    pub about: String,
}

/// A tool that is offered. It changes nothing, and is annotated so.
#[derive(Clone, Debug)]
pub struct ToolOffer {
    /// The name of the tool.
    pub name: String,
    /// The title of the tool, for people.
    pub title: String,
    /// A description of the tool, for the model.
    pub about: String,
    /// The JSON Schema of its arguments, an object with `properties`.
    pub input: Map<String, Value>,
    /// The JSON Schema of what it answers, an object.
    pub output: Map<String, Value>,
}

/// A resource that is offered.
#[derive(Clone, Debug)]
pub struct ResourceOffer {
    /// The address of the resource.
    pub address: String,
    /// The name of the resource.
    pub name: String,
    /// A description of the resource, for people.
    pub about: String,
    /// The media type of its text.
    pub media_type: String,
}

/// The result of a tool call.
#[derive(Clone, Debug)]
pub struct CallOutput {
    /// For people and models, a block each.
    pub texts: Vec<String>,
    /// For programs: an object of the tool's output schema.
    pub structured: Value,
}

/// The reason why a call failed.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The kind of failure.
    pub kind: RefusalKind,
    /// The diagnostic for the client.
    pub note: Box<Diagnostic>,
}

/// The kind of a failed call: wrong arguments, or an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The arguments are wrong.
    Arguments,
    /// The arguments are valid, and the call failed.
    Failed,
}

impl Refusal {
    /// Builds a refusal of wrong arguments.
    #[must_use]
    pub fn arguments(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Refusal::new(
            RefusalKind::Arguments,
            Diagnostic::error(DiagnosticCode::McpArguments, what).help(remedy),
        )
    }

    /// Builds a refusal from a diagnostic.
    #[must_use]
    pub fn new(kind: RefusalKind, note: Diagnostic) -> Self {
        Refusal { kind, note: Box::new(note) }
    }

    /// Returns the message of the refusal: the error and its location in one line, and the help in a second
    /// one.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = escape_hidden(&self.note.message).into_owned();
        if let Some(place) = self.note.place.as_ref().filter(|place| !place.path.is_empty()) {
            words.push_str(&format!(" ({})", spot(place)));
        }
        if let Some(help) = &self.note.help {
            words.push_str(&format!("\nhelp: {}", escape_hidden(help)));
        }
        words
    }

    /// Returns the same for programs.
    #[must_use]
    pub fn data(&self) -> Value {
        let Diagnostic { code, place, help, .. } = &*self.note;
        let mut data = json!({ "code": code });
        if let Some(place) = place.as_ref().filter(|place| !place.path.is_empty()) {
            data["file"] = json!(place.path);
            for (key, number) in [("line", place.line), ("column", place.column)] {
                if let Some(number) = number {
                    data[key] = json!(number);
                }
            }
        }
        if let Some(help) = help {
            data["remedy"] = json!(help);
        }
        data
    }
}

/// `file`, `file:line` or `file:line:column`.
fn spot(place: &Place) -> String {
    let mut spot = escape_hidden(&place.path).into_owned();
    for number in [place.line, place.column].into_iter().flatten() {
        spot.push_str(&format!(":{number}"));
    }
    spot
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_a_message_a_place_and_a_remedy() {
        let place = Place { line: Some(3), column: Some(12), ..Place::file(None, "a\u{202e}.md") };
        let note = Diagnostic::error(DiagnosticCode::TemplateUnknownName, "unknown variable")
            .at(place)
            .help("write it so");
        let refusal = Refusal::new(RefusalKind::Failed, note);
        assert_eq!(refusal.words(), "unknown variable (a\\u{202e}.md:3:12)\nhelp: write it so");
        assert_eq!(
            refusal.data(),
            json!({
                "code": "template/unknown-name", "file": "a\u{202e}.md", "line": 3, "column": 12, "remedy": "write it so",
            })
        );
    }
}
