//! The prompt as it is, for pipes, files and programs that wrap it themselves.

use super::{FormattedRequest, RequestContent};

/// Gives exactly the bytes of the prompt. Messages and tools are not part of it.
pub(super) fn format(content: RequestContent<'_>) -> FormattedRequest {
    FormattedRequest {
        media_type: "text/plain; charset=utf-8",
        body: content.prompt.text.clone(),
        ..FormattedRequest::default()
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
            assert_eq!(format(RequestContent::from(&prompt)).body, text);
        }
    }
}
