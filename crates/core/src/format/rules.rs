//! The rules of each service for a history: the fields of it that are sent, and the requests that are refused.

use super::{
    RequestContent,
    history::{Block, BlockKind, Dialect, HistoryEntry, HistoryEntryKind, Media, string},
    json::Json,
    report::Report,
    turns::FormattedTurn,
};
use crate::{
    diagnostic::DiagnosticCode,
    model::{FoundModel, Vendor},
    settings::shown,
};
use serde_json::{Map, Value};

/// The rules of one service.
#[derive(Debug)]
pub(super) struct HistoryRules {
    /// The lifetimes of cache marks that the service accepts, its default first.
    pub ttls: &'static [&'static str],
    /// The API whose blocks are sent unchanged.
    pub dialect: Dialect,
    /// The fields of messages and of other blocks that are sent as well.
    pub fields: &'static [&'static str],
    /// True if a file that is sent as data has a name.
    pub names_files: bool,
    /// The requests that the service refuses.
    pub refusals: &'static [Refusal],
}

/// A request that a service refuses.
#[derive(Debug)]
pub(super) struct Refusal {
    what: &'static str,
    applies: fn(&SentMessages<'_>) -> bool,
}

/// The messages of a request as a service gets them.
#[derive(Debug)]
struct SentMessages<'s> {
    turns: &'s [FormattedTurn<'s>],
    has_tools: bool,
    model: FoundModel<'s>,
}

pub(super) const ANTHROPIC: HistoryRules = HistoryRules {
    ttls: &["5m", "1h"],
    dialect: Dialect::Anthropic,
    fields: &["cache_control", "citations", "filename", "title"],
    names_files: true,
    refusals: &[NO_MESSAGE, NO_TOOLS, ANSWER_LAST, REASONING_LAST, BLANK_LAST, SHORT_MARK],
};

/// Claude's rules hold behind Converse, which has one more for all models.
pub(super) const BEDROCK: HistoryRules = HistoryRules {
    ttls: &["5m", "1h"],
    dialect: Dialect::Neutral,
    fields: &["context"],
    names_files: false,
    refusals: &[NO_MESSAGE, ANSWER_FIRST, NO_TOOLS, ANSWER_LAST, BLANK_LAST],
};

pub(super) const GEMINI: HistoryRules = HistoryRules {
    ttls: &[],
    dialect: Dialect::Neutral,
    fields: &["thoughtSignature"],
    names_files: false,
    refusals: &[NO_MESSAGE, CALL_FIRST],
};

pub(super) const OPENAI_CHAT: HistoryRules = HistoryRules {
    ttls: &["30m"],
    dialect: Dialect::OpenAiChat,
    fields: &["annotations", "audio", "name", "reasoning_details"],
    names_files: true,
    refusals: &[],
};

pub(super) const COMPATIBLE: HistoryRules = HistoryRules { ttls: &[], names_files: false, ..OPENAI_CHAT };

pub(super) const OPENAI_RESPONSES: HistoryRules = HistoryRules {
    ttls: &["30m", "12h"],
    dialect: Dialect::OpenAiResponses,
    fields: &["phase", "textSignature"],
    names_files: true,
    refusals: &[],
};

/// The fields of messages that are more than what an agent records about them.
const OF_MESSAGE: [&str; 5] = ["annotations", "audio", "name", "phase", "reasoning_details"];

/// The fields of blocks that are read, or mean nothing beyond the service that wrote them.
const READ: [&str; 30] = [
    "action",
    "arguments",
    "call_id",
    "content",
    "custom",
    "data",
    "file",
    "file_data",
    "file_id",
    "file_url",
    "function",
    "id",
    "image_url",
    "input",
    "is_error",
    "media_type",
    "mimeType",
    "name",
    "operation",
    "output",
    "refusal",
    "role",
    "source",
    "status",
    "text",
    "tool_use_id",
    "toolCallId",
    "toolName",
    "type",
    "url",
];

const NO_MESSAGE: Refusal = Refusal { what: "without a message", applies: |sent| sent.turns.is_empty() };

/// Bedrock: "A conversation must start with a user message".
const ANSWER_FIRST: Refusal = Refusal {
    what: "that begins with an answer",
    applies: |sent| sent.turns.first().is_some_and(FormattedTurn::is_answer),
};

/// Gemini: "function call turn comes immediately after a user turn or after a function response turn".
const CALL_FIRST: Refusal = Refusal {
    what: "that begins with a call",
    applies: |sent| {
        sent.turns.first().is_some_and(|turn| turn.is_answer() && turn.blocks.iter().any(is_call))
    },
};

/// Anthropic: "Requests which include `tool_use` or `tool_result` blocks must define tools".
const NO_TOOLS: Refusal = Refusal {
    what: "with calls and no tools",
    applies: |sent| !sent.has_tools && sent.turns.iter().flat_map(|turn| &turn.blocks).any(is_call),
};

/// Claude: "This model does not support assistant message prefill".
const ANSWER_LAST: Refusal = Refusal {
    what: "that ends with an answer",
    applies: |sent| sent.last_answer().is_some() && !sent.model.model.prefill && sent.is_claude(),
};

