//! Reading the messages of a request: each block in one neutral shape, whichever API wrote it.
//!
//! A block keeps the object that it was read from, so that the format of the same vendor sends it unchanged.

use super::{
    RequestContent,
    json::{Json, object},
    report::Report,
};
use crate::{
    diagnostic::DiagnosticCode,
    message::{ModelMessage, ModelRole, is_item},
    model::Vendor,
    settings::shown,
};
use serde_json::{Map, Value, json, value::RawValue};
use std::{borrow::Cow, collections::BTreeMap};

/// The `clear_at` of instructions that Anthropic shows until the user writes again.
pub(super) const CLEAR_AT: &str = "next_user_message";

/// An element of a request behind the prompt.
#[derive(Debug)]
pub(super) struct HistoryEntry<'c> {
    /// The position in the caller's history; `None` for an attachment.
    pub message: Option<usize>,
    /// The message that it was read from.
    pub fields: Option<&'c Map<String, Value>>,
    pub kind: HistoryEntryKind<'c>,
}

#[derive(Debug)]
pub(super) enum HistoryEntryKind<'c> {
    /// A message of the user.
    User(Vec<Block<'c>>),
    /// An answer of the model.
    Assistant(Vec<Block<'c>>),
    /// The result of a call.
    Result(ToolResult<'c>),
    /// Instructions between the messages.
    System(Instructions<'c>),
}

/// Instructions between the messages.
#[derive(Debug)]
pub(super) struct Instructions<'c> {
    pub texts: Vec<Cow<'c, str>>,
    /// True if the model sees them until the user writes again.
    pub one_turn: bool,
}

/// The result of a call.
#[derive(Debug)]
pub(super) struct ToolResult<'c> {
    pub id: &'c str,
    /// The name of the tool, where the result or its call has one.
    pub name: Option<&'c str>,
    pub blocks: Vec<Block<'c>>,
    pub is_error: bool,
    pub source: BlockSource<'c>,
}

impl<'c> ToolResult<'c> {
    /// Returns the object that the result was read from, if that and all blocks in it have the shape of this API.
    pub(super) fn own_fields(&self, dialect: Dialect) -> Option<&'c Map<String, Value>> {
        let own = |block: &Block<'_>| {
            let plain = block.source.dialect == Dialect::Neutral && matches!(block.kind, BlockKind::Text(_));
            plain || block.source.dialect == dialect
        };
        self.source.fields.filter(|_| self.source.dialect == dialect && self.blocks.iter().all(own))
    }
}

/// A block of a message.
#[derive(Debug)]
pub(super) struct Block<'c> {
    pub kind: BlockKind<'c>,
    pub source: BlockSource<'c>,
}

/// The object that was read, with the API that defines its shape.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockSource<'c> {
    pub dialect: Dialect,
    pub fields: Option<&'c Map<String, Value>>,
}

/// The API that defines the shape of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dialect {
    /// The shape of this project's messages, which is also the shape of a text in several APIs.
    #[default]
    Neutral,
    Anthropic,
    OpenAiChat,
    OpenAiResponses,
}

