//! Attachments in the messages of a request: each gets its place once and keeps it.

use super::{
    RequestContent,
    history::{Block, BlockKind, BlockSource, HistoryEntry, HistoryEntryKind, Instructions},
};
use crate::{
    attachment::{Attachment, AttachmentPlace, AttachmentRole, PlacedAttachment},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    message::{ModelMessage, ModelRole},
    prompt::fingerprint,
    settings::shown,
};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The attachments of a request.
#[derive(Debug, Default)]
pub(super) struct Placement<'c> {
    /// Texts before all messages. They belong to the prompt, so that they never change within a conversation.
    pub first: Vec<String>,
    /// Attachments behind messages, in the order of the messages.
    pub placed: Vec<Cow<'c, PlacedAttachment>>,
    /// Texts for which there is no message yet.
    pub last: Vec<String>,
}

/// Gives each new attachment of the prompt its place, behind those of earlier requests.
///
/// It follows the newest message that is not the model's own. An older message of the user was sent before, and what happened
/// since has no place in it. Behind a result it is sent behind all results of the same answer: services take nothing between them.
pub(super) fn place<'c>(content: &RequestContent<'c>, diagnostics: &mut Diagnostics) -> Placement<'c> {
    let mut placement = Placement::default();
    for earlier in content.attachments {
        match content.messages.iter().find(|message| message.origin.message == earlier.after) {
            Some(message) if digest(message) == earlier.digest => {}
            Some(_) => diagnostics.push(edited(earlier, "changed since it was sent")),
            None => {
                diagnostics.push(edited(earlier, "is no longer in the history"));
                continue;
            }
        }
        placement.placed.push(Cow::Borrowed(earlier));
    }
    placement.placed.sort_by_key(|placed| placed.after);
    let newest = content
        .messages
        .iter()
        .rfind(|message| matches!(message.role(), ModelRole::User | ModelRole::ToolResult));
    let row = content.target.row();
    let role = if row.known && row.model.system_messages {
        content.target.attachment_role
    } else {
        AttachmentRole::User
    };
    let earlier = placement.placed.len();
    for attachment in &content.prompt.attachments {
        let wrapped = Attachment::wrap(&attachment.text);
        if wrapped.escaped > 0 {
            let id = shown(attachment.part.section.as_str());
            let what = format!("`{id}` imitates the tags around it; they were escaped where it is sent");
            diagnostics.push(Diagnostic::warning(DiagnosticCode::ForgedEscaped, what));
        }
        match (attachment.place, newest) {
            (AttachmentPlace::FirstUser, _) => placement.first.push(wrapped.text),
            (AttachmentPlace::LastUser, Some(message)) => {
                let new = PlacedAttachment {
                    after: message.origin.message,
                    digest: digest(message),
                    role,
                    section: attachment.part.section.clone(),
                    text: attachment.text.clone(),
                };
                // The same request again, after a failure: what was sent is not sent twice.
                if !placement.placed[..earlier].iter().any(|placed| **placed == new) {
                    placement.placed.push(Cow::Owned(new));
                }
            }
            (AttachmentPlace::LastUser, None) => placement.last.push(wrapped.text),
        }
    }
    if !placement.last.is_empty() {
        let what =
            "no message of the user is there to carry what is sent with it; it is a message of its own";
        diagnostics.push(Diagnostic::info(DiagnosticCode::RequestMoved, what));
    }
    placement
}

fn edited(earlier: &PlacedAttachment, what: &str) -> Diagnostic {
    let section = shown(earlier.section.as_str());
    let message = format!("message {} {what}; `{section}` was sent behind it", earlier.after);
    Diagnostic::warning(DiagnosticCode::HistoryEdited, message)
        .help("send messages as they were sent before; to shorten a history, compact the conversation")
}

/// Returns the digest of a message.
fn digest(message: &ModelMessage) -> String {
    // A map with string keys is always JSON.
    fingerprint(serde_json::to_string(message.fields()).unwrap_or_default())
}

