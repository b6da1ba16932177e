//! `OpenAI`'s Responses API: `POST /v1/responses`.

use super::{
    FormattedRequest, RequestContent,
    draft::RequestDraft,
    history::{
        Block, BlockKind, BlockSource, Dialect, HistoryEntry, HistoryEntryKind, Instructions, Media,
        ToolResult, string,
    },
    json::{Json, object},
    ledger, rules,
    schema::{OPENAI, schema},
};
use crate::model::Vendor;
use serde_json::{Map, Value, json, value::RawValue};

/// The body of `OpenAI`'s Responses API.
///
/// The prompt is the first item of `input`, with the role `developer`: `instructions` would be read behind the messages by newer
/// models. It has one part for each [block](crate::prompt::Prompt::blocks), with a breakpoint at the end of what stays the same.
/// Items that came from this API are sent back unchanged.
pub(super) fn format(content: RequestContent<'_>) -> FormattedRequest {
    let (mut draft, items) = RequestDraft::of(&content, &rules::OPENAI_RESPONSES);
    draft.plan.report(&mut draft.report);

    let any = json!({ "type": "object", "properties": {} });
    let tools = draft.definitions(content.tools, Some("function"), |tool, mut json, report| {
        json.push("parameters", schema(tool, &any, &OPENAI, report));
        json.push("strict", tool.strict);
        json
    });
    let mut input = Input { list: Vec::with_capacity(items.len() + 1), draft: &mut draft };
    let parts = input.draft.prompt_parts(&content, "input_text");
    if !parts.is_empty() {
        input.list.push(message("developer", parts));
    }
    input.extend(items);
    let list = input.list;
    let digests = ledger::of_items(&content, &tools, &list);

    let mut body = object! {};
    body.push_some("model", content.target.model);
    body.push_some("max_output_tokens", content.target.max_output_tokens.map(Json::Number));
    body.push_some("prompt_cache_key", content.target.cache_key);
    body.push_some("prompt_cache_options", draft.ttl.take().map(|ttl| object! { "ttl": ttl }));
    body.push_list("tools", tools);
    body.push("input", list);
    draft.finish(&body, digests)
}

/// The items under construction.
struct Input<'c, 'r> {
    list: Vec<Json<'c>>,
    draft: &'r mut RequestDraft<'c>,
}

