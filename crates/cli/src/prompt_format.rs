//! The formats of a command that prints a prompt or a request for a service.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use preface_core::format::{RequestFormat, find};

/// An output format.
#[derive(Clone, Copy, Debug)]
pub enum PromptFormat {
    /// The text alone.
    Text,
    /// A JSON document.
    Json,
    /// A request in one of the formats of the library.
    Request(&'static RequestFormat),
}

impl PromptFormat {
    /// Returns the parser of the names: those of formats of the library, and the command's own with what they print. Completion
    /// offers the same names.
    pub fn parser(
        formats: impl Iterator<Item = &'static RequestFormat>,
        own: &'static [(&'static str, &'static str)],
    ) -> impl TypedValueParser<Value = PromptFormat> {
        let formats = formats.map(|format| (format.name, format.about)).chain(own.iter().copied());
        let values = formats.map(|(name, about)| PossibleValue::new(name).help(about));
        PossibleValuesParser::new(values).map(|name| match find(&name) {
            Some(format) if name != "text" => PromptFormat::Request(format),
            Some(_) => PromptFormat::Text,
            None => PromptFormat::Json,
        })
    }

    /// Returns true if attachments are not part of the output.
    pub fn is_prompt_alone(self) -> bool {
        match self {
            PromptFormat::Text => true,
            PromptFormat::Json => false,
            PromptFormat::Request(format) => format.is_prompt_alone,
        }
    }

    /// Returns true if the output has messages and tools.
    pub fn is_request(self) -> bool {
        matches!(self, PromptFormat::Request(_)) && !self.is_prompt_alone()
    }
}
