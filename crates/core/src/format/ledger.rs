//! The ledger of a conversation: the blocks of each request by digest and length, without text, and where a request stops
//! being an extension of the one before.

use super::{FormattedRequest, RequestContent, json::Json};
use crate::{
    attachment::PlacedAttachment,
    diagnostic::{Diagnostic, DiagnosticCode},
    model::{Model, PrefixCheck},
    origin::Origin,
    settings::shown,
    variable::Stability,
};
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, fmt};

/// One request of a conversation, as it is recorded. It has no text but that of attachments.
///
/// ```
/// use preface_core::format::RequestRecord;
/// let json = r#"{"format":"anthropic","model":"claude-opus-5-5","blocks":[
///     {"place":{"kind":"message","index":0,"role":"user"},"bytes":26,"digest":"af1349b9f5f9a1a6"}]}"#;
/// let record: RequestRecord = serde_json::from_str(json).unwrap();
/// assert!(record.compare(&record).extends);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RequestRecord {
    /// The format of the body.
    pub format: String,
    /// The name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The blocks, in the order in which services read them: tools, parts of the prompt, messages.
    pub blocks: Vec<RequestBlock>,
    /// The attachments that got their place in this request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<PlacedAttachment>,
    /// What the service counted, as the caller reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<RequestUsage>,
}

/// One block of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RequestBlock {
    /// Its place in the request.
    pub place: BlockPlace,
    /// The bytes of its JSON, or of its text for a part of the prompt.
    pub bytes: usize,
    /// The first 16 hexadecimal digits of its BLAKE3 digest. Cache marks, which move without an effect, are not part of it.
    pub digest: String,
}

/// The place of a block in a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum BlockPlace {
    /// A tool definition.
    Tool {
        /// The name of the tool.
        name: String,
    },
    /// A part of the prompt.
    Part {
        /// The section of the part.
        section: String,
        /// The stability of its bytes.
        stability: Stability,
        /// The origins of its text, for people.
        origins: Vec<String>,
    },
    /// A block of a message, or an item of an input list.
    Message {
        /// The position of the message in the body.
        index: usize,
        /// The role of the message; empty where the format has items of several kinds.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        role: String,
    },
}

/// What a service counted for one request. Each vendor's own numbers are read as these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RequestUsage {
    /// All tokens of the request, cached ones included.
    pub input_tokens: u64,
    /// The tokens that were read from the cache.
    pub cache_read_tokens: u64,
    /// The tokens that were written to the cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// The tokens of the answer.
    #[serde(default)]
    pub output_tokens: u64,
}

/// The comparison of a request with the one before.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PrefixComparison {
    /// True if every block of the earlier request is the beginning of the later one.
    pub extends: bool,
    /// The blocks and bytes that both begin with.
    pub common_blocks: usize,
    /// The bytes of these blocks.
    pub common_bytes: usize,
    /// The bytes of all blocks of the earlier request.
    pub earlier_bytes: usize,
    /// The first difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<PrefixChange>,
}

/// The first difference of two requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PrefixChange {
    /// The reason in the words of the vendor: `tools_changed`, `system_changed`, `messages_changed`, `input_changed`, `model_changed`.
    pub reason: &'static str,
    /// What changed: a tool, a part of the prompt with its origins, or a message.
    pub what: String,
}

impl fmt::Display for PrefixChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (`{}`)", self.what, self.reason)
    }
}

impl RequestRecord {
    /// Records a request that was formatted with [`RequestTarget::digests`](super::RequestTarget::digests).
    #[must_use]
    pub fn of(format: &str, content: &RequestContent<'_>, request: &FormattedRequest) -> Self {
        RequestRecord {
            format: format.to_owned(),
            model: content.target.model.map(str::to_owned),
            blocks: request.blocks.clone(),
            attachments: request.attachments.clone(),
            usage: None,
        }
    }

    /// Compares a later request with this one, and reports what a service that caches or checks prefixes would see.
    #[must_use]
    pub fn check(&self, later: &RequestRecord, model: &Model) -> Option<Diagnostic> {
        let comparison = self.compare(later);
        let change = comparison.change?;
        let kept = comparison.common_bytes * 100 / comparison.earlier_bytes.max(1);
        let what = format!(
            "the request does not extend the last one: {change}; the first {kept} % of the last one are unchanged"
        );
        let help = match model.checks_prefix {
            PrefixCheck::Always => {
                "the service refuses reasoning that was made behind another beginning; leave it out, or undo the change"
            }
            PrefixCheck::NewAccounts => {
                "for accounts made since 2026-08-31 the service refuses reasoning that was made behind another beginning"
            }
            PrefixCheck::Never => {
                "only the cache is lost; `preface conversation history ID --requests` lists the requests"
            }
        };
        Some(Diagnostic::warning(DiagnosticCode::PrefixChanged, what).help(help))
    }

