//! Converts the messages of an agent to those that a model accepts.

use super::{
    forms::{MessageForms, MessageFrame, SystemMessages},
    framed::FramedText,
    guard::{self, ImitationPolicy},
    model::{FrameSpan, MessageOrigin, ModelMessage},
    role::{ModelRole, Role},
    shell,
    types::{Message, text_block},
};
use crate::{
    attachment::REMINDER_TAG,
    diagnostic::{Diagnostic, DiagnosticCode},
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::{ops::Range, sync::Arc};

/// The result of converting a list of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageConversion {
    /// The converted messages, in the order of the list.
    pub messages: Vec<ModelMessage>,
    /// The messages that were left out.
    pub dropped: Vec<DroppedMessage>,
    /// The messages in which imitations of the reminder tag were escaped.
    pub escaped: Vec<EscapedMessage>,
}

/// A message in which imitations of the reminder tag were escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EscapedMessage {
    /// The position in the list.
    pub message: usize,
    /// The role in the list.
    pub role: Role,
    /// The number of imitations.
    pub count: usize,
}

/// A message that was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DroppedMessage {
    /// The position in the list.
    pub message: usize,
    /// The reason.
    pub why: DropReason,
}

/// The reason why a message was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DropReason {
    /// The user ran a command with `!!`.
    Excluded,
    /// The profile leaves out instructions between the messages.
    System,
}

impl MessageConversion {
    /// Returns diagnostics about the messages that were left out or escaped.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let diagnostic = |dropped: &DroppedMessage| {
            let at = dropped.message;
            match dropped.why {
                DropReason::Excluded => Diagnostic::info(
                    DiagnosticCode::MessagesExcluded,
                    format!("message {at} is not sent: its command was run with `!!`"),
                ),
                DropReason::System => Diagnostic::warning(
                    DiagnosticCode::MessagesSystem,
                    format!("message {at} is not sent: this profile leaves out messages of role `system`"),
                )
                .help("`messages.system = \"keep\"` in a profile sends them"),
            }
        };
        self.dropped.iter().map(diagnostic).chain(self.escaped.iter().map(EscapedMessage::note)).collect()
    }
}

impl EscapedMessage {
    fn note(&self) -> Diagnostic {
        let EscapedMessage { message, role, count } = self;
        let times = if *count == 1 { String::new() } else { format!(" {count} times") };
        let what =
            format!("message {message} ({role}) imitates the tag `<{REMINDER_TAG}>`{times}; it was escaped");
        Diagnostic::warning(DiagnosticCode::ForgedEscaped, what)
    }
}

/// Converts messages to those that a model accepts. The order is preserved, and each result refers to its
/// message.
///
/// ```
/// use preface_core::message::{Message, MessageForms, convert};
/// let history = [Message::custom("weather", "It rains."), Message::user("Do I need a coat?")];
/// let seen = convert(&history, &MessageForms::default()).messages;
/// assert_eq!(seen.iter().map(|message| message.role().as_str()).collect::<Vec<_>>(), ["user", "user"]);
/// assert_eq!(seen[0].text(), "It rains.");
/// ```
#[must_use]
pub fn convert(messages: &[Message], forms: &MessageForms) -> MessageConversion {
    let mut conversion = MessageConversion::default();
    for (at, message) in messages.iter().enumerate() {
        match convert_message(at, message, forms) {
            Ok(seen) => conversion.messages.push(seen),
            Err(why) => conversion.dropped.push(DroppedMessage { message: at, why }),
        }
    }
    if forms.guard == ImitationPolicy::Neutralise {
        conversion.escaped = escape_reminder_tags(&mut conversion.messages, messages);
    }
    conversion
}

/// Escapes imitations of the reminder tag in the texts of users and tools. Messages of the user in a row are one text.
fn escape_reminder_tags(seen: &mut [ModelMessage], messages: &[Message]) -> Vec<EscapedMessage> {
    let is_run =
        |one: &ModelMessage, next: &ModelMessage| [one, next].iter().all(|one| one.role == ModelRole::User);
    let mut escaped = Vec::new();
    for run in seen.chunk_by_mut(is_run) {
        if matches!(run[0].role, ModelRole::User | ModelRole::ToolResult) {
            let counts = guard::neutralise(run);
            let found = run.iter().zip(counts).filter(|(_, count)| *count > 0);
            escaped.extend(found.map(|(seen, count)| {
                let message = seen.origin.message;
                EscapedMessage { message, role: messages[message].role(), count }
            }));
        }
    }
    escaped
}

