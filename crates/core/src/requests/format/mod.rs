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

pub use cache::{CacheMark, CachePlan, CacheTier};
pub use content::{RequestContent, RequestTarget};
pub use ledger::{BlockPlace, PrefixChange, PrefixComparison, RequestBlock, RequestRecord, RequestUsage};

use crate::{attachment::PlacedAttachment, diagnostic::Diagnostics};
use std::borrow::Cow;

/// The shape of a request. The same content gives the same bytes.
///
/// ```
/// use preface_core::{prompt::Prompt, format::{self, RequestContent}};
/// let prompt = Prompt { text: "Be brief.".into(), ..Prompt::default() };
/// assert_eq!(format::find("text").unwrap().format(RequestContent::from(&prompt)).body, "Be brief.");
/// ```
#[derive(Debug)]
pub struct RequestFormat {
    /// The name that options and reports use.
    pub name: &'static str,
    /// Half a sentence for lists and help.
    pub about: &'static str,
    /// True if the body is that of a service, so that the requests of a conversation are recorded and compared.
    pub is_recorded: bool,
    /// True if the body has the prompt and nothing beside it: no messages, tools or attachments.
    pub is_prompt_alone: bool,
    /// Makes the body.
    pub format: fn(RequestContent<'_>) -> FormattedRequest,
}

impl RequestFormat {
    /// Turns prompt, messages and tools into a body. What the format cannot express is a diagnostic of the request.
    #[must_use]
    pub fn format(&self, content: RequestContent<'_>) -> FormattedRequest {
        (self.format)(content)
    }
}

/// Returns the format of a service.
const fn service(
    name: &'static str,
    about: &'static str,
    format: fn(RequestContent<'_>) -> FormattedRequest,
) -> RequestFormat {
    RequestFormat { name, about, is_recorded: true, is_prompt_alone: false, format }
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
/// assert!(FORMATS.iter().any(|format| format.name == "anthropic"));
/// ```
pub const FORMATS: &[RequestFormat] = &[
    service("anthropic", "the body of Anthropic's Messages API", anthropic::format),
    service("bedrock-converse", "the body of Converse of Amazon Bedrock", bedrock_converse::format),
    service("gemini", "the body of the Gemini API", gemini::format),
    service("openai-chat", "the body of OpenAI's Chat Completions API", openai_chat::openai),
    service(
        "openai-compatible",
        "the same for compatible servers, without what only OpenAI knows",
        openai_chat::compatible,
    ),
    service("openai-responses", "the body of OpenAI's Responses API", openai_responses::format),
    RequestFormat {
        name: "request",
        about: "prompt, messages and tools as one JSON object",
        is_recorded: false,
        is_prompt_alone: false,
        format: neutral::format,
    },
    RequestFormat {
        name: "sections",
        about: "the parts of the prompt as `{id, text, scope}`, for a mod of Claude Code",
        is_recorded: false,
        is_prompt_alone: true,
        format: sections::format,
    },
    RequestFormat {
        name: "text",
        about: "exactly the bytes of the prompt",
        is_recorded: false,
        is_prompt_alone: true,
        format: text::format,
    },
];

/// Returns the formats of services: those whose requests are recorded.
pub fn services() -> impl Iterator<Item = &'static RequestFormat> {
    FORMATS.iter().filter(|format| format.is_recorded)
}

/// Returns the format with this name.
///
/// ```
/// use preface_core::format;
/// assert_eq!(format::find("text").unwrap().about, "exactly the bytes of the prompt");
/// assert!(format::find("txt").is_none());
/// ```
#[must_use]
pub fn find(name: &str) -> Option<&'static RequestFormat> {
    FORMATS.iter().find(|format| format.name == name)
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
            FORMATS.is_sorted_by(|a, b| a.name < b.name),
            "FORMATS must stay sorted by name, without duplicates"
        );
    }

    #[test]
    fn each_format_has_half_a_sentence() {
        for format in FORMATS {
            let about = format.about;
            assert!(!about.is_empty(), "`{}` must explain itself", format.name);
            assert!(
                !about.ends_with('.') && !about.contains('\n'),
                "`{}` must explain itself in half a sentence: {about:?}",
                format.name
            );
        }
    }
}
