//! Messages that are lists of blocks, for the formats in which neighbours of one role are one message.

use super::{
    history::{Block, HistoryEntry, HistoryEntryKind, Instructions, ToolResult},
    json::Json,
    report::Report,
};
use crate::{attachment::Attachment, diagnostic::DiagnosticCode};
use std::borrow::Cow;

/// A message under construction.
#[derive(Debug)]
pub(super) struct FormattedTurn<'c> {
    pub role: &'static str,
    pub blocks: Vec<Json<'c>>,
    /// True for instructions that the model sees until the user writes again.
    pub one_turn: bool,
}

impl FormattedTurn<'_> {
    /// Returns true for a message of the model.
    pub(super) fn is_answer(&self) -> bool {
        matches!(self.role, "assistant" | "model")
    }
}

/// A writer of blocks in the shape of a service.
pub(super) trait BlockWriter<'c> {
    /// The role of the model.
    const MODEL: &'static str;

    /// Returns a block of text.
    fn text(text: Cow<'c, str>) -> Json<'c>;

    /// Returns a block of a message; `None` if the service has no place for it, which is reported.
    fn block(&mut self, message: Option<usize>, block: Block<'c>) -> Option<Json<'c>>;

    /// Returns the block for the result of a call.
    fn result(&mut self, message: Option<usize>, result: ToolResult<'c>) -> Json<'c>;

    /// Returns the diagnostics of the request.
    fn report(&mut self) -> &mut Report;
}

enum Entry<'c> {
    Blocks(&'static str, Vec<Json<'c>>),
    System(Option<usize>, Cow<'c, str>, bool),
}

/// Writes the messages of a request.
///
/// Instructions between the messages become text of the user where the service does not accept them: it wants them behind a message
/// of the user, and last or in front of an answer.
pub(super) fn write<'c, W: BlockWriter<'c>>(
    items: Vec<HistoryEntry<'c>>,
    accepts_system: bool,
    writer: &mut W,
) -> Vec<FormattedTurn<'c>> {
    let mut entries = Vec::with_capacity(items.len());
    for HistoryEntry { message, kind, .. } in items {
        let (role, blocks) = match kind {
            HistoryEntryKind::User(blocks) => ("user", blocks),
            HistoryEntryKind::Assistant(blocks) => (W::MODEL, blocks),
            HistoryEntryKind::Result(result) => {
                entries.push(Entry::Blocks("user", vec![writer.result(message, result)]));
                continue;
            }
            HistoryEntryKind::System(Instructions { texts, one_turn }) => {
                let texts = texts.into_iter().filter(|text| !text.trim().is_empty());
                entries.extend(texts.map(|text| Entry::System(message, text, one_turn)));
                continue;
            }
        };
        let blocks: Vec<_> = blocks.into_iter().filter_map(|block| writer.block(message, block)).collect();
        if !blocks.is_empty() {
            entries.push(Entry::Blocks(role, blocks));
        }
    }
    let mut turns: Vec<FormattedTurn<'c>> = Vec::with_capacity(entries.len());
    let mut rest = entries.into_iter();
    while let Some(entry) = rest.next() {
        let mut turn = match entry {
            Entry::Blocks(role, blocks) => FormattedTurn { role, blocks, one_turn: false },
            Entry::System(message, text, one_turn) => {
                let behind_user = turns.last().is_some_and(|last| matches!(last.role, "user" | "system"));
                let next = rest.as_slice().iter().find_map(|next| match next {
                    Entry::Blocks(role, _) => Some(*role),
                    Entry::System(..) => None,
                });
                if accepts_system && behind_user && next.is_none_or(|role| role == W::MODEL) {
                    FormattedTurn { role: "system", blocks: vec![W::text(text)], one_turn }
                } else {
                    let what = "instructions between the messages are sent in a message of the user";
                    writer.report().add(DiagnosticCode::RequestMoved, message, what);
                    let text = Attachment::wrap(&text).text;
                    FormattedTurn { role: "user", blocks: vec![W::text(text.into())], one_turn: false }
                }
            }
        };
        match turns.last_mut() {
            // Two messages of one role cannot follow each other: what they have in common holds for both.
            Some(last) if last.role == turn.role => {
                last.blocks.append(&mut turn.blocks);
                last.one_turn &= turn.one_turn;
            }
            _ => turns.push(turn),
        }
    }
    turns
}