/// Anthropic: "The final block in an assistant message cannot be `thinking`".
const REASONING_LAST: Refusal = Refusal {
    what: "that ends with reasoning",
    applies: |sent| {
        sent.last_answer()
            .and_then(|block| block.text_at("type"))
            .is_some_and(|kind| kind.ends_with("thinking"))
    },
};

/// Claude: "final assistant content cannot end with trailing whitespace".
const BLANK_LAST: Refusal = Refusal {
    what: "whose last answer ends with white space",
    applies: |sent| {
        let text = sent.last_answer().and_then(|block| block.text_at("text"));
        text.is_some_and(|text| text.ends_with(char::is_whitespace)) && sent.is_claude()
    },
};

/// Anthropic: "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block".
const SHORT_MARK: Refusal = Refusal {
    what: "with a cache mark of `1h` behind one of `5m`",
    applies: |sent| {
        let blocks = sent.turns.iter().flat_map(|turn| &turn.blocks);
        let marks = blocks.filter_map(|block| block.get("cache_control"));
        let hours = marks.map(|mark| mark.get("ttl").is_some_and(|ttl| ttl == "1h"));
        !hours.collect::<Vec<_>>().is_sorted_by(|before, after| before >= after)
    },
};

impl SentMessages<'_> {
    /// Returns the last block, if it is the model's own.
    fn last_answer(&self) -> Option<&Json<'_>> {
        self.turns.last().filter(|turn| turn.is_answer())?.blocks.last()
    }

    fn is_claude(&self) -> bool {
        self.model.known && self.model.model.vendor == Vendor::Anthropic
    }
}

fn is_call(block: &Json<'_>) -> bool {
    let kind = block.text_at("type");
    let is_typed = kind.is_some_and(|kind| matches!(kind, "tool_use" | "tool_result"));
    is_typed || ["functionCall", "functionResponse", "toolResult", "toolUse"].iter().any(|key| block.has(key))
}

impl HistoryRules {
    /// Reports what the service refuses. A request for which the caller has no messages yet gets them later.
    pub(super) fn check(
        &self,
        content: &RequestContent<'_>,
        turns: &[FormattedTurn<'_>],
        report: &mut Report,
    ) {
        let sent = SentMessages { turns, has_tools: !content.tools.is_empty(), model: content.target.row() };
        let applies = |refusal: &&Refusal| !content.messages.is_empty() && (refusal.applies)(&sent);
        for refusal in self.refusals.iter().filter(applies) {
            let what = format!("the service refuses a request {}", refusal.what);
            report.add(DiagnosticCode::RequestRefused, None, what);
        }
    }

    /// Reports the fields that the format leaves out. What is left out as a whole is reported by the format.
    pub(super) fn report_fields(&self, items: &[HistoryEntry<'_>], report: &mut Report) {
        for HistoryEntry { message, fields, kind } in items {
            let of_message = |key: &str| !OF_MESSAGE.contains(&key) || self.fields.contains(&key);
            let of_role = fields.filter(|fields| fields.contains_key("role"));
            report_left_out(*message, "a message", of_role, of_message, report);
            let blocks = match kind {
                HistoryEntryKind::User(blocks) | HistoryEntryKind::Assistant(blocks) => blocks,
                HistoryEntryKind::Result(result) => {
                    let source = result.source.fields.filter(|_| result.source.dialect != self.dialect);
                    let of_result = |key: &str| READ.contains(&key) || self.fields.contains(&key);
                    // A message with a role was checked above.
                    let block = source.filter(|fields| !fields.contains_key("role"));
                    report_left_out(*message, "a result", block, of_result, report);
                    &result.blocks
                }
                HistoryEntryKind::System(_) => continue,
            };
            let is_rewritten = |block: &&Block<'_>| {
                let is_own = block.source.dialect == self.dialect && self.dialect != Dialect::Neutral;
                !is_own && !matches!(block.kind, BlockKind::Reasoning(_) | BlockKind::Other(_))
            };
            for Block { kind, source } in blocks.iter().filter(is_rewritten) {
                let is_file = matches!(kind, BlockKind::Document { media: Media::Base64 { .. }, .. });
                let is_name = |key: &str| self.names_files && is_file && matches!(key, "filename" | "title");
                let of_block = |key: &str| READ.contains(&key) || self.fields.contains(&key) || is_name(key);
                let of = source.fields.and_then(|fields| string(fields, "type")).unwrap_or("function");
                let of = format!("a block of type `{}`", shown(of));
                report_left_out(*message, &of, source.fields, of_block, report);
                for inner in ["file", "image_url"] {
                    let inner = source.fields.and_then(|fields| fields.get(inner)?.as_object());
                    report_left_out(*message, &of, inner, of_block, report);
                }
            }
        }
    }
}

/// Reports the fields for which `is_sent` is false. An empty field says nothing.
fn report_left_out(
    message: Option<usize>,
    of: &str,
    fields: Option<&Map<String, Value>>,
    is_sent: impl Fn(&str) -> bool,
    report: &mut Report,
) {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    let left_out = fields.into_iter().flatten().filter(|(key, value)| !is_empty(value) && !is_sent(key));
    for (key, _) in left_out {
        report.add(
            DiagnosticCode::RequestFieldLeftOut,
            message,
            format!("`{}` of {of} is left out", shown(key)),
        );
    }
}
