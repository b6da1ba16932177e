//! What a server offers, as plain data, and what it does when it is asked.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    lint::hidden::escape_hidden,
};
use serde_json::{Map, Value, json};

/// The arguments of a call, by name.
pub type Arguments = Map<String, Value>;

/// What a server offers and does. The lists are asked for once, at the start. Everything else may take its time: it runs on
/// threads that answer nobody else, several at once, and a panic ends that call alone.
pub trait Offer: Send + Sync + 'static {
    /// Returns who this is.
    fn about(&self) -> About;

    /// Returns the prompts, in the order in which they are listed.
    fn prompts(&self) -> Vec<PromptOffer>;

    /// Returns the tools, in the order in which they are listed.
    fn tools(&self) -> Vec<ToolOffer>;

    /// Returns the resources, in the order in which they are listed.
    fn resources(&self) -> Vec<ResourceOffer>;

    /// Returns the text of a prompt. The name is one of those offered, and so is the name of each argument.
    ///
    /// # Errors
    /// What it says to the client.
    fn prompt(&self, name: &str, arguments: &Arguments) -> Result<String, Refusal>;

    /// Calls a tool. The name is one of those offered, and so is the name of each argument; its value is as it came.
    ///
    /// # Errors
    /// What it says to the client.
    fn call(&self, tool: &str, arguments: &Arguments) -> Result<Done, Refusal>;

    /// Returns the text of a resource. The address is one of those offered.
    ///
    /// # Errors
    /// What it says to the client.
    fn read(&self, address: &str) -> Result<String, Refusal>;

    /// Takes a line about what goes on, for whoever keeps a log.
    fn note(&self, line: &str);
}

/// Who a server is.
#[derive(Clone, Debug)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it offers, for the model and for people.
    pub instructions: String,
}

/// A prompt that is offered.
#[derive(Clone, Debug)]
pub struct PromptOffer {
    /// Its name.
    pub name: String,
    /// What it is, for people.
    pub about: String,
    /// Its arguments, all of them text.
    pub arguments: Vec<PromptArgument>,
}

/// An argument of a prompt. None must be given.
#[derive(Clone, Debug)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it is for, and what holds without it.
    pub about: String,
}

/// A tool that is offered. It changes nothing, and says so.
#[derive(Clone, Debug)]
pub struct ToolOffer {
    /// Its name.
    pub name: String,
    /// What it is called where people look.
    pub title: String,
    /// What it does, for the model.
    pub about: String,
    /// The JSON Schema of its arguments, an object with `properties`.
    pub input: Map<String, Value>,
    /// The JSON Schema of what it answers, an object.
    pub output: Map<String, Value>,
}

/// A resource that is offered.
#[derive(Clone, Debug)]
pub struct ResourceOffer {
    /// Its address.
    pub address: String,
    /// Its name.
    pub name: String,
    /// What it is, for people.
    pub about: String,
    /// The media type of its text.
    pub media_type: String,
}

/// What a tool answers.
#[derive(Clone, Debug)]
pub struct Done {
    /// For people and models, a block each.
    pub texts: Vec<String>,
    /// For programs: an object of the tool's output schema.
    pub structured: Value,
}

/// Why a call was not done.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Whose fault it is.
    pub kind: RefusalKind,
    /// What, where, and what to do about it.
    pub note: Box<Diagnostic>,
}

/// Whose fault a refusal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The arguments are wrong.
    Arguments,
    /// The arguments are fine, and it could not be done.
    Failed,
}

impl Refusal {
    /// Says that the arguments are wrong.
    #[must_use]
    pub fn arguments(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Refusal::new(
            RefusalKind::Arguments,
            Diagnostic::error(DiagnosticCode::McpArguments, what).help(remedy),
        )
    }

    /// Says what this note says.
    #[must_use]
    pub fn new(kind: RefusalKind, note: Diagnostic) -> Self {
        Refusal { kind, note: Box::new(note) }
    }

    /// Returns what is said: what and where in one line, and what to do in a second one.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = escape_hidden(&self.note.message).into_owned();
        if let Some(place) = self.note.place.as_ref().filter(|place| !place.path.is_empty()) {
            words.push_str(&format!(" ({})", spot(place)));
        }
        if let Some(help) = &self.note.help {
            words.push_str(&format!("\nhint: {}", escape_hidden(help)));
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
    fn a_refusal_says_what_and_where_and_what_to_do() {
        let place = Place { line: Some(3), column: Some(12), ..Place::file(None, "a\u{202e}.md") };
        let note = Diagnostic::error(DiagnosticCode::TemplateUnknownName, "unknown variable")
            .at(place)
            .help("write it so");
        let refusal = Refusal::new(RefusalKind::Failed, note);
        assert_eq!(refusal.words(), "unknown variable (a\\u{202e}.md:3:12)\nhint: write it so");
        assert_eq!(
            refusal.data(),
            json!({
                "code": "template/unknown-name", "file": "a\u{202e}.md", "line": 3, "column": 12, "remedy": "write it so",
            })
        );
    }
}