    /// Compares a later request with this one.
    #[must_use]
    pub fn compare(&self, later: &RequestRecord) -> PrefixComparison {
        let common = self.blocks.iter().zip(&later.blocks).take_while(|(a, b)| a == b).count();
        let bytes = |blocks: &[RequestBlock]| blocks.iter().map(|block| block.bytes).sum();
        let change = if self.model != later.model || self.format != later.format {
            let name = |record: &RequestRecord| match &record.model {
                Some(model) => format!("`{}`", shown(model)),
                None => format!("no model, in the format `{}`", record.format),
            };
            let what = format!("the model is {}; before it was {}", name(later), name(self));
            Some(PrefixChange { reason: "model_changed", what })
        } else {
            self.blocks.get(common).map(|before| change(&self.format, before, later.blocks.get(common)))
        };
        PrefixComparison {
            extends: change.is_none(),
            common_blocks: common,
            common_bytes: bytes(&self.blocks[..common]),
            earlier_bytes: bytes(&self.blocks),
            change,
        }
    }
}

/// The most origins that a change names.
const ORIGINS: usize = 3;

fn change(format: &str, before: &RequestBlock, after: Option<&RequestBlock>) -> PrefixChange {
    use BlockPlace::{Message, Part, Tool};
    let openai = format.starts_with("openai");
    let system = if openai { "input_changed" } else { "system_changed" };
    let messages = if openai { "input_changed" } else { "messages_changed" };
    let after = after.map(|after| &after.place);
    let of = |origins: &[&String]| {
        let named: Vec<&str> = origins.iter().take(ORIGINS).map(|origin| origin.as_str()).collect();
        match origins.len() {
            0 => String::new(),
            count if count > ORIGINS => format!(", from {} and {} more", named.join(", "), count - ORIGINS),
            _ => format!(", from {}", named.join(", ")),
        }
    };
    let all = |origins: &[String]| of(&origins.iter().collect::<Vec<_>>());
    let (reason, what) = match (&before.place, after) {
        (Tool { name }, Some(Tool { name: now })) if name == now => {
            ("tools_changed", format!("the definition of the tool `{}` changed", shown(name)))
        }
        (Tool { name }, Some(Tool { name: now })) => {
            let what = format!("the tool `{}` is in the place of `{}`", shown(now), shown(name));
            ("tools_changed", what)
        }
        (Tool { name }, _) => ("tools_changed", format!("the tool `{}` is gone", shown(name))),
        (_, Some(Tool { name })) => ("tools_changed", format!("the tool `{}` is new", shown(name))),
        (Part { section, origins: before, .. }, Some(Part { section: now, origins, .. }))
            if section == now =>
        {
            // What only one of them has is the reason; else it is one of all.
            let mut only: Vec<&String> = origins.iter().filter(|origin| !before.contains(origin)).collect();
            only.extend(before.iter().filter(|origin| !origins.contains(origin)));
            let from = if only.is_empty() { all(origins) } else { of(&only) };
            (system, format!("the section `{section}` changed{from}"))
        }
        (Part { section, .. }, Some(Part { section: now, origins, .. })) => {
            (system, format!("the section `{now}`{} is in the place of `{section}`", all(origins)))
        }
        (Part { section, .. }, _) => (system, format!("the section `{section}` is gone")),
        (_, Some(Part { section, origins, .. })) => {
            (system, format!("the section `{section}`{} is new", all(origins)))
        }
        (Message { index, role }, Some(Message { .. })) => {
            let role = if role.is_empty() { String::new() } else { format!(" (role `{role}`)") };
            (messages, format!("`messages[{index}]`{role} changed"))
        }
        (Message { index, .. }, None) => (messages, format!("`messages[{index}]` is gone, or a part of it")),
    };
    PrefixChange { reason, what }
}

