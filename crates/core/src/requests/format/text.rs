//! The prompt as it is, for pipes, files and programs that wrap it themselves.

use super::{FormattedRequest, RequestContent, RequestFormat};

/// Gives exactly the bytes of the prompt. Messages and tools are not part of it.
///
/// ```
/// use preface_core::{prompt::Prompt, format::{RequestContent, Text, RequestFormat}};
/// let prompt = Prompt { text: "Be brief.".into(), ..Prompt::default() };
/// assert_eq!(Text.format(RequestContent::from(&prompt)).body, "Be brief.");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text;

impl RequestFormat for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn about(&self) -> &'static str {
        "exactly the bytes of the prompt"
    }

    fn is_recorded(&self) -> bool {
        false
    }

    fn is_prompt_alone(&self) -> bool {
        true
    }

    fn format(&self, content: RequestContent<'_>) -> FormattedRequest {
        FormattedRequest {
            media_type: "text/plain; charset=utf-8",
            body: content.prompt.text.clone(),
            ..FormattedRequest::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::Prompt;

    #[test]
    fn no_byte_is_added_or_lost() {
        for text in ["", "a", "a\n", "\r\n\u{feff}a\0b\u{202e}", "漢字\n\n"] {
            let prompt = Prompt { text: text.into(), ..Prompt::default() };
            assert_eq!(Text.format(RequestContent::from(&prompt)).body, text);
        }
    }
}