impl<'c> Placement<'c> {
    /// Returns those that have their place since this request, for the next one.
    pub(super) fn new_ones(&self) -> Vec<PlacedAttachment> {
        let new = |placed: &Cow<'c, PlacedAttachment>| match placed {
            Cow::Owned(placed) => Some(placed.clone()),
            Cow::Borrowed(_) => None,
        };
        self.placed.iter().filter_map(new).collect()
    }

    /// Inserts the attachments between the messages.
    pub(super) fn insert(self, items: Vec<HistoryEntry<'c>>) -> Vec<HistoryEntry<'c>> {
        if self.first.is_empty() && self.placed.is_empty() && self.last.is_empty() {
            return items;
        }
        let mut with = Vec::with_capacity(items.len() + self.placed.len() + 2);
        if !self.first.is_empty() {
            with.push(user(self.first.into_iter().map(Cow::Owned)));
        }
        let mut placed = self.placed.into_iter().peekable();
        for item in items {
            while let Some(earlier) =
                placed.next_if(|placed| !is_result(&item) && item.message.is_some_and(|at| placed.after < at))
            {
                attach(&mut with, earlier);
            }
            with.push(item);
        }
        placed.for_each(|rest| attach(&mut with, rest));
        if !self.last.is_empty() {
            with.push(user(self.last.into_iter().map(Cow::Owned)));
        }
        with
    }

    /// Returns the fields of every message of the neutral form, with the attachments between and in them.
    pub(super) fn messages(
        self,
        messages: &'c [ModelMessage],
    ) -> Vec<(ModelRole, Cow<'c, Map<String, Value>>)> {
        let mut sent: Vec<(ModelRole, Cow<'c, Map<String, Value>>)> = Vec::with_capacity(messages.len());
        if !self.first.is_empty() {
            sent.push((ModelRole::User, Cow::Owned(message("user", self.first))));
        }
        let mut placed = self.placed.into_iter().peekable();
        for (at, own) in messages.iter().enumerate() {
            sent.push((own.role(), Cow::Borrowed(own.fields())));
            if messages.get(at + 1).is_some_and(|next| next.role() == ModelRole::ToolResult) {
                continue;
            }
            let mut texts = Vec::new();
            while let Some(next) = placed.next_if(|placed| placed.after <= own.origin.message) {
                match next.role {
                    AttachmentRole::User => texts.push(Attachment::wrap(&next.text).text),
                    AttachmentRole::System | AttachmentRole::Turn => {
                        let fields = message("system", vec![next.text.clone()]);
                        sent.push((ModelRole::System, Cow::Owned(fields)));
                    }
                }
            }
            match sent.last_mut() {
                _ if texts.is_empty() => {}
                Some((ModelRole::User, fields)) => append(fields.to_mut(), texts),
                _ => sent.push((ModelRole::User, Cow::Owned(message("user", texts)))),
            }
        }
        if !self.last.is_empty() {
            sent.push((ModelRole::User, Cow::Owned(message("user", self.last))));
        }
        sent
    }
}

fn is_result(item: &HistoryEntry<'_>) -> bool {
    matches!(item.kind, HistoryEntryKind::Result(_))
}

/// Puts an attachment behind the elements so far: into the message of the user, if that is the last one.
fn attach<'c>(items: &mut Vec<HistoryEntry<'c>>, placed: Cow<'c, PlacedAttachment>) {
    if placed.role == AttachmentRole::User {
        attach_user(items, Attachment::wrap(&placed.text).text);
        return;
    }
    let one_turn = placed.role == AttachmentRole::Turn;
    let text = match placed {
        Cow::Borrowed(placed) => Cow::Borrowed(placed.text.as_str()),
        Cow::Owned(placed) => Cow::Owned(placed.text),
    };
    match items.last_mut() {
        Some(HistoryEntry { message: None, kind: HistoryEntryKind::System(last), .. })
            if last.one_turn == one_turn =>
        {
            last.texts.push(text);
        }
        _ => {
            let instructions = Instructions { texts: vec![text], one_turn };
            let kind = HistoryEntryKind::System(instructions);
            items.push(HistoryEntry { message: None, fields: None, kind });
        }
    }
}

fn attach_user(items: &mut Vec<HistoryEntry<'_>>, text: String) {
    match items.last_mut() {
        Some(HistoryEntry { kind: HistoryEntryKind::User(blocks), .. }) => blocks.push(block(text.into())),
        _ => items.push(user([Cow::Owned(text)].into_iter())),
    }
}

fn user<'c>(texts: impl Iterator<Item = Cow<'c, str>>) -> HistoryEntry<'c> {
    HistoryEntry { message: None, fields: None, kind: HistoryEntryKind::User(texts.map(block).collect()) }
}

fn block(text: Cow<'_, str>) -> Block<'_> {
    Block { kind: BlockKind::Text(text), source: BlockSource::default() }
}

/// Returns a message that is nothing but attachments.
fn message(role: &str, texts: Vec<String>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("role".to_owned(), Value::from(role));
    fields.insert("content".to_owned(), Value::Array(texts.into_iter().map(text_block).collect()));
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
        Some(Value::Array(blocks)) => blocks.extend(texts.into_iter().map(text_block)),
        _ => {
            fields.insert("content".to_owned(), Value::Array(texts.into_iter().map(text_block).collect()));
        }
    }
}

fn text_block(text: String) -> Value {
    json!({ "type": "text", "text": text })
}