impl RequestUsage {
    /// Reads the numbers of a service: `usage` of Anthropic, `OpenAI` or Bedrock, `usageMetadata` of Gemini, or numbers with the
    /// names of this type.
    ///
    /// ```
    /// use preface_core::format::RequestUsage;
    /// let anthropic = serde_json::json!({ "input_tokens": 10, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 90 });
    /// let openai = serde_json::json!({ "input_tokens": 1000, "input_tokens_details": { "cached_tokens": 900, "cache_write_tokens": 90 } });
    /// assert_eq!(RequestUsage::read(&anthropic), RequestUsage::read(&openai));
    /// assert_eq!(RequestUsage::read(&serde_json::json!({})), None);
    /// ```
    #[must_use]
    pub fn read(value: &serde_json::Value) -> Option<RequestUsage> {
        let get = |path: &str| value.pointer(path).and_then(serde_json::Value::as_u64);
        let first = |paths: &[&str]| paths.iter().find_map(|path| get(path));
        let read = first(&[
            "/cache_read_tokens",
            "/cache_read_input_tokens",
            "/input_tokens_details/cached_tokens",
            "/prompt_tokens_details/cached_tokens",
            "/cachedContentTokenCount",
            "/cacheReadInputTokens",
        ]);
        let write = first(&[
            "/cache_write_tokens",
            "/cache_creation_input_tokens",
            "/input_tokens_details/cache_write_tokens",
            "/prompt_tokens_details/cache_write_tokens",
            "/cacheWriteInputTokens",
        ]);
        let input = first(&["/input_tokens", "/prompt_tokens", "/promptTokenCount", "/inputTokens"])?;
        let output =
            first(&["/output_tokens", "/completion_tokens", "/candidatesTokenCount", "/outputTokens"]);
        let (read, write) = (read.unwrap_or_default(), write.unwrap_or_default());
        // Anthropic and Bedrock count only the rest as input.
        let apart = ["/cache_read_input_tokens", "/cache_creation_input_tokens", "/cacheReadInputTokens"];
        let apart = first(&apart).is_some();
        Some(RequestUsage {
            input_tokens: if apart { input.saturating_add(read).saturating_add(write) } else { input },
            cache_read_tokens: read,
            cache_write_tokens: write,
            output_tokens: output.unwrap_or_default(),
        })
    }
}

/// Returns the blocks of a request whose messages have a role and blocks.
pub(super) fn of_messages(
    content: &RequestContent<'_>,
    tools: &[Json<'_>],
    messages: &[(&'static str, Vec<Json<'_>>)],
) -> Vec<RequestBlock> {
    let messages = messages.iter().enumerate();
    let blocks_of = messages.flat_map(|(at, (role, list))| list.iter().map(move |block| (at, *role, block)));
    blocks(content, tools, blocks_of)
}

/// Returns the blocks of a request whose messages are one list of items. The first of them is the prompt, if there is one.
pub(super) fn of_items(
    content: &RequestContent<'_>,
    tools: &[Json<'_>],
    items: &[Json<'_>],
) -> Vec<RequestBlock> {
    let prompt = usize::from(!content.prompt.text.is_empty());
    blocks(content, tools, items.iter().enumerate().skip(prompt).map(|(at, item)| (at, "", item)))
}

/// Returns the blocks of a request. `messages` are position, role and JSON of each block of a message.
fn blocks<'b, 'c: 'b>(
    content: &RequestContent<'_>,
    tools: &[Json<'_>],
    messages: impl Iterator<Item = (usize, &'static str, &'b Json<'c>)>,
) -> Vec<RequestBlock> {
    if !content.target.digests {
        return Vec::new();
    }
    let mut buffer = Vec::new();
    let mut rows = Vec::new();
    rows.extend(content.tools.iter().zip(tools).map(|(tool, json)| {
        let (bytes, digest) = digest(json, &mut buffer);
        RequestBlock { place: BlockPlace::Tool { name: tool.name.clone() }, bytes, digest }
    }));
    rows.extend(content.prompt.parts.iter().filter(|part| !part.range.is_empty()).map(|part| {
        let text = content.prompt.text_of(part);
        let spans = part.spans.iter().map(|span| &span.origin).filter(|origin| !origin.is_separator());
        let mut sources: Vec<&Origin> = spans.collect();
        // What changes most is named first.
        sources.sort_by_key(|origin| Reverse(origin.change_rank()));
        let mut origins: Vec<String> = Vec::new();
        for origin in sources {
            let origin = origin.to_string();
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        let section = part.section.to_string();
        RequestBlock {
            place: BlockPlace::Part { section, stability: part.stability, origins },
            bytes: text.len(),
            digest: blake3::hash(text.as_bytes()).to_hex()[..16].to_owned(),
        }
    }));
    rows.extend(messages.map(|(index, role, json)| {
        let (bytes, digest) = digest(json, &mut buffer);
        RequestBlock { place: BlockPlace::Message { index, role: role.to_owned() }, bytes, digest }
    }));
    rows
}

fn digest(json: &Json<'_>, buffer: &mut Vec<u8>) -> (usize, String) {
    buffer.clear();
    // Strings, numbers and objects with string keys are always JSON.
    let _ = serde_json::to_writer(&mut *buffer, &json.without_mark());
    (buffer.len(), blake3::hash(buffer).to_hex()[..16].to_owned())
}
