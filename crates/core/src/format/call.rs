//! Everything that a model sees at one call: what a wire shapes.

use crate::{message::ModelMessage, prompt::Prompt, turn::Tool};

/// One call of a model: the prompt, the messages after it, and the tools that it may use.
///
/// ```
/// use preface_core::{prompt::Prompt, format::RequestContent};
/// let prompt = Prompt { text: "Be brief.".into(), ..Prompt::default() };
/// let call = RequestContent::from(&prompt);
/// assert!(call.messages.is_empty() && call.tools.is_empty());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RequestContent<'c> {
    /// The system prompt.
    pub prompt: &'c Prompt,
    /// The messages, in order.
    pub messages: &'c [ModelMessage],
    /// The active tools, in order.
    pub tools: &'c [Tool],
}

impl<'c> From<&'c Prompt> for RequestContent<'c> {
    /// Calls with a prompt alone.
    fn from(prompt: &'c Prompt) -> Self {
        RequestContent { prompt, messages: &[], tools: &[] }
    }
}