#[derive(Debug)]
pub(super) enum BlockKind<'c> {
    Text(Cow<'c, str>),
    Image(Media<'c>),
    Document {
        media: Media<'c>,
        name: Option<&'c str>,
    },
    Reasoning(Reasoning<'c>),
    Call {
        id: &'c str,
        name: &'c str,
        arguments: Arguments<'c>,
        signature: Option<&'c str>,
    },
    /// A block whose type only its own API knows.
    Other(&'c str),
}

/// The data of an image or a document.
#[derive(Clone, Copy, Debug)]
pub(super) enum Media<'c> {
    Base64 {
        media_type: &'c str,
        data: &'c str,
    },
    Url(&'c str),
    File(&'c str),
    /// The text of a document.
    Text(&'c str),
}

impl Media<'_> {
    /// Returns the address of an image; `None` for a file of another service.
    pub(super) fn url(self) -> Option<String> {
        match self {
            Media::Base64 { media_type, data } => Some(format!("data:{media_type};base64,{data}")),
            Media::Url(url) => Some(url.to_owned()),
            Media::File(_) | Media::Text(_) => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Reasoning<'c> {
    pub text: &'c str,
    /// The signature or the encrypted content.
    pub signature: Option<&'c str>,
    pub redacted: bool,
    /// The vendor that signed it; `Unknown` where the message does not have it.
    pub vendor: Vendor,
}

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arguments<'c> {
    Value(&'c Value),
    /// JSON as text, as `OpenAI` writes it.
    Text(&'c str),
    /// The input of a tool that takes any text.
    Input(&'c str),
}

impl<'c> Arguments<'c> {
    /// Returns the object, unchanged where it came as text. What is no object is reported, and becomes the value of `arguments`.
    pub(super) fn object(self, message: Option<usize>, report: &mut Report) -> Json<'c> {
        match self {
            Arguments::Value(value) if value.is_object() => return value.into(),
            Arguments::Input(text) => return object! { "input": text },
            Arguments::Text(text) if text.trim().is_empty() => return object! {},
            Arguments::Text(text) => match serde_json::from_str::<&RawValue>(text) {
                Ok(raw) if raw.get().starts_with('{') => return Json::Raw(raw),
                _ => {}
            },
            Arguments::Value(_) => {}
        }
        let text = self.text();
        let what = format!("the arguments of a call are no JSON object: `{}`", shown(&text));
        report.add(DiagnosticCode::RequestRefused, message, what);
        object! { "arguments": text }
    }

    /// Returns true if they are an object already.
    pub(super) fn is_object(self) -> bool {
        matches!(self, Arguments::Value(Value::Object(_)))
    }

    /// Returns the JSON as text.
    pub(super) fn text(self) -> Cow<'c, str> {
        match self {
            Arguments::Text(text) => Cow::Borrowed(text),
            Arguments::Value(value) => Cow::Owned(value.to_string()),
            Arguments::Input(text) => Cow::Owned(json!({ "input": text }).to_string()),
        }
    }
}

/// Reads the messages of a request. Calls without a result, results without a call and ids that occur twice are reported.
pub(super) fn read<'c>(content: &RequestContent<'c>, report: &mut Report) -> Vec<HistoryEntry<'c>> {
    let mut items = Vec::with_capacity(content.messages.len());
    for message in content.messages {
        read_message(message, &mut items);
        let at = message.origin.message;
        if at < content.target.reasoning_from
            && let Some(HistoryEntry { kind: HistoryEntryKind::Assistant(blocks), .. }) = items.last_mut()
        {
            let all = blocks.len();
            blocks.retain(|block| !matches!(block.kind, BlockKind::Reasoning(_)));
            if blocks.len() < all {
                let what = "reasoning that was made behind another prompt is left out";
                report.add(DiagnosticCode::RequestLeftOut, at, what);
            }
        }
    }
    let names = check_calls(&items, report);
    for item in &mut items {
        if let HistoryEntryKind::Result(result) = &mut item.kind {
            result.name = result.name.or_else(|| names.get(result.id).copied());
        }
    }
    items
}

fn read_message<'c>(message: &'c ModelMessage, items: &mut Vec<HistoryEntry<'c>>) {
    let fields = message.fields();
    let at = Some(message.origin.message);
    let mut push = |kind| items.push(HistoryEntry { message: at, fields: Some(fields), kind });
    match message.role() {
        ModelRole::System => push(HistoryEntryKind::System(Instructions {
            texts: texts(fields.get("content")),
            one_turn: fields.get("clear_at").is_some_and(|until| until == CLEAR_AT),
        })),
        ModelRole::Assistant => push(HistoryEntryKind::Assistant(assistant(fields))),
        ModelRole::ToolResult => push(HistoryEntryKind::Result(result_message(fields))),
        ModelRole::User => {
            let read = content(fields.get("content"), Vendor::Unknown);
            if !read.iter().any(is_result) && !read.is_empty() {
                return push(HistoryEntryKind::User(read));
            }
            // Results in a message of the user, as Anthropic has them, are elements of their own.
            let mut blocks = Vec::new();
            for block in read {
                let Some(result) = tool_result(&block) else {
                    blocks.push(block);
                    continue;
                };
                if !blocks.is_empty() {
                    push(HistoryEntryKind::User(std::mem::take(&mut blocks)));
                }
                push(HistoryEntryKind::Result(result));
            }
            if !blocks.is_empty() {
                push(HistoryEntryKind::User(blocks));
            }
        }
    }
}

fn texts(content: Option<&Value>) -> Vec<Cow<'_, str>> {
    let blocks = self::content(content, Vendor::Unknown);
    blocks
        .into_iter()
        .filter_map(|block| match block.kind {
            BlockKind::Text(text) => Some(text),
            _ => None,
        })
        .collect()
}

fn assistant(fields: &Map<String, Value>) -> Vec<Block<'_>> {
    let vendor = vendor(fields);
    if is_item(fields) {
        // An item of OpenAI's Responses API.
        return vec![block(fields, vendor)];
    }
    let mut blocks = Vec::new();
    if let Some(text) = ["reasoning_content", "reasoning"].iter().find_map(|key| string(fields, key)) {
        let reasoning = Reasoning { text, signature: None, redacted: false, vendor };
        blocks.push(Block { kind: BlockKind::Reasoning(reasoning), source: BlockSource::default() });
    }
    blocks.append(&mut content(fields.get("content"), vendor));
    let refusal = string(fields, "refusal").filter(|text| !text.is_empty());
    blocks.extend(
        refusal.map(|text| Block { kind: BlockKind::Text(text.into()), source: BlockSource::default() }),
    );
    let calls = fields.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    blocks.extend(calls.filter_map(Value::as_object).map(|call| {
        let function = ["function", "custom"].iter().find_map(|key| call.get(*key)?.as_object());
        let kind = match function {
            Some(function) => BlockKind::Call {
                id: string(call, "id").unwrap_or_default(),
                name: string(function, "name").unwrap_or_default(),
                arguments: arguments(function, &["arguments"]),
                signature: None,
            },
            None => BlockKind::Other(string(call, "type").unwrap_or("tool_call")),
        };
        Block { kind, source: BlockSource { dialect: Dialect::OpenAiChat, fields: Some(call) } }
    }));
    blocks
}

/// A message of role `toolResult` or `tool`, or an item `function_call_output`.
fn result_message(fields: &Map<String, Value>) -> ToolResult<'_> {
    let responses = is_item(fields);
    let keys: &[&str] = if responses { &["call_id", "id"] } else { &["toolCallId", "tool_call_id"] };
    let id = keys.iter().find_map(|key| string(fields, key));
    let dialect = match () {
        () if responses => Dialect::OpenAiResponses,
        () if fields.contains_key("tool_call_id") => Dialect::OpenAiChat,
        () => Dialect::Neutral,
    };
    ToolResult {
        id: id.unwrap_or_default(),
        name: string(fields, "toolName"),
        blocks: content(fields.get(if responses { "output" } else { "content" }), Vendor::Unknown),
        is_error: fields.get("isError").and_then(Value::as_bool).unwrap_or_default(),
        source: BlockSource { dialect, fields: Some(fields) },
    }
}

