//! The content of one request, before a format gives it a vendor's shape.

use crate::{
    attachment::{AttachmentRole, PlacedAttachment},
    budget::{Bytes4, Counter},
    message::ModelMessage,
    model::{FoundModel, Models},
    prompt::Prompt,
    turn::Tool,
};

/// One request: the prompt, the messages after it, the tools, and the model that it is for.
///
/// ```
/// use preface_core::{prompt::Prompt, format::RequestContent};
/// let prompt = Prompt { text: "Be brief.".into(), ..Prompt::default() };
/// let content = RequestContent::from(&prompt);
/// assert!(content.messages.is_empty() && content.tools.is_empty());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RequestContent<'c> {
    /// The system prompt.
    pub prompt: &'c Prompt,
    /// The messages, in order.
    pub messages: &'c [ModelMessage],
    /// The active tools, in order.
    pub tools: &'c [Tool],
    /// The attachments of earlier requests of this conversation, which stay in their places.
    pub attachments: &'c [PlacedAttachment],
    /// The model and the service.
    pub target: RequestTarget<'c>,
}

/// The model and the service that a request is for.
#[derive(Clone, Copy, Debug)]
pub struct RequestTarget<'c> {
    /// The name of the model, as the service knows it.
    pub model: Option<&'c str>,
    /// The rows of models.
    pub models: &'c Models,
    /// The most tokens of an answer. Anthropic requires a value, and 8192 is sent if there is none.
    pub max_output_tokens: Option<u64>,
    /// The id that requests with the same prefix share, usually that of the conversation.
    pub cache_key: Option<&'c str>,
    /// The lifetime of the cache marks, as the service writes it, such as `1h`; `None` is the default of the model. One that the
    /// model or the format does not have is reported, and the default is used.
    pub cache_ttl: Option<&'c str>,
    /// The role of new attachments, where the model accepts it.
    pub attachment_role: AttachmentRole,
    /// The tokenizer for the cache plan.
    pub counter: &'c dyn Counter,
    /// Reasoning in messages before this position is left out: it was made behind another prompt, and a service that checks
    /// prefixes refuses it.
    pub reasoning_from: usize,
    /// True: [`FormattedRequest::blocks`](super::FormattedRequest::blocks) has the digests of the request, for a ledger.
    pub digests: bool,
    /// True: the body is printed with two blanks for each level. False: without white space.
    pub indented: bool,
}

impl RequestTarget<'_> {
    /// Returns the row of the model, the cautious one if there is no model.
    #[must_use]
    pub fn row(&self) -> FoundModel<'_> {
        self.models.find(self.model.unwrap_or_default())
    }
}

impl Default for RequestTarget<'_> {
    /// Returns no model, no limit, attachments in messages of the user, and an indented body.
    fn default() -> Self {
        RequestTarget {
            model: None,
            models: Models::bundled(),
            max_output_tokens: None,
            cache_key: None,
            cache_ttl: None,
            attachment_role: AttachmentRole::User,
            counter: &Bytes4,
            reasoning_from: 0,
            digests: false,
            indented: true,
        }
    }
}

impl<'c> From<&'c Prompt> for RequestContent<'c> {
    /// Returns a request with a prompt alone.
    fn from(prompt: &'c Prompt) -> Self {
        RequestContent {
            prompt,
            messages: &[],
            tools: &[],
            attachments: &[],
            target: RequestTarget::default(),
        }
    }
}
