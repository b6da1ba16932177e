//! `OpenAI`'s Chat Completions API, and what is compatible with it: `POST /v1/chat/completions`.

use super::{
    FormattedRequest, RequestContent,
    draft::RequestDraft,
    history::{
        Block, BlockKind, BlockSource, Dialect, HistoryEntry, HistoryEntryKind, Instructions, Media,
        ToolResult, string,
    },
    json::{Json, object},
    ledger, rules,
    schema::{COMPATIBLE, OPENAI, StrictRule, schema},
};
use crate::{diagnostic::DiagnosticCode, settings::shown};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The format for `OpenAI` itself.
pub(super) fn openai(content: RequestContent<'_>) -> FormattedRequest {
    format(content, true)
}

/// The format for compatible servers, such as vLLM, llama.cpp and `LiteLLM`.
pub(super) fn compatible(content: RequestContent<'_>) -> FormattedRequest {
    format(content, false)
}

/// The body of `OpenAI`'s Chat Completions API, or of a server that is compatible with it.
///
/// For `OpenAI` the prompt is a message of role `developer` with one part for each [block](crate::prompt::Prompt::blocks). For
/// compatible servers, many of which accept neither the role nor parts there, it is a message of role `system` with one string,
/// and there are no cache fields. Messages that came from this API are sent back unchanged.
fn format(content: RequestContent<'_>, openai: bool) -> FormattedRequest {
    let (history, rules) =
        if openai { (&rules::OPENAI_CHAT, &OPENAI) } else { (&rules::COMPATIBLE, &COMPATIBLE) };
    let (mut draft, items) = RequestDraft::of(&content, history);
    if openai {
        draft.plan.report(&mut draft.report);
    }

    let any = json!({ "type": "object", "properties": {} });
    let tools = draft.definitions(content.tools, None, |tool, mut json, report| {
        json.push("parameters", schema(tool, &any, rules, report));
        let is_strict = tool.strict && rules.strict != StrictRule::Ignored;
        json.push_some("strict", is_strict.then_some(true));
        object! { "type": "function", "function": json }
    });
    let mut messages = ChatMessages {
        list: Vec::with_capacity(items.len() + 1),
        images: Vec::new(),
        openai,
        draft: &mut draft,
    };
    let has_prompt = !content.prompt.blocks().is_empty();
    if openai && has_prompt {
        let parts = messages.draft.prompt_parts(&content, "text");
        messages.list.push(object! { "role": "developer", "content": parts });
    } else if has_prompt {
        messages.list.push(object! { "role": "system", "content": &*content.prompt.text });
    }
    messages.extend(items);
    let list = messages.list;
    let digests = ledger::of_items(&content, &tools, &list);

    let mut body = object! {};
    body.push_some("model", content.target.model);
    body.push_some(
        if openai { "max_completion_tokens" } else { "max_tokens" },
        content.target.max_output_tokens.map(Json::Number),
    );
    body.push_some("prompt_cache_key", content.target.cache_key.filter(|_| openai));
    body.push("messages", list);
    body.push_list("tools", tools);
    draft.finish(&body, digests)
}

/// The fields that only messages of this API have.
const OWN_FIELDS: [&str; 7] =
    ["annotations", "audio", "name", "reasoning_content", "reasoning_details", "refusal", "tool_calls"];

/// The messages under construction.
struct ChatMessages<'c, 'r> {
    list: Vec<Json<'c>>,
    /// The images of the results so far: they follow in a message of the user.
    images: Vec<Json<'c>>,
    openai: bool,
    draft: &'r mut RequestDraft<'c>,
}

