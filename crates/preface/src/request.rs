//! Requests: a prompt with messages and tools, in the JSON of a service.

use crate::{Conversation, Error, Prompt, conversation::read_messages};
use preface_core::{
    budget::Bytes4,
    diagnostic::{Diagnostic, Diagnostics},
    format::{self, RequestFormat},
    message::convert,
    suggestion::quoted,
};
use preface_engine::{
    COUNTERS,
    conversation::{ModelRequest, RequestInput, ToolSelection},
};
use serde_json::Value;
use std::{fmt, str::FromStr};

/// The JSON of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Anthropic's Messages.
    Anthropic,
    /// Amazon Bedrock's Converse.
    BedrockConverse,
    /// Google's `generateContent`.
    Gemini,
    /// OpenAI's Chat Completions.
    OpenAiChat,
    /// Chat Completions as other servers understand them.
    OpenAiCompatible,
    /// OpenAI's Responses.
    OpenAiResponses,
}

impl Format {
    /// All formats.
    pub const ALL: &[Format] = &[
        Format::Anthropic,
        Format::BedrockConverse,
        Format::Gemini,
        Format::OpenAiChat,
        Format::OpenAiCompatible,
        Format::OpenAiResponses,
    ];

    /// Returns the name, as the command line has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Anthropic => "anthropic",
            Format::BedrockConverse => "bedrock-converse",
            Format::Gemini => "gemini",
            Format::OpenAiChat => "openai-chat",
            Format::OpenAiCompatible => "openai-compatible",
            Format::OpenAiResponses => "openai-responses",
        }
    }

    pub(crate) fn format(self) -> &'static RequestFormat {
        format::find(self.as_str()).expect("the library has each of them under this name")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Format::ALL.iter().copied().find(|format| format.as_str() == name).ok_or_else(|| {
            Error::usage(format!("unknown format: `{name}`"), &format!("formats are {}", quoted(Format::ALL)))
        })
    }
}

/// Collects the inputs of one request; [`build`](Self::build) makes it.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let preface = preface::Preface::with_home(dir.path());
/// use preface::Format;
/// use serde_json::json;
/// let prompt = preface.prompt(dir.path()).build()?;
/// let request = prompt
///     .request(Format::Anthropic)
///     .model("claude-opus-5-5")
///     .messages(&json!([{"role": "user", "content": "Fix the tests."}]))
///     .build()?;
/// let body = request.to_json();
/// assert_eq!(body["messages"][0]["role"], "user");
/// assert_eq!(body["system"][0]["text"].as_str(), Some(prompt.static_prefix()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct RequestBuilder<'a> {
    origin: RequestOrigin<'a>,
    input: RequestInput,
    messages: Option<Value>,
    cache_key: Option<String>,
}

#[derive(Debug)]
enum RequestOrigin<'a> {
    Prompt(&'a Prompt),
    Conversation(&'a mut Conversation),
}

impl<'a> RequestBuilder<'a> {
    fn new(origin: RequestOrigin<'a>, format: Format) -> Self {
        RequestBuilder { origin, input: RequestInput::new(format.format()), messages: None, cache_key: None }
    }

    pub(crate) fn of_prompt(prompt: &'a Prompt, format: Format) -> Self {
        RequestBuilder::new(RequestOrigin::Prompt(prompt), format)
    }

    pub(crate) fn of_conversation(conversation: &'a mut Conversation, format: Format) -> Self {
        RequestBuilder::new(RequestOrigin::Conversation(conversation), format)
    }

    /// Sets the model. Without it the request is for the one that the prompt was built for.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.input.model = Some(name.into());
        self
    }

    /// Sets the history, oldest message first: an array of objects with `role` and `content`, or `{"messages": […]}`.
    /// `docs/reference/messages.md` describes it.
    pub fn messages(mut self, messages: &Value) -> Self {
        self.messages = Some(messages.clone());
        self
    }

    /// Sets the most tokens of the answer.
    pub fn max_output_tokens(mut self, tokens: u64) -> Self {
        self.input.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the id that requests with the same prefix share. The requests of a [`Conversation`] have its id.
    pub fn cache_key(mut self, key: impl Into<String>) -> Self {
        self.cache_key = Some(key.into());
        self
    }

    /// Sets the lifetime of the cache marks, as the service writes it, such as `1h`. One that the model does not have is reported, and
    /// its default is used.
    pub fn cache_ttl(mut self, ttl: impl Into<String>) -> Self {
        self.input.cache_ttl = Some(ttl.into());
        self
    }

    /// Makes it the request of a compaction: `instructions` follow the prompt in this request alone.
    /// [`Conversation::compact`] returns them.
    pub fn compaction(mut self, instructions: impl Into<String>) -> Self {
        self.input.instructions = Some(instructions.into());
        self
    }

    /// Builds the request. That of a [`Conversation`] with a store is recorded.
    ///
    /// # Errors
    /// Messages that are not valid; for a conversation also a store that does not answer, and text that is no longer trusted.
    pub fn build(self) -> Result<Request, Error> {
        let RequestBuilder { origin, mut input, messages, cache_key } = self;
        let mut diagnostics = Diagnostics::new();
        if let Some(json) = messages {
            input.messages = read_messages(&json, &mut diagnostics)?;
        }
        let (mut content, turn) = match origin {
            RequestOrigin::Conversation(Conversation { inner, .. }) if inner.head().is_some() => {
                let result = inner.send(input).map_err(Error::of_conversation)?;
                diagnostics.extend(result.diagnostics);
                let extends = result.comparison.map(|comparison| comparison.extends);
                return Ok(Request { body: result.body, number: Some(result.number), extends, diagnostics });
            }
            RequestOrigin::Conversation(Conversation { inner, .. }) => {
                let content = inner.request(&input.messages);
                diagnostics.append(&mut inner.take_diagnostics());
                (content, inner.turn())
            }
            RequestOrigin::Prompt(prompt) => {
                let forms = &prompt.snapshot.profile.messages;
                let converted = convert(&input.messages, forms);
                diagnostics.extend(converted.diagnostics());
                let content = ModelRequest {
                    prompt: prompt.prompt.clone(),
                    messages: converted.messages,
                    tools: prompt.tools.clone(),
                    selection: ToolSelection::default(),
                    attachment_role: forms.attachments,
                    models: prompt.models.clone(),
                };
                (content, &prompt.snapshot.turn)
            }
        };
        if let Some(instructions) = &input.instructions {
            content.prompt.append_instructions(instructions);
        }
        let counter = COUNTERS.get(&turn.counter).unwrap_or_else(|| Box::new(Bytes4));
        let cache_key = cache_key.as_deref().or(turn.conversation.as_deref());
        let request = content.content_for(&input, turn.model.as_deref(), cache_key, &*counter);
        let formatted = input.format.format(request);
        diagnostics.extend(formatted.diagnostics);
        Ok(Request { body: formatted.body, number: None, extends: None, diagnostics })
    }
}

/// A request, ready to be sent to the service.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub(crate) body: String,
    pub(crate) number: Option<u64>,
    pub(crate) extends: Option<bool>,
    pub(crate) diagnostics: Diagnostics,
}

impl Request {
    /// Returns the body, JSON without white space. The same inputs give the same bytes.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Returns the body as a value.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// Returns its number in the conversation, from 1; `None` for a request that is not recorded.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.number
    }

    /// Returns true if the request before is a prefix of this one, so that a cache can be read to its end; `None` if there
    /// is none before.
    #[must_use]
    pub fn extends(&self) -> Option<bool> {
        self.extends
    }

    /// Returns what is sent in another shape or not at all, and what the service would refuse.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}
