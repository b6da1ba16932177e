//! Anthropic's Messages API: `POST /v1/messages`.

use super::{
    CacheMark, FormattedRequest, RequestContent, RequestFormat,
    draft::{RequestDraft, definitions},
    history::{Block, BlockKind, CLEAR_AT, Dialect, Media, ToolResult},
    json::{Json, object},
    ledger,
    names::{NameRule, Names, is_word},
    report::Report,
    schema::{ANTHROPIC, schema},
    turns::{self, BlockWriter},
};
use crate::{
    diagnostic::DiagnosticCode,
    model::{CacheMarks, Vendor},
};
use serde_json::{Value, json};
use std::borrow::Cow;

/// Longer names and other characters are refused.
const NAMES: NameRule = NameRule { longest: 64, accepts: is_word, begins: |_| true };
const IMAGES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/webp"];
/// The lifetimes of cache marks.
const TTLS: [&str; 2] = ["5m", "1h"];
/// The beta of instructions for one turn.
const CLEAR_AT_BETA: &str = "mid-conversation-system-clear-at-2026-08-21";
/// The most tokens of an answer where the caller sets no limit: the API requires one.
const MAX_TOKENS: u64 = 8192;

/// The body of Anthropic's Messages API.
///
/// The prompt is one block of `system` for each [block](crate::prompt::Prompt::blocks), with `cache_control` at the end of what
/// stays the same, and an automatic mark at the end of the messages. Blocks that came from Anthropic are sent back unchanged.
/// Results of calls are in one message of the user, as the API requires.
///
/// ```
/// use preface_core::{prompt::Prompt, format::{Anthropic, RequestContent, RequestFormat}};
/// let prompt = Prompt::default();
/// let body = Anthropic.format(RequestContent::from(&prompt)).body;
/// assert!(body.starts_with("{\n  \"max_tokens\": 8192,\n"), "{body}");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anthropic;

impl RequestFormat for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn about(&self) -> &'static str {
        "the body of Anthropic's Messages API"
    }

    fn format(&self, content: RequestContent<'_>) -> FormattedRequest {
        let (mut draft, items) = RequestDraft::of(&content, &TTLS);
        draft.plan.report(&mut draft.report);

        let row = content.target.row();
        let marks = row.model.cache_marks == CacheMarks::CacheControl;
        let any = json!({ "type": "object" });
        let mut names = Names::new(NAMES, DiagnosticCode::RequestNameRewritten);
        let tools = definitions(
            content.tools,
            &mut names,
            &mut draft.report,
            || object! {},
            |tool, mut json, report| {
                json.push("input_schema", schema(tool, &any, &ANTHROPIC, report));
                if tool.strict {
                    json.push("strict", true);
                }
                json
            },
        );
        let ids = Names::new(NAMES, DiagnosticCode::RequestIdRewritten);
        let mut writer =
            AnthropicBlocks { names, ids, marks: CallerMarks::default(), report: &mut draft.report };
        let accepted = row.known && row.model.vendor == Vendor::Anthropic && row.model.system_messages;
        let list = turns::write(items, accepted, &mut writer);
        let CallerMarks { count: caller_marks, longer } = writer.marks;
        if longer {
            // A mark with a longer lifetime is refused behind one with a shorter.
            draft.choose_ttl(&content, TTLS[1]);
        }
        let ttl = draft.ttl.take();
        let cache_control = || cache_control(ttl.clone());
        let digests = ledger::of_messages(&content, &tools, &list);

        let mut body = object! {};
        if let Some(model) = content.target.model {
            body.push("model", model);
        }
        body.push("max_tokens", Json::Number(content.target.max_output_tokens.unwrap_or(MAX_TOKENS)));
        // The mark behind the messages moves along with them, and needs a place of its own among those that are allowed.
        let mut free = row.model.cache_mark_limit.saturating_sub(caller_marks);
        let automatic = marks && caller_marks == 0 && !list.is_empty();
        free = free.saturating_sub(usize::from(automatic));
        if automatic {
            body.push("cache_control", cache_control());
        }
        let blocks = content.prompt.blocks();
        if !blocks.is_empty() {
            let system = blocks.iter().enumerate().map(|(at, block)| {
                let mut text = AnthropicBlocks::text(content.prompt.text[block.range.clone()].into());
                if draft.plan.mark(at) == CacheMark::Placed && free > 0 {
                    free -= 1;
                    text.push("cache_control", cache_control());
                }
                text
            });
            body.push("system", Json::List(system.collect()));
        }
        if !tools.is_empty() {
            body.push("tools", tools);
        }
        if list.iter().any(|turn| turn.one_turn) {
            let what = format!("messages with `clear_at` need the header `anthropic-beta: {CLEAR_AT_BETA}`");
            draft.report.add(DiagnosticCode::RequestBeta, None, what);
        }
        let messages = list.into_iter().map(|turn| {
            let mut message = object! { "role": turn.role, "content": turn.blocks };
            if turn.one_turn {
                message.push("clear_at", CLEAR_AT);
            }
            message
        });
        body.push("messages", Json::List(messages.collect()));
        draft.finish(&body, digests)
    }
}

