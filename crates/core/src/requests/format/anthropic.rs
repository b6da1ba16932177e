//! Anthropic's Messages API: `POST /v1/messages`.

use super::{
    CacheMark, FormattedRequest, RequestContent,
    draft::RequestDraft,
    history::{Block, BlockKind, CLEAR_AT, Dialect, Media, ToolResult},
    json::{Json, object},
    ledger,
    report::Report,
    rules,
    schema::{ANTHROPIC, schema},
    turns::{self, BlockWriter, FormattedTurn},
};
use crate::{
    diagnostic::DiagnosticCode,
    model::{CacheMarks, Vendor},
};
use serde_json::json;
use std::borrow::Cow;

const IMAGES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/webp"];
/// The key of a cache mark.
const MARK: &str = "cache_control";
/// The most cache marks of a request.
const MOST_MARKS: usize = 4;
/// The longer one of the lifetimes of a mark.
const HOUR: &str = "1h";
/// The beta of instructions for one turn.
const CLEAR_AT_BETA: &str = "mid-conversation-system-clear-at-2026-08-21";
/// The most tokens of an answer where the caller sets no limit: the API requires one.
const MAX_TOKENS: u64 = 8192;

/// The body of Anthropic's Messages API.
///
/// The prompt is one block of `system` for each [block](crate::prompt::Prompt::blocks), with `cache_control` at the end of what
/// stays the same, and an automatic mark at the end of the messages. Blocks that came from Anthropic are sent back unchanged.
/// Results of calls are in one message of the user, as the API requires.
pub(super) fn format(content: RequestContent<'_>) -> FormattedRequest {
    let (mut draft, items) = RequestDraft::of(&content, &rules::ANTHROPIC);
    draft.plan.report(&mut draft.report);

    let row = content.target.row();
    let marks = row.model.cache_marks == CacheMarks::CacheControl;
    let any = json!({ "type": "object" });
    let tools = draft.definitions(content.tools, None, |tool, mut json, report| {
        json.push("input_schema", schema(tool, &any, &ANTHROPIC, report));
        json.push_some("strict", tool.strict.then_some(true));
        json
    });
    let mut writer = AnthropicBlocks { draft: &mut draft };
    let accepted = row.known && row.model.vendor == Vendor::Anthropic && row.model.system_messages;
    let mut list = turns::write(items, accepted, &mut writer);
    limit_marks(&mut list, &mut draft.report);
    rules::ANTHROPIC.check(&content, &list, &mut draft.report);
    let marked = || list.iter().flat_map(|turn| &turn.blocks).filter(|block| block.has(MARK));
    if marked().any(|block| ttl_of(block) == Some(HOUR)) {
        // A mark with a longer lifetime is refused behind one with a shorter.
        draft.choose_ttl(&content, HOUR);
    }
    let ttl = draft.ttl.take();
    // The mark behind the messages moves along with them, and needs a place of its own among those that are allowed.
    let mut free = row.model.cache_mark_limit.saturating_sub(marked().count());
    let last = list.last().and_then(|turn| turn.blocks.last());
    let automatic = marks && free > 0 && last.is_some_and(|block| !block.has(MARK));
    free -= usize::from(automatic);
    let automatic_ttl = match marked().next_back() {
        Some(block) => ttl_of(block).map(str::to_owned),
        None => ttl.clone(),
    };
    let system: Vec<_> = content
        .prompt
        .blocks()
        .into_iter()
        .enumerate()
        .map(|(at, block)| {
            let mut text = AnthropicBlocks::text(content.prompt.text[block.range].into());
            if draft.plan.mark(at) == CacheMark::Placed && free > 0 {
                free -= 1;
                text.push(MARK, cache_control(ttl.clone()));
            }
            text
        })
        .collect();
    let mut digests = ledger::of_messages(&content, &tools, &system, &list);

    let mut body = object! {};
    body.push_some("model", content.target.model);
    body.push("max_tokens", Json::Number(content.target.max_output_tokens.unwrap_or(MAX_TOKENS)));
    if automatic {
        digests.mark_end();
        body.push(MARK, cache_control(automatic_ttl));
    }
    body.push_list("system", system);
    body.push_list("tools", tools);
    if list.iter().any(|turn| turn.one_turn) {
        let what = format!("messages with `clear_at` need the header `anthropic-beta: {CLEAR_AT_BETA}`");
        draft.report.add(DiagnosticCode::RequestBeta, None, what);
    }
    let messages = list.into_iter().map(|turn| {
        let mut message = object! { "role": turn.role, "content": turn.blocks };
        message.push_some("clear_at", turn.one_turn.then_some(CLEAR_AT));
        message
    });
    body.push("messages", Json::List(messages.collect()));
    draft.finish(&body, digests)
}

/// The writer of blocks for Anthropic.
struct AnthropicBlocks<'c, 'r> {
    draft: &'r mut RequestDraft<'c>,
}

impl<'c> BlockWriter<'c> for AnthropicBlocks<'c, '_> {
    const MODEL: &'static str = "assistant";