impl<'c> ChatMessages<'c, '_> {
    fn extend(&mut self, items: Vec<HistoryEntry<'c>>) {
        for HistoryEntry { message, fields, kind } in items {
            if !matches!(kind, HistoryEntryKind::Result(_)) {
                self.flush_images();
            }
            match kind {
                HistoryEntryKind::User(blocks) => {
                    let parts = self.parts(message, blocks);
                    let before = self.list.len();
                    self.push("user", parts);
                    let name = fields.and_then(|fields| string(fields, "name"));
                    if let (Some(name), Some(message)) = (name, self.list[before..].last_mut()) {
                        message.push("name", name);
                    }
                }
                HistoryEntryKind::Assistant(blocks) => self.answer(message, blocks, fields),
                HistoryEntryKind::Result(result) => self.result(message, result),
                HistoryEntryKind::System(Instructions { texts, .. }) => {
                    let texts: Vec<_> = texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
                    if !texts.is_empty() {
                        let role = if self.openai { "developer" } else { "system" };
                        self.list.push(object! { "role": role, "content": texts.join("\n\n") });
                    }
                }
            }
        }
        self.flush_images();
    }

    /// Images in results are sent behind all results of the turn.
    fn flush_images(&mut self) {
        let images = std::mem::take(&mut self.images);
        self.push("user", images);
    }

    /// Adds a message. One text alone is a string, which every server accepts.
    fn push(&mut self, role: &'static str, mut parts: Vec<Json<'c>>) {
        let content = match (parts.len(), parts.pop()) {
            (_, None) => return,
            (1, Some(Json::Object(mut entries))) if entries.len() == 2 && entries[1].0 == "text" => {
                entries.swap_remove(1).1
            }
            (_, Some(last)) => {
                parts.push(last);
                Json::List(parts)
            }
        };
        self.list.push(object! { "role": role, "content": content });
    }

    /// Returns true if an answer came from this API and no name or id in it is rewritten.
    fn is_own(&self, fields: &Map<String, Value>, blocks: &[Block<'_>]) -> bool {
        let has_refusal =
            |block: &Block<'_>| block.source.fields.is_some_and(|fields| fields.contains_key("refusal"));
        let is_own = OWN_FIELDS.iter().any(|key| fields.contains_key(*key)) || blocks.iter().any(has_refusal);
        let fits = |block: &Block<'_>| match &block.kind {
            BlockKind::Call { id, name, .. } => {
                self.draft.ids.rule.fits(id) && self.draft.names.rule.fits(name)
            }
            _ => true,
        };
        is_own && fields.contains_key("role") && blocks.iter().all(fits)
    }

    fn answer(&mut self, at: Option<usize>, blocks: Vec<Block<'c>>, fields: Option<&'c Map<String, Value>>) {
        if let Some(fields) = fields.filter(|fields| self.is_own(fields, &blocks)) {
            // A response has fields that a request does not: empty ones, and the annotations of a text. Compatible servers
            // want their reasoning back; OpenAI does not know it.
            let reasoning = |key: &str| self.openai && key.starts_with("reasoning");
            if fields.keys().any(|key| reasoning(key)) {
                let what = "reasoning without a signature is left out";
                self.draft.report.add(DiagnosticCode::RequestLeftOut, at, what);
            }
            let entries = fields.iter().filter(|(key, value)| {
                let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
                *key == "content" || !(empty || *key == "annotations" || reasoning(key))
            });
            return self
                .list
                .push(Json::Entries(entries.map(|(key, value)| (key.as_str(), value)).collect()));
        }
        let mut text = Vec::new();
        let mut calls = Vec::new();
        for Block { kind, source } in blocks {
            match kind {
                BlockKind::Text(own) if own.trim().is_empty() => calls.extend(self.draft.empty_block(at)),
                BlockKind::Text(own) => text.push(own),
                BlockKind::Reasoning(reasoning) => {
                    calls.extend(self.draft.reasoning_left_out(at, &reasoning));
                }
                BlockKind::Call { id, name, arguments, .. } => calls.push(object! {
                    "id": self.draft.id(id, at),
                    "type": "function",
                    "function": object! {
                        "name": self.draft.name(name, at),
                        "arguments": arguments.text(),
                    },
                }),
                BlockKind::Other(_) if source.dialect == Dialect::OpenAiChat => {
                    calls.extend(source.fields.map(Json::Map));
                }
                BlockKind::Image(_) => calls.extend(self.draft.block_unsupported(at, "image")),
                BlockKind::Document { .. } => calls.extend(self.draft.block_unsupported(at, "document")),
                BlockKind::Other(kind) => calls.extend(self.draft.block_unsupported(at, kind)),
            }
        }
        if text.is_empty() && calls.is_empty() {
            return;
        }
        let mut message = object! { "role": "assistant" };
        match text.len() {
            0 => message.push("content", Json::Value(&Value::Null)),
            1 => message.push("content", text.swap_remove(0)),
            _ => message.push("content", text.concat()),
        }
        message.push_list("tool_calls", calls);
        self.list.push(message);
    }

    fn result(&mut self, at: Option<usize>, result: ToolResult<'c>) {
        if let (Some(fields), true) =
            (result.own_fields(Dialect::OpenAiChat), self.draft.ids.rule.fits(result.id))
        {
            return self.list.push(Json::Map(fields));
        }
        let mut texts: Vec<Cow<'c, str>> = Vec::new();
        let mut images = Vec::new();
        for block in result.blocks {
            match block.kind {
                BlockKind::Text(text) => texts.push(text),
                kind @ BlockKind::Image(_) => images.push(Block { kind, source: block.source }),
                BlockKind::Document { media: Media::Text(text), .. } => texts.push(text.into()),
                BlockKind::Document { .. } => drop(self.draft.block_unsupported(at, "document")),
                BlockKind::Reasoning(_) | BlockKind::Call { .. } => {}
                BlockKind::Other(kind) => drop(self.draft.block_unsupported(at, kind)),
            }
        }
        let images = self.parts(at, images);
        if !images.is_empty() {
            let what = "an image in the result of a tool is sent in a message of the user behind it";
            self.draft.report.add(DiagnosticCode::RequestMoved, at, what);
            texts.push("(the image is in the next message of the user)".into());
            self.images.push(object! {
                "type": "text",
                "text": format!("Image in the result of the call {}:", shown(result.id)),
            });
            self.images.extend(images);
        }
        let text = match texts.len() {
            1 => texts.swap_remove(0),
            _ => texts.join("\n").into(),
        };
        let message = object! {
            "role": "tool",
            "tool_call_id": self.draft.id(result.id, at),
            "content": super::failure(text, result.is_error),
        };
        self.list.push(message);
    }

    /// Returns the parts of a message of the user.
    fn parts(&mut self, at: Option<usize>, blocks: Vec<Block<'c>>) -> Vec<Json<'c>> {
        blocks.into_iter().filter_map(|block| self.part(at, block)).collect()
    }

    fn part(&mut self, at: Option<usize>, block: Block<'c>) -> Option<Json<'c>> {
        let Block { kind, source } = block;
        if let BlockSource { dialect: Dialect::OpenAiChat, fields: Some(fields) } = source {
            return Some(Json::Map(fields));
        }
        match kind {
            BlockKind::Text(text) if text.trim().is_empty() => self.draft.empty_block(at),
            BlockKind::Text(text) => Some(object! { "type": "text", "text": text }),
            BlockKind::Image(media) => match media.url() {
                Some(url) => Some(object! { "type": "image_url", "image_url": object! { "url": url } }),
                None => self.draft.block_unsupported(at, "image"),
            },
            BlockKind::Document { media: Media::Text(text), .. } => {
                Some(object! { "type": "text", "text": text })
            }
            BlockKind::Document { media: Media::File(id), .. } if self.openai => {
                Some(object! { "type": "file", "file": object! { "file_id": id } })
            }
            BlockKind::Document { media: media @ Media::Base64 { .. }, name } if self.openai => {
                let file = object! {
                    "filename": name.unwrap_or("document"),
                    "file_data": media.url().unwrap_or_default(),
                };
                Some(object! { "type": "file", "file": file })
            }
            BlockKind::Document { .. } => self.draft.block_unsupported(at, "document"),
            BlockKind::Reasoning(reasoning) => self.draft.reasoning_left_out(at, &reasoning),
            BlockKind::Call { .. } => self.draft.block_unsupported(at, "toolCall"),
            BlockKind::Other(kind) => self.draft.block_unsupported(at, kind),
        }
    }
}