impl<'c> Input<'c, '_> {
    fn extend(&mut self, items: Vec<HistoryEntry<'c>>) {
        for HistoryEntry { message: at, fields, kind } in items {
            match kind {
                HistoryEntryKind::User(blocks) => {
                    let parts = self.parts(at, blocks);
                    if !parts.is_empty() {
                        self.list.push(message("user", parts));
                    }
                }
                HistoryEntryKind::Assistant(blocks) => {
                    let is_own = |fields: &&Map<String, Value>| {
                        fields.contains_key("role")
                            && fields.get("type").is_some_and(|kind| kind == "message")
                    };
                    match fields.filter(is_own) {
                        Some(fields) => self.list.push(Json::Map(fields)),
                        None => blocks.into_iter().for_each(|block| self.answer(at, block)),
                    }
                }
                HistoryEntryKind::Result(result) => self.result(at, result),
                HistoryEntryKind::System(Instructions { texts, .. }) => {
                    let parts = texts.into_iter().filter(|text| !text.trim().is_empty());
                    let parts: Vec<_> =
                        parts.map(|text| object! { "type": "input_text", "text": text }).collect();
                    if !parts.is_empty() {
                        self.list.push(message("developer", parts));
                    }
                }
            }
        }
    }

    /// Adds the item for a block of an answer.
    fn answer(&mut self, at: Option<usize>, block: Block<'c>) {
        let Block { kind, source } = block;
        if let BlockSource { dialect: Dialect::OpenAiResponses, fields: Some(fields) } = source {
            let is_item =
                !matches!(kind, BlockKind::Text(_) | BlockKind::Image(_) | BlockKind::Document { .. });
            let rewritten = match &kind {
                BlockKind::Call { id, name, .. } => {
                    !self.draft.ids.rule.fits(id) || !self.draft.names.rule.fits(name)
                }
                _ => false,
            };
            if is_item && !rewritten {
                return self.list.push(Json::Map(fields));
            }
        }
        match kind {
            BlockKind::Text(text) if text.trim().is_empty() => self.list.extend(self.draft.empty_block(at)),
            BlockKind::Text(text) => {
                let mut item = object! { "type": "message", "role": "assistant", "content": text };
                let signature = source.fields.and_then(|fields| string(fields, "textSignature"));
                // The id alone, or with the phase of the message, as an agent recorded them.
                let signature = signature.and_then(|text| serde_json::from_str::<Value>(text).ok());
                item.push_some(
                    "phase",
                    signature.as_ref().and_then(|signature| signature["phase"].as_str()).map(str::to_owned),
                );
                self.list.push(item);
            }
            BlockKind::Reasoning(reasoning) => {
                let item =
                    reasoning.signature.filter(|_| reasoning.vendor == Vendor::OpenAi).and_then(|text| {
                        let raw: &RawValue = serde_json::from_str(text).ok()?;
                        raw.get().starts_with('{').then_some(raw)
                    });
                match item {
                    Some(item) => self.list.push(Json::Raw(item)),
                    None => self.list.extend(self.draft.reasoning_left_out(at, &reasoning)),
                }
            }
            BlockKind::Call { id, name, arguments, .. } => self.list.push(object! {
                "type": "function_call",
                "call_id": self.draft.id(call_id(id), at),
                "name": self.draft.name(name, at),
                "arguments": arguments.text(),
            }),
            BlockKind::Image(_) => self.list.extend(self.draft.block_unsupported(at, "image")),
            BlockKind::Document { .. } => self.list.extend(self.draft.block_unsupported(at, "document")),
            BlockKind::Other(kind) => self.list.extend(self.draft.block_unsupported(at, kind)),
        }
    }

    fn result(&mut self, at: Option<usize>, result: ToolResult<'c>) {
        if let (Some(fields), true) =
            (result.own_fields(Dialect::OpenAiResponses), self.draft.ids.rule.fits(result.id))
        {
            return self.list.push(Json::Map(fields));
        }
        let mut blocks = result.blocks;
        let output = match blocks.as_slice() {
            [Block { kind: BlockKind::Text(_), .. }] => match blocks.pop() {
                Some(Block { kind: BlockKind::Text(text), .. }) => {
                    Json::Text(super::failure(text, result.is_error))
                }
                _ => "".into(),
            },
            [] => "".into(),
            _ => {
                let mut parts = self.parts(at, blocks);
                if result.is_error {
                    parts.insert(0, input_text("Error:"));
                }
                Json::List(parts)
            }
        };
        let item = object! {
            "type": "function_call_output",
            "call_id": self.draft.id(call_id(result.id), at),
            "output": output,
        };
        self.list.push(item);
    }

    /// Returns the parts of a message of the user, or of a result.
    fn parts(&mut self, at: Option<usize>, blocks: Vec<Block<'c>>) -> Vec<Json<'c>> {
        blocks.into_iter().filter_map(|block| self.part(at, block)).collect()
    }

    fn part(&mut self, at: Option<usize>, block: Block<'c>) -> Option<Json<'c>> {
        let Block { kind, source } = block;
        if let BlockSource { dialect: Dialect::OpenAiResponses, fields: Some(fields) } = source {
            return Some(Json::Map(fields));
        }
        Some(match kind {
            BlockKind::Text(text) if text.trim().is_empty() => return self.draft.empty_block(at),
            BlockKind::Text(text) => object! { "type": "input_text", "text": text },
            BlockKind::Image(Media::File(id)) => {
                object! { "type": "input_image", "detail": "auto", "file_id": id }
            }
            BlockKind::Image(media) => match media.url() {
                Some(url) => object! { "type": "input_image", "detail": "auto", "image_url": url },
                None => return self.draft.block_unsupported(at, "image"),
            },
            BlockKind::Document { media: Media::Text(text), .. } => input_text(text),
            BlockKind::Document { media, name } => file(media, name),
            BlockKind::Reasoning(reasoning) => return self.draft.reasoning_left_out(at, &reasoning),
            BlockKind::Call { .. } => return self.draft.block_unsupported(at, "toolCall"),
            BlockKind::Other(kind) => return self.draft.block_unsupported(at, kind),
        })
    }
}

/// Returns the id of a call. Some agents record it with that of the item behind it.
fn call_id(id: &str) -> &str {
    id.split_once('|').filter(|(_, item)| item.starts_with("fc_")).map_or(id, |(call, _)| call)
}

fn message<'c>(role: &'static str, parts: Vec<Json<'c>>) -> Json<'c> {
    object! { "type": "message", "role": role, "content": parts }
}

fn input_text(text: &str) -> Json<'_> {
    object! { "type": "input_text", "text": text }
}

fn file<'c>(media: Media<'c>, name: Option<&'c str>) -> Json<'c> {
    let mut part = object! { "type": "input_file" };
    match media {
        Media::File(id) => part.push("file_id", id),
        Media::Url(url) => part.push("file_url", url),
        media => {
            part.push("filename", name.unwrap_or("document"));
            part.push("file_data", media.url().unwrap_or_default());
        }
    }
    part
}
