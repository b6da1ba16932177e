//! The Gemini API: `POST /v1beta/models/{model}:generateContent`. The model is part of the address.

use super::{
    FormattedRequest, RequestContent,
    draft::RequestDraft,
    history::{Block, BlockKind, Media, ToolResult, string},
    json::{Json, object},
    ledger,
    report::Report,
    rules,
    schema::{GEMINI, schema},
    turns::{self, BlockWriter, FormattedTurn},
};
use crate::model::Vendor;
use serde_json::json;
use std::borrow::Cow;

/// The body of the Gemini API.
///
/// The prompt is `systemInstruction` with one part for each [block](crate::prompt::Prompt::blocks); the service finds the prefix
/// that it caches itself. There are no instructions between the messages: they are sent as text of the user.
pub(super) fn format(content: RequestContent<'_>) -> FormattedRequest {
    let (mut draft, items) = RequestDraft::of(&content, &rules::GEMINI);
    draft.plan.report(&mut draft.report);

    let any = json!({ "type": "object" });
    let tools = draft.definitions(content.tools, None, |tool, mut json, report| {
        json.push("parametersJsonSchema", schema(tool, &any, &GEMINI, report));
        json
    });
    let mut writer = GeminiParts { draft: &mut draft };
    let mut list = turns::write(items, false, &mut writer);
    if content.target.row().model.signed_calls {
        list.iter_mut().for_each(sign_call);
    }
    rules::GEMINI.check(&content, &list, &mut draft.report);
    let blocks = content.prompt.blocks().into_iter();
    let system: Vec<_> = blocks.map(|block| object! { "text": &content.prompt.text[block.range] }).collect();
    let digests = ledger::of_messages(&content, &tools, &system, &list);

    let mut body = object! {};
    body.push_some("systemInstruction", (!system.is_empty()).then(|| object! { "parts": system }));
    let list = list.into_iter().map(|turn| object! { "role": turn.role, "parts": turn.blocks });
    body.push("contents", Json::List(list.collect()));
    let declared = (!tools.is_empty()).then(|| vec![object! { "functionDeclarations": tools }]);
    body.push_some("tools", declared);
    body.push_some(
        "generationConfig",
        content.target.max_output_tokens.map(|limit| object! { "maxOutputTokens": Json::Number(limit) }),
    );
    draft.finish(&body, digests)
}

/// The writer of parts for Gemini.
struct GeminiParts<'c, 'r> {
    draft: &'r mut RequestDraft<'c>,
}

impl<'c> BlockWriter<'c> for GeminiParts<'c, '_> {
    const MODEL: &'static str = "model";

    fn text(text: Cow<'c, str>) -> Json<'c> {
        object! { "text": text }
    }

    fn report(&mut self) -> &mut Report {
        &mut self.draft.report
    }

    fn block(&mut self, message: Option<usize>, block: Block<'c>) -> Option<Json<'c>> {
        Some(match block.kind {
            BlockKind::Text(text) => {
                // A signature can come with an empty text.
                let signature = block.source.fields.and_then(|fields| string(fields, "thoughtSignature"));
                if text.is_empty() && signature.is_none() {
                    return self.draft.empty_block(message);
                }
                let mut part = Self::text(text);
                part.push_some("thoughtSignature", signature);
                part
            }
            BlockKind::Image(media) | BlockKind::Document { media, .. } => {
                inline(media, message, self.draft)?
            }
            BlockKind::Reasoning(reasoning) => match reasoning.signature {
                Some(signature) if reasoning.vendor == Vendor::Google => {
                    object! { "text": reasoning.text, "thought": true, "thoughtSignature": signature }
                }
                _ => return self.draft.reasoning_left_out(message, &reasoning),
            },
            BlockKind::Call { id, name, arguments, signature } => {
                let mut call = object! {};
                call.push_some("id", Some(id).filter(|id| !id.is_empty()));
                call.push("name", self.draft.name(name, message));
                call.push("args", arguments.object(message, &mut self.draft.report));
                let mut part = object! { "functionCall": call };
                part.push_some("thoughtSignature", signature);
                part
            }
            BlockKind::Other(kind) => return self.draft.block_unsupported(message, kind),
        })
    }

    fn result(&mut self, message: Option<usize>, result: ToolResult<'c>) -> Json<'c> {
        let mut texts = Vec::new();
        let mut parts = Vec::new();
        for block in result.blocks {
            match block.kind {
                BlockKind::Text(text) => texts.push(text),
                BlockKind::Document { media: Media::Text(text), .. } => texts.push(text.into()),
                BlockKind::Image(media) | BlockKind::Document { media, .. } => {
                    parts.extend(inline(media, message, self.draft));
                }
                BlockKind::Reasoning(_) | BlockKind::Call { .. } => {}
                BlockKind::Other(kind) => parts.extend(self.draft.block_unsupported(message, kind)),
            }
        }
        let text = match texts.len() {
            1 => texts.swap_remove(0),
            _ => texts.join("\n").into(),
        };
        let response = if result.is_error {
            object! { "error": text }
        } else {
            object! { "output": text }
        };
        let mut answer = object! {};
        answer.push_some("id", Some(result.id).filter(|id| !id.is_empty()));
        answer.push("name", self.draft.name(result.name.unwrap_or("unknown"), message));
        answer.push("response", response);
        answer.push_list("parts", parts);
        object! { "functionResponse": answer }
    }
}

/// Signs the first call of an answer of another model: the service refuses a call without a signature, and takes this in its place.
fn sign_call(turn: &mut FormattedTurn<'_>) {
    let call = turn.blocks.iter_mut().find(|block| block.has("functionCall"));
    if let Some(call) = call.filter(|call| !call.has("thoughtSignature")) {
        call.push("thoughtSignature", "skip_thought_signature_validator");
    }
}

fn inline<'c>(media: Media<'c>, message: Option<usize>, draft: &mut RequestDraft<'c>) -> Option<Json<'c>> {
    match media {
        Media::Base64 { media_type, data } => {
            Some(object! { "inlineData": object! { "mimeType": media_type, "data": data } })
        }
        Media::Url(url) => Some(object! { "fileData": object! { "fileUri": url } }),
        Media::Text(text) => Some(object! { "text": text }),
        Media::File(_) => draft.block_unsupported(message, "file"),
    }
}