    fn text(text: Cow<'c, str>) -> Json<'c> {
        object! { "type": "text", "text": text }
    }

    fn report(&mut self) -> &mut Report {
        &mut self.draft.report
    }

    /// A block that came from Anthropic is unchanged.
    fn block(&mut self, message: Option<usize>, block: Block<'c>) -> Option<Json<'c>> {
        let Block { kind, source } = block;
        if let (Dialect::Anthropic, Some(fields)) = (source.dialect, source.fields) {
            let rewritten = match &kind {
                BlockKind::Call { id, name, arguments, .. } => {
                    !self.draft.ids.rule.fits(id)
                        || !self.draft.names.rule.fits(name)
                        || !arguments.is_object()
                }
                BlockKind::Reasoning(reasoning) => reasoning.signature.is_none(),
                _ => false,
            };
            if !rewritten {
                return Some(Json::Map(fields));
            }
        }
        let mut json = match kind {
            BlockKind::Text(text) if text.trim().is_empty() => return self.draft.empty_block(message),
            BlockKind::Text(text) => Self::text(text),
            BlockKind::Image(Media::Base64 { media_type, .. }) if !IMAGES.contains(&media_type) => {
                return self.draft.block_unsupported(message, media_type);
            }
            BlockKind::Image(media) => object! { "type": "image", "source": source_of(media) },
            BlockKind::Document { media: Media::Base64 { media_type, .. }, .. }
                if media_type != "application/pdf" =>
            {
                return self.draft.block_unsupported(message, media_type);
            }
            BlockKind::Document { media, name } => {
                let mut block = object! { "type": "document", "source": source_of(media) };
                block.push_some("title", name);
                block
            }
            BlockKind::Reasoning(reasoning) => {
                match reasoning.signature.filter(|_| reasoning.vendor == Vendor::Anthropic) {
                    Some(data) if reasoning.redacted => object! { "type": "redacted_thinking", "data": data },
                    Some(signature) => {
                        object! { "type": "thinking", "thinking": reasoning.text, "signature": signature }
                    }
                    None => return self.draft.reasoning_left_out(message, &reasoning),
                }
            }
            BlockKind::Call { id, name, arguments, .. } => object! {
                "type": "tool_use",
                "id": self.draft.id(id, message),
                "name": self.draft.name(name, message),
                "input": arguments.object(message, &mut self.draft.report),
            },
            BlockKind::Other(kind) => return self.draft.block_unsupported(message, kind),
        };
        for key in ["citations", MARK] {
            json.push_some(key, source.fields.and_then(|fields| fields.get(key)));
        }
        Some(json)
    }

    fn result(&mut self, message: Option<usize>, result: ToolResult<'c>) -> Json<'c> {
        if let (Some(fields), true) =
            (result.own_fields(Dialect::Anthropic), self.draft.ids.rule.fits(result.id))
        {
            return Json::Map(fields);
        }
        let blocks = result.blocks.into_iter().filter_map(|block| self.block(message, block)).collect();
        let mut json = object! {
            "type": "tool_result",
            "tool_use_id": self.draft.id(result.id, message),
            "content": Json::List(blocks),
        };
        json.push_some("is_error", result.is_error.then_some(true));
        json
    }
}

fn source_of(media: Media<'_>) -> Json<'_> {
    match media {
        Media::Base64 { media_type, data } => {
            object! { "type": "base64", "media_type": media_type, "data": data }
        }
        Media::Url(url) => object! { "type": "url", "url": url },
        Media::File(id) => object! { "type": "file", "file_id": id },
        Media::Text(text) => object! { "type": "text", "media_type": "text/plain", "data": text },
    }
}

/// Removes the marks of the caller that the service refuses: those on reasoning, and the first ones where there are too many.
fn limit_marks(list: &mut [FormattedTurn<'_>], report: &mut Report) {
    let is_reasoning =
        |block: &Json<'_>| block.text_at("type").is_some_and(|kind| kind.ends_with("thinking"));
    let mut marked: Vec<_> =
        list.iter_mut().flat_map(|turn| &mut turn.blocks).filter(|block| block.has(MARK)).collect();
    marked.sort_by_key(|block| !is_reasoning(block));
    let reasoning = marked.iter().filter(|block| is_reasoning(block)).count();
    let too_many = reasoning.max(marked.len().saturating_sub(MOST_MARKS));
    for block in &mut marked[..too_many] {
        block.remove(MARK);
        let what = "a cache mark of a message is left out: the service accepts four, and none on reasoning";
        report.add(DiagnosticCode::CacheMarks, None, what);
    }
}

/// Returns the lifetime of the mark of a block.
fn ttl_of<'j>(block: &'j Json<'_>) -> Option<&'j str> {
    block.get(MARK)?.get("ttl")?.as_str()
}

fn cache_control<'c>(ttl: Option<String>) -> Json<'c> {
    let mut mark = object! { "type": "ephemeral" };
    mark.push_some("ttl", ttl);
    mark
}
