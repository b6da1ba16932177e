//! The rules of each service for a history: the fields of it that are sent, and the requests that are refused.

use super::{
    RequestContent,
    history::{Block, BlockKind, Dialect, HistoryEntry, HistoryEntryKind, Media, string},
    json::Json,
    names::{NameRule, PRINTABLE, WORDS, is_word},
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
    pub fields: &'static str,
    /// True if a file that is sent as data has a name.
    pub names_files: bool,
    /// The names of tools that the service accepts.
    pub names: NameRule,
    /// The ids of calls that it accepts.
    pub ids: NameRule,
    /// The requests that the service refuses.
    pub refusals: &'static [Refusal],
}

/// A request that a service refuses: its description, and whether a request is one.
#[derive(Debug)]
pub(super) struct Refusal(&'static str, fn(&SentMessages<'_>) -> bool);

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
    fields: "cache_control citations filename title",
    names_files: true,
    names: WORDS,
    ids: WORDS,
    refusals: &[NO_MESSAGE, NO_TOOLS, ANSWER_LAST, REASONING_LAST, BLANK_LAST, SHORT_MARK],
};

/// Claude's rules hold behind Converse, which has one more for all models.
pub(super) const BEDROCK: HistoryRules = HistoryRules {
    ttls: &["5m", "1h"],
    dialect: Dialect::Neutral,
    fields: "context",
    names_files: false,
    names: WORDS,
    ids: NameRule { accepts: |c| is_word(c) || matches!(c, '.' | ':'), ..WORDS },
    refusals: &[NO_MESSAGE, ANSWER_FIRST, NO_TOOLS, ANSWER_LAST, BLANK_LAST],
};

pub(super) const GEMINI: HistoryRules = HistoryRules {
    ttls: &[],
    dialect: Dialect::Neutral,
    fields: "thoughtSignature",
    names_files: false,
    names: NameRule {
        accepts: |c| is_word(c) || matches!(c, '.' | ':'),
        begins: |c| c.is_ascii_alphabetic() || c == '_',
        ..WORDS
    },
    ids: PRINTABLE,
    refusals: &[NO_MESSAGE, CALL_FIRST],
};

pub(super) const OPENAI_CHAT: HistoryRules = HistoryRules {
    ttls: &["30m"],
    dialect: Dialect::OpenAiChat,
    fields: "annotations audio name reasoning_details",
    names_files: true,
    names: WORDS,
    ids: PRINTABLE,
    refusals: &[],
};

pub(super) const COMPATIBLE: HistoryRules = HistoryRules { ttls: &[], names_files: false, ..OPENAI_CHAT };

pub(super) const OPENAI_RESPONSES: HistoryRules = HistoryRules {
    ttls: &["30m", "12h"],
    dialect: Dialect::OpenAiResponses,
    fields: "phase textSignature",
    names_files: true,
    names: WORDS,
    ids: PRINTABLE,
    refusals: &[],
};

/// The fields of messages that are more than what an agent records about them.
const OF_MESSAGE: &str = "annotations audio name phase reasoning_details";

/// The fields of blocks that are read, or mean nothing beyond the service that wrote them.
const READ: &str = "action arguments call_id content custom data file file_data file_id file_url function id image_url input is_error \
    media_type mimeType name operation output refusal role source status text tool_use_id toolCallId toolName type url";

const NO_MESSAGE: Refusal = Refusal("without a message", |sent| sent.turns.is_empty());

/// Bedrock: "A conversation must start with a user message".
const ANSWER_FIRST: Refusal =
    Refusal("that begins with an answer", |sent| sent.turns.first().is_some_and(FormattedTurn::is_answer));

/// Gemini: "function call turn comes immediately after a user turn or after a function response turn".
const CALL_FIRST: Refusal = Refusal("that begins with a call", |sent| {
    sent.turns.first().is_some_and(|turn| turn.is_answer() && turn.blocks.iter().any(is_call))
});

/// Anthropic: "Requests which include `tool_use` or `tool_result` blocks must define tools".
const NO_TOOLS: Refusal =
    Refusal("with calls and no tools", |sent| !sent.has_tools && sent.blocks().any(is_call));