/// A block `tool_result` of Anthropic's.
fn tool_result<'c>(block: &Block<'c>) -> Option<ToolResult<'c>> {
    let fields = block.source.fields.filter(|_| is_result(block))?;
    Some(ToolResult {
        id: string(fields, "tool_use_id").unwrap_or_default(),
        name: None,
        blocks: content(fields.get("content"), Vendor::Anthropic),
        is_error: fields.get("is_error").and_then(Value::as_bool).unwrap_or_default(),
        source: block.source,
    })
}

fn is_result(block: &Block<'_>) -> bool {
    matches!(block.kind, BlockKind::Other("tool_result"))
}

fn content(content: Option<&Value>, vendor: Vendor) -> Vec<Block<'_>> {
    match content {
        Some(Value::String(text)) => {
            vec![Block { kind: BlockKind::Text(text.into()), source: BlockSource::default() }]
        }
        Some(Value::Array(blocks)) => {
            // The exact size: a vector that grows begins with four blocks, and most messages have one.
            let mut read = Vec::with_capacity(blocks.len());
            read.extend(blocks.iter().filter_map(Value::as_object).map(|fields| block(fields, vendor)));
            read
        }
        Some(Value::Object(fields)) => vec![block(fields, vendor)],
        _ => Vec::new(),
    }
}

