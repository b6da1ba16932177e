//! The formats in which a prompt is sent, alone or with messages and tools.
//!
//! A [`RequestFormat`] gives a [`RequestContent`] the shape that a service reads. A new one is one file here, with its tests, and one
//! line in [`FORMATS`]. Nothing outside this module knows the shape of a vendor's request.

mod anthropic;
mod bedrock_converse;
mod cache;
mod content;
mod draft;
mod gemini;
mod history;
mod json;
mod ledger;
mod names;
mod neutral;
mod openai_chat;
mod openai_responses;
mod place;
mod report;
mod rules;
mod schema;
mod sections;
mod text;
mod turns;

pub use anthropic::Anthropic;
pub use bedrock_converse::BedrockConverse;
pub use cache::{CacheMark, CachePlan, CacheTier};
pub use content::{RequestContent, RequestTarget};
pub use gemini::Gemini;
pub use ledger::{BlockPlace, PrefixChange, PrefixComparison, RequestBlock, RequestRecord, RequestUsage};
pub use neutral::Neutral;
pub use openai_chat::OpenAiChat;
pub use openai_responses::OpenAiResponses;
pub use sections::Sections;
pub use text::Text;

use crate::{attachment::PlacedAttachment, diagnostic::Diagnostics};
use std::{borrow::Cow, fmt::Debug};

/// The shape of a request. The same content gives the same bytes.
///
/// ```
/// use preface_core::{prompt::Prompt, format::{RequestContent, FormattedRequest, RequestFormat}};
///
/// #[derive(Debug)]
/// struct Quoted;
///
/// impl RequestFormat for Quoted {
///     fn name(&self) -> &'static str {
///         "quoted"
///     }
///     fn about(&self) -> &'static str {
///         "the prompt as one JSON string"
///     }
///     fn format(&self, content: RequestContent<'_>) -> FormattedRequest {
///         let body = serde_json::Value::from(&*content.prompt.text).to_string();
///         FormattedRequest { media_type: "application/json", body, ..FormattedRequest::default() }
///     }
/// }
///
/// let prompt = Prompt { text: "Say \"hi\".".into(), ..Prompt::default() };
/// assert_eq!(Quoted.format(RequestContent::from(&prompt)).body, r#""Say \"hi\".""#);
/// ```
pub trait RequestFormat: Debug + Send + Sync {
    /// Returns the name that options and reports use.
    fn name(&self) -> &'static str;

    /// Returns half a sentence for lists and help.
    fn about(&self) -> &'static str;

    /// Returns true if the body is that of a service, so that the requests of a conversation are recorded and compared.
    fn is_recorded(&self) -> bool {
        true
    }

    /// Returns true if the body has the prompt and nothing beside it: no messages, tools or attachments.
    fn is_prompt_alone(&self) -> bool {
        false
    }

    /// Turns prompt, messages and tools into a body. What the format cannot express is a diagnostic of the request.
    fn format(&self, content: RequestContent<'_>) -> FormattedRequest;
}

/// A request, ready for a pipe or an HTTP body.
///
/// ```
/// use preface_core::{prompt::Prompt, format};
/// let request = format::find("text").unwrap().format((&Prompt::default()).into());
/// assert_eq!((request.media_type, request.body.as_str()), ("text/plain; charset=utf-8", ""));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormattedRequest {
    /// The media type of the body.
    pub media_type: &'static str,
    /// The body.
    pub body: String,
    /// The attachments that got their place in this request. The next request of the conversation has them in
    /// [`RequestContent::attachments`].
    pub attachments: Vec<PlacedAttachment>,
    /// The blocks by digest, where [`RequestTarget::digests`] is set.
    pub blocks: Vec<RequestBlock>,
    /// The positions of the blocks that have a cache mark behind them.
    pub marks: Vec<usize>,
    /// The cache plan, for the formats of vendors.
    pub cache: Option<CachePlan>,
    /// Diagnostics of content that was sent in another shape or not at all, or that the service would refuse.
    pub diagnostics: Diagnostics,
}

/// The formats, by name.
///
/// ```
/// use preface_core::format::FORMATS;
/// assert!(FORMATS.iter().any(|format| format.name() == "anthropic"));
/// ```
pub const FORMATS: &[&dyn RequestFormat] = &[
    &Anthropic,
    &BedrockConverse,
    &Gemini,
    &OpenAiChat::OPENAI,
    &OpenAiChat::COMPATIBLE,
    &OpenAiResponses,
    &Neutral,
    &Sections,
    &Text,
];

/// Returns the formats of services: those whose requests are recorded.
pub fn services() -> impl Iterator<Item = &'static dyn RequestFormat> {
    FORMATS.iter().copied().filter(|format| format.is_recorded())
}

/// Returns the format with this name.
///
/// ```
/// use preface_core::format;
/// assert_eq!(format::find("text").unwrap().about(), "exactly the bytes of the prompt");
/// assert!(format::find("txt").is_none());
/// ```
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn RequestFormat> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// Marks the text of a call that failed, for formats without a field for it.
fn failure(text: Cow<'_, str>, is_error: bool) -> Cow<'_, str> {
    let marked = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"));
    if is_error && !marked { Cow::Owned(format!("Error: {text}")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_has_each_name_once() {
        assert!(
            FORMATS.is_sorted_by(|a, b| a.name() < b.name()),
            "FORMATS must stay sorted by name, without duplicates"
        );
    }

    #[test]
    fn each_format_has_half_a_sentence() {
        for format in FORMATS {
            let about = format.about();
            assert!(!about.is_empty(), "`{}` must explain itself", format.name());
            assert!(
                !about.ends_with('.') && !about.contains('\n'),
                "`{}` must explain itself in half a sentence: {about:?}",
                format.name()
            );
        }
    }
}