/// Claude: "This model does not support assistant message prefill".
const ANSWER_LAST: Refusal = Refusal("that ends with an answer", |sent| {
    sent.last_answer().is_some() && !sent.model.model.prefill && sent.is_claude()
});

/// Anthropic: "The final block in an assistant message cannot be `thinking`".
const REASONING_LAST: Refusal = Refusal("that ends with reasoning", |sent| {
    let kind = sent.last_answer().and_then(|block| block.text_at("type"));
    kind.is_some_and(|kind| kind.ends_with("thinking"))
});

/// Claude: "final assistant content cannot end with trailing whitespace".
const BLANK_LAST: Refusal = Refusal("whose last answer ends with white space", |sent| {
    let text = sent.last_answer().and_then(|block| block.text_at("text"));
    text.is_some_and(|text| text.ends_with(char::is_whitespace)) && sent.is_claude()
});

/// Anthropic: "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block".
const SHORT_MARK: Refusal = Refusal("with a cache mark of `1h` behind one of `5m`", |sent| {
    let marks = sent.blocks().filter_map(|block| block.get("cache_control"));
    let hours: Vec<bool> = marks.map(|mark| mark["ttl"] == "1h").collect();
    !hours.is_sorted_by(|before, after| before >= after)
});

impl SentMessages<'_> {
    fn blocks(&self) -> impl Iterator<Item = &Json<'_>> {
        self.turns.iter().flat_map(|turn| &turn.blocks)
    }

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
        for Refusal(what, applies) in self.refusals {
            if !content.messages.is_empty() && applies(&sent) {
                let what = format!("the service refuses a request {what}");
                report.add(DiagnosticCode::RequestRefused, None, what);
            }
        }
    }

    /// Reports the fields that the format leaves out. What is left out as a whole is reported by the format.
    pub(super) fn report_fields(&self, items: &[HistoryEntry<'_>], report: &mut Report) {
        let of = |known: &str, key: &str| known.split_whitespace().any(|one| one == key);
        let is_read = |key: &str| of(READ, key) || of(self.fields, key);
        for HistoryEntry { message, fields, kind } in items {
            let of_role = fields.filter(|fields| fields.contains_key("role"));
            let of_message = |key: &str| !of(OF_MESSAGE, key) || of(self.fields, key);
            report_left_out(*message, "a message", of_role, of_message, report);
            let blocks = match kind {
                HistoryEntryKind::User(blocks) | HistoryEntryKind::Assistant(blocks) => blocks,
                HistoryEntryKind::Result(result) => {
                    let source = result.source.fields.filter(|_| result.source.dialect != self.dialect);
                    // A message with a role was checked above.
                    let block = source.filter(|fields| !fields.contains_key("role"));
                    report_left_out(*message, "a result", block, is_read, report);
                    &result.blocks
                }
                HistoryEntryKind::System(_) => continue,
            };
            for Block { kind, source } in blocks {
                let is_own = source.dialect == self.dialect && self.dialect != Dialect::Neutral;
                if is_own || matches!(kind, BlockKind::Reasoning(_) | BlockKind::Other(_)) {
                    continue;
                }
                let is_file = matches!(kind, BlockKind::Document { media: Media::Base64 { .. }, .. });
                let is_name = |key: &str| self.names_files && is_file && matches!(key, "filename" | "title");
                let name = source.fields.and_then(|fields| string(fields, "type")).unwrap_or("function");
                let name = format!("a block of type `{}`", shown(name));
                let inner = |key| source.fields.and_then(|fields| fields.get(key)?.as_object());
                for fields in [source.fields, inner("file"), inner("image_url")] {
                    report_left_out(*message, &name, fields, |key| is_read(key) || is_name(key), report);
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
    for (key, value) in fields.into_iter().flatten() {
        let is_empty = value.is_null() || value == "" || value.as_array().is_some_and(Vec::is_empty);
        if !is_empty && !is_sent(key) {
            let what = format!("`{}` of {of} is left out", shown(key));
            report.add(DiagnosticCode::RequestLeftOut, message, what);
        }
    }
}