fn convert_message(at: usize, message: &Message, forms: &MessageForms) -> Result<ModelMessage, DropReason> {
    let as_it_is = |role| ModelMessage {
        role,
        fields: message.shared(),
        origin: MessageOrigin { message: at, frames: Vec::new() },
    };
    Ok(match message.role() {
        Role::Assistant => as_it_is(ModelRole::Assistant),
        Role::ToolResult => as_it_is(ModelRole::ToolResult),
        Role::User => as_it_is(ModelRole::User),
        Role::System if forms.system == SystemMessages::Keep => as_it_is(ModelRole::System),
        Role::System => return Err(DropReason::System),
        Role::BashExecution if message.flag("excludeFromContext") => return Err(DropReason::Excluded),
        Role::BashExecution => user_text(at, message, shell::frame_command(message, &forms.shell)),
        Role::BranchSummary => user_text(at, message, summary(message, &forms.branch)),
        Role::CompactionSummary => user_text(at, message, summary(message, &forms.compaction)),
        Role::Custom => custom(at, message, &forms.custom),
    })
}

fn summary(message: &Message, frame: &MessageFrame) -> FramedText {
    let mut framed = FramedText::default();
    framed.form(&frame.before).own(message.string("summary")).form(&frame.after);
    framed
}

/// Converts an extension's content. The frame goes before the text of the first block, if that is one, and
/// after the last text; in a list without text it becomes a block of its own, in front.
fn custom(at: usize, message: &Message, frame: &MessageFrame) -> ModelMessage {
    let word = message.string("customType");
    let Some(Value::Array(blocks)) = message.fields().get("content") else {
        let mut framed = FramedText::default();
        framed.form_with(&frame.before, word).own(message.string("content")).form_with(&frame.after, word);
        return user_text(at, message, framed);
    };
    if frame.is_empty() {
        return user(at, message, Value::Array(blocks.clone()), Vec::new());
    }
    let Some(last) = blocks.iter().rposition(|block| text_block(block).is_some()) else {
        let mut framed = FramedText::default();
        framed.form_with(&frame.before, word).form_with(&frame.after, word);
        let mut content = vec![json!({ "type": "text", "text": framed.text })];
        content.extend(blocks.iter().cloned());
        return user(at, message, Value::Array(content), spans(0, framed.frames).collect());
    };
    let mut content = blocks.clone();
    let mut frames = Vec::new();
    for block in if last == 0 { vec![0] } else { vec![0, last] } {
        let Some(text) = text_block(&blocks[block]) else { continue };
        let mut framed = FramedText::default();
        if block == 0 {
            framed.form_with(&frame.before, word);
        }
        framed.own(text);
        if block == last {
            framed.form_with(&frame.after, word);
        }
        content[block]["text"] = Value::String(framed.text);
        frames.extend(spans(block, framed.frames));
    }
    user(at, message, Value::Array(content), frames)
}

/// Returns a message of the user with one text.
fn user_text(at: usize, message: &Message, framed: FramedText) -> ModelMessage {
    let content = json!([{ "type": "text", "text": framed.text }]);
    user(at, message, content, spans(0, framed.frames).collect())
}

fn user(at: usize, message: &Message, content: Value, frames: Vec<FrameSpan>) -> ModelMessage {
    let mut fields = Map::new();
    fields.insert("role".to_owned(), Value::from(ModelRole::User.as_str()));
    fields.insert("content".to_owned(), content);
    if let Some(timestamp) = message.fields().get("timestamp") {
        fields.insert("timestamp".to_owned(), timestamp.clone());
    }
    let origin = MessageOrigin { message: at, frames };
    ModelMessage { role: ModelRole::User, fields: Arc::new(fields), origin }
}

fn spans(block: usize, ranges: Vec<Range<usize>>) -> impl Iterator<Item = FrameSpan> {
    ranges.into_iter().map(move |range| FrameSpan { block, range })
}