/// Reads a block of any API. `vendor` is the one that made the message, where that is known.
fn block(fields: &Map<String, Value>, vendor: Vendor) -> Block<'_> {
    use Dialect::{Anthropic, Neutral, OpenAiChat, OpenAiResponses};
    let get = |key| string(fields, key).unwrap_or_default();
    let kind = get("type");
    let (dialect, kind) = match kind {
        "text" => (Neutral, BlockKind::Text(get("text").into())),
        "input_text" | "output_text" => (OpenAiResponses, BlockKind::Text(get("text").into())),
        "refusal" => (OpenAiResponses, BlockKind::Text(get("refusal").into())),
        // The summary of Anthropic has its text; that of OpenAI is encrypted.
        "compaction" if fields.contains_key("content") => (Anthropic, BlockKind::Other(kind)),
        "image" => match fields.get("source").and_then(Value::as_object) {
            Some(source) => (Anthropic, media(source).map_or(BlockKind::Other(kind), BlockKind::Image)),
            None => (Neutral, base64(fields).map_or(BlockKind::Other(kind), BlockKind::Image)),
        },
        "image_url" => {
            let url =
                fields.get("image_url").and_then(Value::as_object).and_then(|image| string(image, "url"));
            (OpenAiChat, url.map_or(BlockKind::Other(kind), |url| BlockKind::Image(from_url(url))))
        }
        "input_image" => {
            let media = match (string(fields, "image_url"), string(fields, "file_id")) {
                (Some(url), _) => Some(from_url(url)),
                (None, file) => file.map(Media::File),
            };
            (OpenAiResponses, media.map_or(BlockKind::Other(kind), BlockKind::Image))
        }
        "document" => match fields.get("source").and_then(Value::as_object) {
            Some(source) => {
                let name = string(fields, "title");
                (
                    Anthropic,
                    media(source).map_or(BlockKind::Other(kind), |media| BlockKind::Document { media, name }),
                )
            }
            None => {
                let name = string(fields, "name");
                (
                    Neutral,
                    base64(fields)
                        .map_or(BlockKind::Other(kind), |media| BlockKind::Document { media, name }),
                )
            }
        },
        "file" => match fields.get("file").and_then(Value::as_object) {
            Some(file) => (OpenAiChat, openai_file(file).unwrap_or(BlockKind::Other(kind))),
            None => (Neutral, BlockKind::Other(kind)),
        },
        "input_file" => (OpenAiResponses, openai_file(fields).unwrap_or(BlockKind::Other(kind))),
        "thinking"
            if fields.contains_key("signature")
                || !fields.contains_key("thinkingSignature") && vendor == Vendor::Anthropic =>
        {
            let (text, signature) = (get("thinking"), string(fields, "signature"));
            let reasoning = Reasoning { text, signature, redacted: false, vendor: Vendor::Anthropic };
            (Anthropic, BlockKind::Reasoning(reasoning))
        }
        "thinking" => {
            let redacted = fields.get("redacted").and_then(Value::as_bool).unwrap_or_default();
            let (signature, vendor) = match (string(fields, "thinkingSignature"), vendor) {
                (None, _) if fields.contains_key("thoughtSignature") => {
                    (string(fields, "thoughtSignature"), Vendor::Google)
                }
                // An item of OpenAI's as text.
                (Some(item), Vendor::Unknown) if item.starts_with('{') => (Some(item), Vendor::OpenAi),
                (signature, vendor) => (signature, vendor),
            };
            (Neutral, BlockKind::Reasoning(Reasoning { text: get("thinking"), signature, redacted, vendor }))
        }
        "redacted_thinking" => {
            let (text, signature) = ("", string(fields, "data"));
            let reasoning = Reasoning { text, signature, redacted: true, vendor: Vendor::Anthropic };
            (Anthropic, BlockKind::Reasoning(reasoning))
        }
        "reasoning" => {
            let signature = string(fields, "encrypted_content");
            let reasoning = Reasoning { text: "", signature, redacted: true, vendor: Vendor::OpenAi };
            (OpenAiResponses, BlockKind::Reasoning(reasoning))
        }
        "toolCall" => {
            let (id, name, signature) = (get("id"), get("name"), string(fields, "thoughtSignature"));
            let arguments = arguments(fields, &["arguments"]);
            (Neutral, BlockKind::Call { id, name, arguments, signature })
        }
        "tool_use" => {
            let (id, name) = (get("id"), get("name"));
            (
                Anthropic,
                BlockKind::Call { id, name, arguments: json_arguments(fields.get("input")), signature: None },
            )
        }
        // Calls of tools that the service runs itself have no id for a result.
        _ if kind.ends_with("_call") && fields.contains_key("call_id") => {
            let name = string(fields, "name").unwrap_or(kind.trim_end_matches("_call"));
            let arguments = arguments(fields, &["arguments", "action", "operation"]);
            (OpenAiResponses, BlockKind::Call { id: get("call_id"), name, arguments, signature: None })
        }
        kind if is_item(fields) => (OpenAiResponses, BlockKind::Other(kind)),
        "input_audio" => (OpenAiChat, BlockKind::Other(kind)),
        kind => (Anthropic, BlockKind::Other(kind)),
    };
    Block { kind, source: BlockSource { dialect, fields: Some(fields) } }
}

