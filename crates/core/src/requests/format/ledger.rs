//! The ledger of a conversation: the blocks of each request by digest and length, without text, and where a request stops
//! being an extension of the one before.

use super::{FormattedRequest, RequestContent, json::Json, turns::FormattedTurn};
use crate::{
    attachment::PlacedAttachment,
    diagnostic::{Diagnostic, DiagnosticCode, Remedy},
    model::{CacheMarks, Model, PrefixCheck},
    origin::{Origin, Span},
    settings::shown,
    variable::Stability,
};
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, collections::BTreeSet, fmt};

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
    /// The positions of the blocks that have a cache mark behind them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<usize>,
    /// The attachments that got their place in this request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<PlacedAttachment>,
    /// The bytes that the service can read from the cache that the request before left, see [`RequestRecord::readable`]; `None` for
    /// the first request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readable: Option<usize>,
    /// The usage that the service counted, as the caller reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<RequestUsage>,
}

/// One block of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RequestBlock {
    /// The place of the block in the request.
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
        /// The first 8 hexadecimal digits of the BLAKE3 digest of what each origin has of the text.
        digests: Vec<String>,
    },
    /// A block of a message, or an item of an input list.
    Message {
        /// The position of the message in the body.
        index: usize,
        /// The role of the message; empty for an item that is no message.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        role: String,
        /// True for instructions that the service shows for one turn: no cache mark is behind them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        one_turn: bool,
    },
}

