//! Attachments in the messages of a request.

use crate::{
    attachment::{Attachment, AttachmentPlace},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    message::{ModelMessage, ModelRole},
    prompt::Prompt,
    settings::shown,
};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Returns the fields of every message that is sent: those of the conversation, and the attachments of the prompt where they
/// belong.
pub(super) fn with_attachments<'c>(
    prompt: &Prompt,
    messages: &'c [ModelMessage],
    notes: &mut Diagnostics,
) -> Vec<(ModelRole, Cow<'c, Map<String, Value>>)> {
    let mut sent: Vec<(ModelRole, Cow<'c, Map<String, Value>>)> =
        messages.iter().map(|message| (message.role(), Cow::Borrowed(message.fields()))).collect();
    let last = texts(prompt, AttachmentPlace::LastUser, notes);
    if !last.is_empty() {
        // The newest message that is not the model's own. Behind a result of a tool they are a message of their own: an older
        // message of the user was sent before, and what happened since has no place in it.
        match sent.iter().rposition(|(role, _)| matches!(role, ModelRole::User | ModelRole::ToolResult)) {
            Some(at) if sent[at].0 == ModelRole::User => append(sent[at].1.to_mut(), last),
            Some(at) => sent.insert(at + 1, (ModelRole::User, Cow::Owned(message(last)))),
            None => {
                let what = "no message of the user is there to carry what is sent with it; it is a message of its own";
                notes.push(Diagnostic::info(DiagnosticCode::AttachmentOwnMessage, what));
                sent.push((ModelRole::User, Cow::Owned(message(last))));
            }
        }
    }
    let first = texts(prompt, AttachmentPlace::FirstUser, notes);
    if !first.is_empty() {
        sent.insert(0, (ModelRole::User, Cow::Owned(message(first))));
    }
    sent
}

fn texts(prompt: &Prompt, place: AttachmentPlace, notes: &mut Diagnostics) -> Vec<String> {
    let here = prompt.attachments.iter().filter(|attachment| attachment.place == place);
    here.map(|attachment| {
        let wrapped = Attachment::wrap(&attachment.text);
        if wrapped.escaped > 0 {
            let id = shown(attachment.part.section.as_str());
            let what = format!("`{id}` imitates the tags around it; they were escaped where it is sent");
            notes.push(Diagnostic::warning(DiagnosticCode::ForgedEscaped, what));
        }
        wrapped.text
    })
    .collect()
}

/// A message of the user that is nothing but attachments.
fn message(texts: Vec<String>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("role".to_owned(), Value::from(ModelRole::User.as_str()));
    fields.insert("content".to_owned(), Value::Array(texts.into_iter().map(block).collect()));
    fields
}

/// A string grows, a list gets a block for each. A message of the user has one or the other.
fn append(fields: &mut Map<String, Value>, texts: Vec<String>) {
    match fields.get_mut("content") {
        Some(Value::String(content)) => {
            for text in texts {
                content.push_str("\n\n");
                content.push_str(&text);
            }
        }
        Some(Value::Array(blocks)) => blocks.extend(texts.into_iter().map(block)),
        _ => {
            fields.insert("content".to_owned(), Value::Array(texts.into_iter().map(block).collect()));
        }
    }
}

fn block(text: String) -> Value {
    json!({ "type": "text", "text": text })
}