/// Returns the arguments of a call: the first of the keys, or the text for a tool that takes any.
fn arguments<'c>(call: &'c Map<String, Value>, keys: &[&str]) -> Arguments<'c> {
    match string(call, "input") {
        Some(text) => Arguments::Input(text),
        None => json_arguments(keys.iter().find_map(|key| call.get(*key))),
    }
}

fn json_arguments(value: Option<&Value>) -> Arguments<'_> {
    match value {
        Some(Value::String(text)) => Arguments::Text(text),
        Some(value) => Arguments::Value(value),
        None => Arguments::Text(""),
    }
}

/// `{data, mimeType}`
fn base64(fields: &Map<String, Value>) -> Option<Media<'_>> {
    let data = string(fields, "data")?;
    let media_type = string(fields, "mimeType").or_else(|| string(fields, "media_type"))?;
    Some(Media::Base64 { media_type, data })
}

/// The `source` of an image or document of Anthropic's.
fn media(source: &Map<String, Value>) -> Option<Media<'_>> {
    match string(source, "type")? {
        "base64" => base64(source),
        "url" => string(source, "url").map(Media::Url),
        "file" => string(source, "file_id").map(Media::File),
        "text" => string(source, "data").map(Media::Text),
        _ => None,
    }
}

fn openai_file(file: &Map<String, Value>) -> Option<BlockKind<'_>> {
    let name = string(file, "filename");
    let media = match (string(file, "file_data"), string(file, "file_url"), string(file, "file_id")) {
        (Some(data), ..) => from_url(data),
        (None, Some(url), _) => Media::Url(url),
        (None, None, id) => Media::File(id?),
    };
    Some(BlockKind::Document { media, name })
}

/// Reads a `data:` address as what it contains.
fn from_url(url: &str) -> Media<'_> {
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    inline.map_or(Media::Url(url), |(media_type, data)| Media::Base64 { media_type, data })
}

pub(super) fn string<'c>(fields: &'c Map<String, Value>, key: &str) -> Option<&'c str> {
    fields.get(key)?.as_str()
}

/// Returns the vendor that an agent recorded with a message of the model.
fn vendor(fields: &Map<String, Value>) -> Vendor {
    let word = string(fields, "api").or_else(|| string(fields, "provider")).unwrap_or_default();
    let known = [
        ("anthropic", Vendor::Anthropic),
        ("bedrock", Vendor::Anthropic),
        ("openai", Vendor::OpenAi),
        ("azure-openai", Vendor::OpenAi),
        ("google", Vendor::Google),
        ("gemini", Vendor::Google),
    ];
    known
        .into_iter()
        .find(|(prefix, _)| word.starts_with(prefix))
        .map_or(Vendor::Unknown, |(_, vendor)| vendor)
}

/// Reports calls and results that do not belong together, and returns the name of each call by its id. Calls without an id, as
/// Gemini may have them, are not compared.
fn check_calls<'c>(items: &[HistoryEntry<'c>], report: &mut Report) -> BTreeMap<&'c str, &'c str> {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for item in items {
        let at = item.message.unwrap_or_default();
        match &item.kind {
            HistoryEntryKind::Assistant(blocks) => {
                for block in blocks {
                    let BlockKind::Call { id, name, .. } = block.kind else { continue };
                    if id.is_empty() {
                        continue;
                    }
                    if names.insert(id, name).is_some() {
                        let what = format!("the id `{}` belongs to an earlier call", shown(id));
                        report.add(DiagnosticCode::RequestRefused, at, what);
                    }
                    open.insert(id, at);
                    order.push(id);
                }
            }
            HistoryEntryKind::Result(result) if result.id.is_empty() => {}
            HistoryEntryKind::Result(result) => {
                if open.remove(result.id).is_none() {
                    let id = shown(result.id);
                    let what = if names.contains_key(result.id) {
                        format!("the call `{id}` has a result already, or another message came between")
                    } else {
                        format!("no call before it has the id `{id}`")
                    };
                    report.add(DiagnosticCode::RequestUnpairedCall, at, what);
                }
            }
            HistoryEntryKind::User(_) => report_calls_without_result(&mut open, &mut order, report),
            HistoryEntryKind::System(_) => {}
        }
    }
    report_calls_without_result(&mut open, &mut order, report);
    names
}

fn report_calls_without_result<'c>(
    open: &mut BTreeMap<&'c str, usize>,
    order: &mut Vec<&'c str>,
    report: &mut Report,
) {
    for id in order.drain(..) {
        if let Some(at) = open.remove(id) {
            let what = format!("the call `{}` has no result", shown(id));
            report.add(DiagnosticCode::RequestUnpairedCall, at, what);
        }
    }
}
