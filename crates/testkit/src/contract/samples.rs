//! Sample values for the laws: times that do not move, names, prompts.

use jiff::Timestamp;
use preface_core::prompt::fingerprint;
use preface_store::{
    Actor, ConstructReason, ConversationId, NewVersion, PromptSummary, Revision, StoredPrompt, TemplateName,
    TemplateUsed,
};
use std::sync::Arc;

/// Returns the instant so many milliseconds after the suite's beginning of time.
///
/// # Panics
/// There is no such instant.
#[must_use]
pub fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(1_780_000_000_000 + millisecond).expect("an instant")
}

/// Names somebody who acts at the beginning of time.
#[must_use]
pub fn actor() -> Actor {
    Actor::at("somebody", at(0))
}

/// Reads the id of a conversation.
///
/// # Panics
/// It is none.
#[must_use]
pub fn id(text: &str) -> ConversationId {
    text.parse().expect("an id")
}

/// Reads the name of a template.
///
/// # Panics
/// It is none.
#[must_use]
pub fn template(name: &str) -> TemplateName {
    name.parse().expect("a name")
}

/// A version of a template with a text and nothing else.
#[must_use]
pub fn new_version(name: &str, text: &str) -> NewVersion {
    NewVersion::of(template(name), text)
}

/// The first prompt of a conversation, constructed at an instant.
#[must_use]
pub fn first_at(name: &str, text: &str, millisecond: i64) -> StoredPrompt {
    StoredPrompt {
        head: PromptSummary {
            id: id(name),
            revision: Revision::new(1),
            text: text.into(),
            bytes: text.len() as u64,
            fingerprint: fingerprint(text),
            cwd: "/work/a b".to_owned(),
            model: Some("some-model".to_owned()),
            preset: "some-preset".to_owned(),
            template: Some(TemplateUsed {
                chosen: "main@live".to_owned(),
                name: TemplateName::main(),
                version: Some(3),
            }),
            reason: ConstructReason::FirstTurn,
            created_at: at(millisecond),
            constructed_at: at(millisecond),
        },
        record: Arc::from(r#"{"parts":[1,2.50,"ß"]}"#),
    }
}

/// The first prompt of a conversation.
#[must_use]
pub fn first(name: &str, text: &str) -> StoredPrompt {
    first_at(name, text, 0)
}

/// The prompt that follows another of its conversation, constructed a second later.
#[must_use]
pub fn next(before: &StoredPrompt, text: &str) -> StoredPrompt {
    let revision = before.head.revision.revision + 1;
    let head = PromptSummary {
        revision: Revision::new(revision),
        text: text.into(),
        bytes: text.len() as u64,
        fingerprint: fingerprint(text),
        reason: ConstructReason::Compaction,
        constructed_at: at(before.head.constructed_at.as_millisecond() - at(0).as_millisecond() + 1000),
        ..before.head.clone()
    };
    StoredPrompt { head, record: format!(r#"{{"revision":{revision}}}"#).into() }
}

/// Texts that have been damaged by stores before: nothing, line ends, a byte order mark, characters beyond the first
/// plane, NUL, what looks like SQL, a long one.
#[must_use]
pub fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "\n",
        "a\r\nb\rc\n\n",
        "\u{feff}begins with a mark",
        "\u{1f9ea}\u{10ffff} and \u{e000}",
        "e\u{301} is not \u{e9}",
        "\0",
        "before\0after",
        "\u{1}\u{7f}\u{85}\u{2028}",
        "'; DROP TABLE conversations; -- \" \\ \\x00 $1 ?1 %_",
        "\\u0000",
        "X'00'",
    ]
    .map(str::to_owned)
    .into();
    texts.push("0123456789ab\u{e4}\r\n".repeat(1 << 16)); // 1 MiB
    texts
}