/// The writer of blocks for Anthropic.
struct AnthropicBlocks<'c, 'r> {
    names: Names<'c>,
    ids: Names<'c>,
    marks: CallerMarks,
    report: &'r mut Report,
}

/// `cache_control` in blocks of the caller.
#[derive(Debug, Default)]
struct CallerMarks {
    count: usize,
    /// True if one of them has a longer lifetime than the default.
    longer: bool,
}

impl CallerMarks {
    fn add(&mut self, mark: Option<&Value>) {
        self.count += usize::from(mark.is_some());
        self.longer |= mark.is_some_and(|mark| mark["ttl"] == TTLS[1]);
    }
}

impl<'c> BlockWriter<'c> for AnthropicBlocks<'c, '_> {
    const MODEL: &'static str = "assistant";

    fn text(text: Cow<'c, str>) -> Json<'c> {
        object! { "type": "text", "text": text }
    }

    fn report(&mut self) -> &mut Report {
        self.report
    }

    /// A block that came from Anthropic is unchanged.
    fn block(&mut self, message: Option<usize>, block: Block<'c>) -> Option<Json<'c>> {
        let Block { kind, source } = block;
        if let (Dialect::Anthropic, Some(fields)) = (source.dialect, source.fields) {
            let rewritten = match &kind {
                BlockKind::Call { id, name, .. } => !NAMES.fits(id) || !NAMES.fits(name),
                BlockKind::Reasoning(reasoning) => reasoning.signature.is_none(),
                _ => false,
            };
            if !rewritten {
                self.marks.add(fields.get("cache_control"));
                return Some(Json::Map(fields));
            }
        }
        Some(match kind {
            BlockKind::Text(text) => {
                if text.trim().is_empty() {
                    super::empty_block(message, self.report);
                    return None;
                }
                let mark = source.fields.and_then(|fields| fields.get("cache_control"));
                self.marks.add(mark);
                let mut block = Self::text(text);
                if let Some(mark) = mark {
                    block.push("cache_control", mark);
                }
                block
            }
            BlockKind::Image(Media::Base64 { media_type, .. }) if !IMAGES.contains(&media_type) => {
                super::block_unsupported(message, media_type, self.report);
                return None;
            }
            BlockKind::Image(media) => object! { "type": "image", "source": source_of(media) },
            BlockKind::Document { media: Media::Base64 { media_type, .. }, .. }
                if media_type != "application/pdf" =>
            {
                super::block_unsupported(message, media_type, self.report);
                return None;
            }
            BlockKind::Document { media, name } => {
                let mut block = object! { "type": "document", "source": source_of(media) };
                if let Some(name) = name {
                    block.push("title", name);
                }
                block
            }
            BlockKind::Reasoning(reasoning) => {
                let ours = matches!(reasoning.vendor, Vendor::Anthropic | Vendor::Unknown);
                match reasoning.signature.filter(|_| ours) {
                    Some(data) if reasoning.redacted => object! { "type": "redacted_thinking", "data": data },
                    Some(signature) => {
                        object! { "type": "thinking", "thinking": reasoning.text, "signature": signature }
                    }
                    None => {
                        super::reasoning_left_out(message, reasoning.vendor, self.report);
                        return None;
                    }
                }
            }
            BlockKind::Call { id, name, arguments, .. } => object! {
                "type": "tool_use",
                "id": self.ids.get(id, message, self.report),
                "name": self.names.get(name, message, self.report),
                "input": arguments.object(message, self.report),
            },
            BlockKind::Other(kind) => {
                super::block_unsupported(message, kind, self.report);
                return None;
            }
        })
    }

    fn result(&mut self, message: Option<usize>, result: ToolResult<'c>) -> Json<'c> {
        if let (Some(fields), true) = (result.own_fields(Dialect::Anthropic), NAMES.fits(result.id)) {
            self.marks.add(fields.get("cache_control"));
            return Json::Map(fields);
        }
        let blocks = result.blocks.into_iter().filter_map(|block| self.block(message, block)).collect();
        let mut json = object! {
            "type": "tool_result",
            "tool_use_id": self.ids.get(result.id, message, self.report),
            "content": Json::List(blocks),
        };
        if result.is_error {
            json.push("is_error", true);
        }
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

fn cache_control<'c>(ttl: Option<String>) -> Json<'c> {
    let mut mark = object! { "type": "ephemeral" };
    if let Some(ttl) = ttl {
        mark.push("ttl", ttl);
    }
    mark
}
