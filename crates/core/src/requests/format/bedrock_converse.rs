//! Converse of Amazon Bedrock: `POST /model/{modelId}/converse`. The model is part of the address.

use super::{
    CacheMark, FormattedRequest, RequestContent,
    draft::RequestDraft,
    history::{Block, BlockKind, BlockSource, Media, ToolResult, string},
    json::{Json, object},
    ledger,
    report::Report,
    rules,
    schema::{ANTHROPIC, schema},
    turns::{self, BlockWriter},
};
use crate::model::{CacheMarks, Vendor};
use serde_json::json;
use std::borrow::Cow;

const IMAGES: [&str; 4] = ["gif", "jpeg", "png", "webp"];
/// The formats of documents, with their media types.
const DOCUMENTS: [(&str, &str); 9] = [
    ("application/msword", "doc"),
    ("application/pdf", "pdf"),
    ("application/vnd.ms-excel", "xls"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("text/csv", "csv"),
    ("text/html", "html"),
    ("text/markdown", "md"),
    ("text/plain", "txt"),
];

/// The body of Converse of Amazon Bedrock.
///
/// The prompt is one element of `system` for each [block](crate::prompt::Prompt::blocks), with a `cachePoint` behind what stays the
/// same, and one at the end of the last message of the user.
pub(super) fn format(content: RequestContent<'_>) -> FormattedRequest {
    let (mut draft, items) = RequestDraft::of(&content, &rules::BEDROCK);
    draft.plan.report(&mut draft.report);

    let row = content.target.row();
    let any = json!({ "type": "object" });
    let tools = draft.definitions(content.tools, None, |tool, mut json, report| {
        json.push("inputSchema", object! { "json": schema(tool, &any, &ANTHROPIC, report) });
        json.push_some("strict", tool.strict.then_some(true));
        object! { "toolSpec": json }
    });
    let mut writer = ConverseBlocks { documents: 0, draft: &mut draft };
    let accepted = row.known && row.model.vendor == Vendor::Anthropic && row.model.system_messages;
    let mut list = turns::write(items, accepted, &mut writer);
    rules::BEDROCK.check(&content, &list, &mut draft.report);

    let ttl = draft.ttl.take();
    let cache_point = || cache_point(ttl.clone());
    let mut system = Vec::new();
    for (at, block) in content.prompt.blocks().into_iter().enumerate() {
        system.push(object! { "text": &content.prompt.text[block.range] });
        if draft.plan.mark(at) == CacheMark::Placed {
            system.push(cache_point());
        }
    }
    // A message of role `system` takes text alone; the mark stands in front of it.
    let last = list.iter_mut().rfind(|turn| turn.role != "system").filter(|turn| turn.role == "user");
    if let (CacheMarks::CacheControl, Some(last)) = (row.model.cache_marks, last) {
        last.blocks.push(cache_point());
    }
    let digests = ledger::of_messages(&content, &tools, &system, &list);

    let mut body = object! {};
    body.push_list("system", system);
    let list = list.into_iter().map(|turn| object! { "role": turn.role, "content": turn.blocks });
    body.push("messages", Json::List(list.collect()));
    body.push_some("toolConfig", (!tools.is_empty()).then(|| object! { "tools": tools }));
    body.push_some(
        "inferenceConfig",
        content.target.max_output_tokens.map(|limit| object! { "maxTokens": Json::Number(limit) }),
    );
    draft.finish(&body, digests)
}

/// The writer of blocks for Converse.
struct ConverseBlocks<'c, 'r> {
    documents: usize,
    draft: &'r mut RequestDraft<'c>,
}

impl<'c> BlockWriter<'c> for ConverseBlocks<'c, '_> {
    const MODEL: &'static str = "assistant";

    fn text(text: Cow<'c, str>) -> Json<'c> {
        object! { "text": text }
    }

    fn report(&mut self) -> &mut Report {
        &mut self.draft.report
    }

    fn block(&mut self, message: Option<usize>, block: Block<'c>) -> Option<Json<'c>> {
        match block.kind {
            BlockKind::Text(text) if text.trim().is_empty() => self.draft.empty_block(message),
            BlockKind::Text(text) => Some(Self::text(text)),
            BlockKind::Image(Media::Base64 { media_type, data }) => {
                let format = media_type.strip_prefix("image/").filter(|format| IMAGES.contains(format));
                let Some(format) = format else {
                    return self.draft.block_unsupported(message, media_type);
                };
                Some(object! { "image": object! { "format": format, "source": object! { "bytes": data } } })
            }
            BlockKind::Image(_) => self.draft.block_unsupported(message, "image"),
            BlockKind::Document { media, .. } => self.document(message, media, block.source),
            BlockKind::Reasoning(reasoning) => {
                match reasoning.signature.filter(|_| reasoning.vendor == Vendor::Anthropic) {
                    Some(data) if reasoning.redacted => {
                        Some(object! { "reasoningContent": object! { "redactedContent": data } })
                    }
                    Some(signature) => Some(object! { "reasoningContent": object! {
                        "reasoningText": object! { "text": reasoning.text, "signature": signature },
                    } }),
                    None => self.draft.reasoning_left_out(message, &reasoning),
                }
            }
            BlockKind::Call { id, name, arguments, .. } => Some(object! { "toolUse": object! {
                "toolUseId": self.draft.id(id, message),
                "name": self.draft.name(name, message),
                "input": arguments.object(message, &mut self.draft.report),
            } }),
            BlockKind::Other(kind) => self.draft.block_unsupported(message, kind),
        }
    }

    fn result(&mut self, message: Option<usize>, result: ToolResult<'c>) -> Json<'c> {
        let mut blocks: Vec<_> =
            result.blocks.into_iter().filter_map(|block| self.block(message, block)).collect();
        if blocks.is_empty() {
            blocks.push(object! { "text": "(no output)" });
        }
        let mut answer = object! {
            "toolUseId": self.draft.id(result.id, message),
            "content": blocks,
        };
        answer.push_some("status", result.is_error.then_some("error"));
        object! { "toolResult": answer }
    }
}

impl<'c> ConverseBlocks<'c, '_> {
    /// The name of a document is what the model reads; the names of users may carry instructions, so it is a number.
    fn document(
        &mut self,
        message: Option<usize>,
        media: Media<'c>,
        from: BlockSource<'c>,
    ) -> Option<Json<'c>> {
        let (format, source) = match media {
            Media::Text(text) => ("txt", object! { "text": text }),
            Media::Base64 { media_type, data } => {
                let known = DOCUMENTS.iter().find(|(known, _)| *known == media_type);
                let Some((_, format)) = known else {
                    return self.draft.block_unsupported(message, media_type);
                };
                (*format, object! { "bytes": data })
            }
            Media::Url(_) | Media::File(_) => return self.draft.block_unsupported(message, "document"),
        };
        self.documents += 1;
        let name = format!("document {}", self.documents);
        let mut document = object! { "format": format, "name": name, "source": source };
        document.push_some("context", from.fields.and_then(|fields| string(fields, "context")));
        Some(object! { "document": document })
    }
}

fn cache_point<'c>(ttl: Option<String>) -> Json<'c> {
    let mut point = object! { "type": "default" };
    point.push_some("ttl", ttl);
    object! { "cachePoint": point }
}
