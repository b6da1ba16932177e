//! No bytes make the reader of messages panic; what it reads is converted without loss, and read again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use preface_core::message::{MessageFrame, MessageForms, convert, read};

fuzz_target!(|data: &[u8]| {
    let mut diagnostics = Vec::new();
    let messages = match read("messages", data, &mut diagnostics) {
        Ok(messages) => messages,
        Err(error) => {
            assert!(error.help.is_some(), "each refusal has a remedy: {error}");
            return;
        }
    };
    let wrapped = MessageForms { custom: MessageFrame::new("[{type}] ", " [end]"), ..MessageForms::default() };
    for forms in [MessageForms::default(), wrapped] {
        let seen = convert(&messages, &forms);
        assert_eq!(
            seen.messages.len() + seen.dropped.len(),
            messages.len(),
            "each message is seen or listed"
        );
        assert!(seen.messages.is_sorted_by(|a, b| a.origin.message < b.origin.message), "order is kept");
        for message in &seen.messages {
            for span in &message.origin.frames {
                let text = message.fields()["content"][span.block]["text"].as_str().expect("a block of text");
                assert!(text.get(span.range.clone()).is_some(), "ranges end on characters");
            }
        }
    }
    let again = serde_json::to_vec(&messages).expect("messages are JSON");
    assert_eq!(read("again", &again, &mut diagnostics).as_ref(), Ok(&messages), "what is written is read again");
});
