//! The prompt as it is, for pipes, files and programs that wrap it themselves.

use super::{FormattedRequest, RequestContent, RequestFormat};

/// Gives exactly the prompt's bytes. Messages and tools are not part of it.
///
/// ```
/// use preface_core::{prompt::Prompt, format::{RequestContent, Plain, RequestFormat}};
/// let prompt = Prompt { text: "Be brief.".into(), ..Prompt::default() };
/// assert_eq!(Plain.shape(RequestContent::from(&prompt)).body, "Be brief.");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plain;

impl RequestFormat for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn about(&self) -> &'static str {
        "exactly the prompt's bytes"
    }

    fn shape(&self, call: RequestContent<'_>) -> FormattedRequest {
        FormattedRequest {
            media_type: "text/plain; charset=utf-8",
            body: call.prompt.text.clone(),
            diagnostics: Vec::new(),
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
            assert_eq!(Plain.shape(RequestContent::from(&prompt)).body, text);
        }
    }
}
