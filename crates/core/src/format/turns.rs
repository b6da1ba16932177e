//! Messages that are lists of blocks, for the formats in which neighbours of one role are one message.

use super::{
    history::{Block, Item, ItemKind, ToolResult},
    json::Json,
    report::Report,
};
use crate::{attachment::Attachment, diagnostic::DiagnosticCode};
use std::borrow::Cow;

/// Messages with their roles.
pub(super) type Turns<'c> = Vec<(&'static str, Vec<Json<'c>>)>;

/// Writes blocks in the shape of a service.
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
    System(Option<usize>, Cow<'c, str>),
}

/// Writes the messages of a request.
///
/// Instructions between the messages become text of the user where the service does not accept them: it wants them behind a message
/// of the user, and last or in front of an answer.
pub(super) fn write<'c, W: BlockWriter<'c>>(
    items: Vec<Item<'c>>,
    accepts_system: bool,
    writer: &mut W,
) -> Turns<'c> {
    let mut entries = Vec::with_capacity(items.len());
    for Item { message, kind } in items {
        let (role, blocks) = match kind {
            ItemKind::User(blocks) => ("user", blocks),
            ItemKind::Assistant(blocks, _) => (W::MODEL, blocks),
            ItemKind::Result(result) => {
                entries.push(Entry::Blocks("user", vec![writer.result(message, result)]));
                continue;
            }
            ItemKind::System(texts) => {
                let texts = texts.into_iter().filter(|text| !text.trim().is_empty());
                entries.extend(texts.map(|text| Entry::System(message, text)));
                continue;
            }
        };
        let blocks: Vec<_> = blocks.into_iter().filter_map(|block| writer.block(message, block)).collect();
        if !blocks.is_empty() {
            entries.push(Entry::Blocks(role, blocks));
        }
    }
    let mut turns = Turns::with_capacity(entries.len());
    let mut rest = entries.into_iter();
    while let Some(entry) = rest.next() {
        let (role, mut blocks) = match entry {
            Entry::Blocks(role, blocks) => (role, blocks),
            Entry::System(message, text) => {
                let behind_user = matches!(turns.last(), Some(("user" | "system", _)));
                let next = rest.as_slice().iter().find_map(|next| match next {
                    Entry::Blocks(role, _) => Some(*role),
                    Entry::System(..) => None,
                });
                if accepts_system && behind_user && next.is_none_or(|role| role == W::MODEL) {
                    ("system", vec![W::text(text)])
                } else {
                    let what = "instructions between the messages are sent in a message of the user";
                    writer.report().add(DiagnosticCode::RequestRoleUnsupported, message, what);
                    ("user", vec![W::text(Attachment::wrap(&text).text.into())])
                }
            }
        };
        match turns.last_mut() {
            Some((last, earlier)) if *last == role => earlier.append(&mut blocks),
            _ => turns.push((role, blocks)),
        }
    }
    turns
}