/// The usage that a service counted for one request. Each vendor's own numbers are read as these.
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
    /// The subject of the change: a tool, a part of the prompt with its origins, or a message.
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
            marks: request.marks.clone(),
            attachments: request.attachments.clone(),
            readable: None,
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
                "the service refuses reasoning that was made behind another beginning; leave it out, or undo the change".into()
            }
            PrefixCheck::NewAccounts => {
                "for accounts made since 2026-08-31 the service refuses reasoning that was made behind another beginning".into()
            }
            PrefixCheck::Never => Remedy::command(
                "only the cache is lost; look at the requests",
                "conversation history ID --requests",
            ),
        };
        Some(Diagnostic::warning(DiagnosticCode::PrefixChanged, what).help(help))
    }

    /// Compares a later request with this one.
    #[must_use]
    pub fn compare(&self, later: &RequestRecord) -> PrefixComparison {
        // Bodies of two formats have nothing in common, whatever their texts.
        let blocks = self.blocks.iter().zip(&later.blocks);
        let common = blocks.take_while(|(a, b)| a == b && self.format == later.format).count();
        let bytes = |blocks: &[RequestBlock]| blocks.iter().map(|block| block.bytes).sum();
        let change = if self.model != later.model || self.format != later.format {
            let name = |record: &RequestRecord| match &record.model {
                Some(model) => format!("`{}`", shown(model)),
                None => "none".to_owned(),
            };
            let what = match self.format == later.format {
                true => format!("the model is {}; before it was {}", name(later), name(self)),
                false => format!("the format is `{}`; before it was `{}`", later.format, self.format),
            };
            Some(PrefixChange { reason: MODEL_CHANGED, what })
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

impl RequestRecord {
    /// Returns the bytes of a later request that the service can read from the cache that this one left: what both begin with, up
    /// to the last mark of this one, or in the steps in which the service caches by itself; 0 below the minimum of the model. A
    /// token counts as four bytes. The time between the two is not considered.
    #[must_use]
    pub fn readable(&self, later: &RequestRecord, model: &Model) -> usize {
        let comparison = self.compare(later);
        if comparison.change.as_ref().is_some_and(|change| change.reason == MODEL_CHANGED) {
            // Another model, or another service, has no cache of it.
            return 0;
        }
        let common = comparison.common_bytes;
        let readable = match model.cache_marks {
            _ if model.cache_ttl.is_empty() => 0,
            CacheMarks::CacheControl => {
                let end_of = |last: &usize| self.blocks.iter().take(last + 1).map(|block| block.bytes).sum();
                let unchanged = |last: &&usize| **last < comparison.common_blocks;
                self.marks.iter().filter(unchanged).map(end_of).max().unwrap_or(0)
            }
            CacheMarks::Breakpoint | CacheMarks::None => common - common % (CACHE_STEP * BYTES_OF_TOKEN),
        };
        if readable >= model.cache_minimum * BYTES_OF_TOKEN { readable } else { 0 }
    }
}

/// The bytes of a token, where nothing counts them.
const BYTES_OF_TOKEN: usize = 4;

/// The tokens by which a service that finds prefixes by itself moves on.
const CACHE_STEP: usize = 128;

/// The reason of a change of the model or the format.
const MODEL_CHANGED: &str = "model_changed";

/// The most origins that a change names.
const ORIGINS: usize = 3;

fn change(format: &str, before: &RequestBlock, after: Option<&RequestBlock>) -> PrefixChange {
    use BlockPlace::{Message, Part, Tool};
    let openai = format.starts_with("openai");
    let system = if openai { "input_changed" } else { "system_changed" };
    let messages = if openai { "input_changed" } else { "messages_changed" };
    let list = match format {
        "gemini" => "contents",
        "openai-responses" => "input",
        _ => "messages",
    };
    let place = |index: usize, role: &str| {
        let role = if role.is_empty() { String::new() } else { format!(" (role `{role}`)") };
        format!("`{list}[{index}]` of the body{role}")
    };
    let after = after.map(|after| &after.place);
    let of = |origins: &[&String]| {
        let named: Vec<&str> = origins.iter().take(ORIGINS).map(|origin| origin.as_str()).collect();
        match origins.len() {
            0 => String::new(),
            count if count > ORIGINS => format!(" (from {} and {} more)", named.join(", "), count - ORIGINS),
            _ => format!(" (from {})", named.join(", ")),
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
        (
            Part { section, origins: before, digests: texts_before, .. },
            Some(Part { section: now, origins, digests: texts, .. }),
        ) if section == now => {
            // The reason is what only one of them has, or has with another text; else it is one of all origins.
            let text = |digests: &[String], at: usize| digests.get(at).cloned();
            let is_new = |(at, origin): &(usize, &String)| {
                let known = before.iter().position(|known| known == *origin);
                known.is_none_or(|known| text(texts_before, known) != text(texts, *at))
            };
            let new = origins.iter().enumerate().filter(is_new);
            let mut only: Vec<&String> = new.map(|(_, origin)| origin).collect();
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
        (Message { index, role, .. }, Some(Message { .. })) => {
            (messages, format!("{} changed", place(*index, role)))
        }
        (Message { index, role, .. }, None) => {
            (messages, format!("{} is gone, or a part of it", place(*index, role)))
        }
    };
    PrefixChange { reason, what }
}

impl RequestUsage {
    /// Returns the share of the input tokens that the service read from its cache, from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share, not a count")]
    pub fn cache_read_share(self) -> f64 {
        self.cache_read_tokens as f64 / self.input_tokens.max(1) as f64
    }

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
        let input = if apart { input.saturating_add(read).saturating_add(write) } else { input };
        // No service reads more than there is.
        (read <= input).then(|| RequestUsage {
            input_tokens: input,
            cache_read_tokens: read,
            cache_write_tokens: write,
            output_tokens: output.unwrap_or_default(),
        })
    }
}

/// The blocks of a request, and the positions of those with a cache mark behind them.
#[derive(Debug, Default)]
pub(super) struct RequestBlocks {
    pub list: Vec<RequestBlock>,
    pub marks: Vec<usize>,
}

impl RequestBlocks {
    /// Adds the mark that a service sets by itself: behind the last block, but not behind instructions for one turn.
    pub(super) fn mark_end(&mut self) {
        let is_lasting =
            |block: &RequestBlock| !matches!(block.place, BlockPlace::Message { one_turn: true, .. });
        self.marks.extend(self.list.iter().rposition(is_lasting));
    }
}

/// Returns the blocks of a request whose messages have a role and blocks. `system` is the prompt as it is sent.
pub(super) fn of_messages(
    content: &RequestContent<'_>,
    tools: &[Json<'_>],
    system: &[Json<'_>],
    messages: &[FormattedTurn<'_>],
) -> RequestBlocks {
    let messages = messages.iter().enumerate().flat_map(|(index, turn)| {
        let place =
            move || BlockPlace::Message { index, role: turn.role.to_owned(), one_turn: turn.one_turn };
        turn.blocks.iter().map(move |block| (place(), block))
    });
    blocks(content, tools, system, messages)
}

/// Returns the blocks of a request whose messages are one list of items. The first of them is the prompt, if there is one.
pub(super) fn of_items(
    content: &RequestContent<'_>,
    tools: &[Json<'_>],
    items: &[Json<'_>],
) -> RequestBlocks {
    let prompt = usize::from(!content.prompt.text.is_empty());
    let system = items.first().filter(|_| prompt == 1).map_or(&[][..], |message| message.list_at("content"));
    let items = items.iter().enumerate().skip(prompt).map(|(index, item)| {
        let role = item.text_at("role").unwrap_or_default().to_owned();
        (BlockPlace::Message { index, role, one_turn: false }, item)
    });
    blocks(content, tools, system, items)
}

/// Returns the blocks of a request. `messages` are place and JSON of each block of a message. A mark is a field of the block in front
/// of it, or an element of its own.
fn blocks<'b, 'c: 'b>(
    content: &RequestContent<'_>,
    tools: &[Json<'_>],
    system: &[Json<'_>],
    messages: impl Iterator<Item = (BlockPlace, &'b Json<'c>)>,
) -> RequestBlocks {
    if !content.target.digests {
        return RequestBlocks::default();
    }
    let is_mark = |json: &Json<'_>| json.has("cachePoint");
    let has_mark = |json: &Json<'_>| json.has("cache_control") || json.has("prompt_cache_breakpoint");
    let mut buffer = Vec::new();
    let mut rows = Vec::new();
    rows.extend(content.tools.iter().zip(tools).map(|(tool, json)| {
        let (bytes, digest) = digest(json, &mut buffer);
        RequestBlock { place: BlockPlace::Tool { name: tool.name.clone() }, bytes, digest }
    }));
    rows.extend(content.prompt.parts.iter().filter(|part| !part.range.is_empty()).map(|part| {
        let text = content.prompt.text_of(part);
        let mut spans: Vec<&Span> = part.spans.iter().filter(|span| !span.origin.is_separator()).collect();
        // What changes most is named first.
        spans.sort_by_key(|span| Reverse(span.origin.change_rank()));
        let mut origins: Vec<String> = Vec::new();
        let mut texts: Vec<blake3::Hasher> = Vec::new();
        let mut known_literals = BTreeSet::new();
        for span in spans {
            let origin = span.origin.item_source().map_or_else(|| span.origin.to_string(), str::to_owned);
            let at = origins.iter().position(|known| *known == origin).unwrap_or_else(|| {
                origins.push(origin);
                texts.push(blake3::Hasher::new());
                origins.len() - 1
            });
            let piece = text.get(span.range.clone()).unwrap_or_default();
            // The frame of an item is the same, however many items there are.
            let is_literal = matches!(span.origin, Origin::Literal { .. });
            if !is_literal || known_literals.insert((at, piece)) {
                texts[at].update(piece.as_bytes());
            }
        }
        let digests = texts.iter().map(|text| text.finalize().to_hex()[..8].to_owned()).collect();
        let section = part.section.to_string();
        RequestBlock {
            place: BlockPlace::Part { section, stability: part.stability, origins, digests },
            bytes: text.len(),
            digest: blake3::hash(text.as_bytes()).to_hex()[..16].to_owned(),
        }
    }));
    let mut marks = Vec::new();
    let parts = content.prompt.parts.iter().filter(|part| !part.range.is_empty());
    let mut ends = content.prompt.blocks().into_iter().map(|block| block.range.end);
    let mut end = 0;
    for json in system {
        end = if is_mark(json) { end } else { ends.next().unwrap_or_default() };
        if is_mark(json) || has_mark(json) {
            let parts = parts.clone().take_while(|part| part.range.end <= end).count();
            marks.extend((content.tools.len() + parts).checked_sub(1));
        }
    }
    for (place, json) in messages {
        if !is_mark(json) {
            let (bytes, digest) = digest(json, &mut buffer);
            rows.push(RequestBlock { place, bytes, digest });
        }
        if is_mark(json) || has_mark(json) {
            marks.extend(rows.len().checked_sub(1));
        }
    }
    RequestBlocks { list: rows, marks }
}

fn digest(json: &Json<'_>, buffer: &mut Vec<u8>) -> (usize, String) {
    buffer.clear();
    // Strings, numbers and objects with string keys are always JSON.
    let _ = serde_json::to_writer(&mut *buffer, &json.without_mark());
    (buffer.len(), blake3::hash(buffer).to_hex()[..16].to_owned())
}
