//! The requests of a conversation: each is formatted with the attachments of the earlier ones in their places, compared with
//! the one before, and recorded by digests.

mod ledger;

use super::{
    Conversation, ConversationError, ConversationService, ModelRequest, PromptRecord, construct::rooted,
    trust,
};
use crate::{BuildOptions, TrustChoice, input::grants};
use jiff::Timestamp;
use ledger::{print, read};
use preface_core::{
    attachment::PlacedAttachment,
    budget::Counter,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    format::{
        CachePlan, PrefixComparison, RequestContent, RequestFormat, RequestRecord, RequestTarget,
        RequestUsage,
    },
    lint::hidden::escape_hidden,
    message::Message,
    model::PrefixCheck,
    prompt::fingerprint,
    suggestion::quoted,
    turn::{OF_SERVER, Tool},
};
use preface_store::{Actor, ConversationId, PromptSummary, Revision, StoredRequest, format_instant};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::mem::take;

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum RequestPurpose {
    /// The next turn.
    Turn,
    /// The summary of the messages so far.
    Compaction,
}

/// The version of the record of a request.
const VERSION: u32 = 1;
/// The most blocks of a request that is recorded: tools, parts of the prompt, and blocks of messages.
pub const MOST_BLOCKS: usize = 20_000;
/// Attempts to record a request when others of the same conversation are recorded at the same time.
const ATTEMPTS: usize = 10;

/// A request that a caller wants to send.
#[derive(Clone, Debug)]
pub struct RequestInput {
    /// The format of the body.
    pub format: &'static RequestFormat,
    /// The model; `None` is the one that the prompt was built for.
    pub model: Option<String>,
    /// The whole history, oldest message first.
    pub messages: Vec<Message>,
    /// Events of this turn, for reminders.
    pub events: Vec<Value>,
    /// The most tokens of the answer.
    pub max_output_tokens: Option<u64>,
    /// The lifetime of the cache marks; `None` is the default of the model.
    pub cache_ttl: Option<String>,
    /// True: the body is printed with two blanks for each level. False: without white space.
    pub indented: bool,
    /// The instructions of a compaction, which follow the prompt in this request alone. The messages are those that the
    /// model is to summarize; the next request has the summary in their place.
    pub instructions: Option<String>,
}

impl RequestInput {
    /// Returns a request without messages, for the model of the prompt.
    #[must_use]
    pub fn new(format: &'static RequestFormat) -> Self {
        RequestInput {
            format,
            model: None,
            messages: Vec::new(),
            events: Vec::new(),
            max_output_tokens: None,
            cache_ttl: None,
            indented: false,
            instructions: None,
        }
    }
}

/// A request that is ready to be sent.
#[derive(Clone, Debug)]
pub struct RequestResult {
    /// The number of the request in the conversation, from 1.
    pub number: u64,
    /// The body.
    pub body: String,
    /// The stored prompt.
    pub head: PromptSummary,
    /// The cache plan, for the formats of vendors.
    pub cache: Option<CachePlan>,
    /// The attachments that got their place in this request. They are recorded; a caller does not have to store them.
    pub attachments: Vec<PlacedAttachment>,
    /// The comparison with the request before; `None` for the first one.
    pub comparison: Option<PrefixComparison>,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
}

/// A recorded request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberedRequest {
    /// The number in the conversation, from 1.
    pub number: u64,
    /// The stored prompt that it was made with.
    pub revision: Revision,
    /// The time.
    pub at: Timestamp,
    /// The record.
    pub record: RequestRecord,
    /// Reasoning in messages before this position was left out.
    pub reasoning_from: usize,
}

/// A recorded request as lists show it, without its blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RequestSummary {
    /// The number in the conversation, from 1.
    pub number: u64,
    /// The time, RFC 3339.
    pub at: String,
    /// The revision of the stored prompt that it was made with.
    pub revision: u64,
    /// The purpose.
    pub purpose: RequestPurpose,
    /// True for the first request of a turn after a compaction, whose messages are another history.
    pub after_compaction: bool,
    /// The format of the body; null for a compaction whose request was not made here.
    pub format: Option<String>,
    /// The name of the model.
    pub model: Option<String>,
    /// The bytes of its blocks.
    pub bytes: usize,
    /// The comparison with the request before; null for the first one.
    pub comparison: Option<PrefixComparison>,
    /// The share of the request that the service can read from the cache by its rules, from 0 to 1: what it begins with like the
    /// one before, up to a cache mark, and nothing below the minimum of the model.
    pub expected_read: f64,
    /// The share of its tokens that the service read from the cache, from 0 to 1; null where that was not reported.
    pub cache_read: Option<f64>,
    /// What the service counted, as the caller reported it.
    pub usage: Option<RequestUsage>,
}

impl RequestSummary {
    /// Returns the summary of a request with whole blocks; `before` is the one before it. A compaction whose request was not made
    /// here has no format and no blocks.
    #[expect(clippy::cast_precision_loss, reason = "shares, not counts")]
    fn of(before: Option<&NumberedRequest>, request: &NumberedRequest, purpose: RequestPurpose) -> Self {
        let record = &request.record;
        let bytes = record.blocks.iter().map(|block| block.bytes).sum::<usize>();
        RequestSummary {
            number: request.number,
            at: format_instant(request.at),
            revision: request.revision.revision,
            purpose,
            after_compaction: false,
            format: Some(record.format.clone()).filter(|format| !format.is_empty()),
            model: record.model.clone(),
            bytes,
            comparison: before.map(|before| before.record.compare(record)),
            expected_read: record.readable.unwrap_or_default() as f64 / bytes.max(1) as f64,
            cache_read: record.usage.map(RequestUsage::cache_read_share),
            usage: record.usage,
        }
    }
}

/// The choice of the tools of a turn, and what of them is the project's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSelection {
    /// The digest of the caller's tools: names, or definitions. While it stays, so do the definitions of a conversation.
    choice: String,
    /// The names of the tools that the project brings.
    project: Vec<String>,
    /// The servers of the project that wait for a grant, as the sources of their tools.
    ungranted: Vec<String>,
    /// The time at which the user last declined the project or took a grant back.
    refused_at: Option<Timestamp>,
}

impl ToolSelection {
    /// Returns the choice of a conversation, and leaves out the tools of the project for which the user took trust back since
    /// they were read.
    pub(super) fn of(conversation: &Conversation, tools: &mut Vec<Tool>) -> Self {
        let Conversation { setup, inputs, chosen, read_at, .. } = conversation;
        let (system, entries) = (setup.engine().system(), &inputs.entries);
        let refused_at = trust::refused_at(system, inputs);
        let refused = refused_at.is_some_and(|at| at > *read_at);
        let ungranted: Vec<String> =
            grants::waiting(&entries.mcp).map(|name| format!("{OF_SERVER}{name}")).collect();
        let is_ungranted = |tool: &Tool| tool.source.as_ref().is_some_and(|of| ungranted.contains(of));
        tools.retain(|tool| !(entries.is_of_project(tool) && (refused || is_ungranted(tool))));
        let project = tools.iter().filter(|tool| entries.is_of_project(tool));
        let options = BuildOptions { tools: chosen.clone(), ..BuildOptions::default() };
        ToolSelection {
            choice: fingerprint(serde_json::json!(options).to_string()),
            project: project.map(|tool| tool.name.clone()).collect(),
            ungranted,
            // A call without the project has none of its tools, whatever was granted.
            refused_at: match setup.request.trust {
                TrustChoice::Deny => Some(Timestamp::MAX),
                _ => refused_at,
            },
        }
    }
}

/// The stored form of a request: blocks that it shares with the one before are not repeated.
#[derive(Debug, Default, Serialize, Deserialize)]
struct StoredRecord {
    version: u32,
    /// The number of blocks at the beginning that are those of the request before.
    shared: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    reasoning_from: usize,
    /// True for a compaction, after which the history of the caller is another one: for its own request, or where that is not
    /// made here, for a record without blocks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    compacted: bool,
    /// The tool definitions, in the record that begins to use them: later requests of the same choice of tools have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tools: Option<ConversationTools>,
    /// The request, without the shared blocks.
    #[serde(flatten)]
    record: RequestRecord,
}

/// The tool definitions of a conversation. They stay as they are, whatever happens to servers and files, until the caller asks
/// for other tools or the prompt is built again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ConversationTools {
    /// The digest of the caller's choice.
    choice: String,
    definitions: Vec<Tool>,
    /// The names of those that the project brought.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    project: Vec<String>,
    /// The time since when they are used.
    #[serde(skip)]
    since: Timestamp,
}

impl ConversationTools {
    /// Removes the definitions of the project for which the user took trust back, and returns their names.
    ///
    /// A server that is gone, or whose entry or recording changed, takes none with it.
    fn remove_revoked(&mut self, now: &ToolSelection) -> Vec<String> {
        let refused = now.refused_at.is_some_and(|at| at > self.since);
        let is_ungranted = |tool: &Tool| tool.source.as_ref().is_some_and(|of| now.ungranted.contains(of));
        let revoked = self.definitions.iter().filter(|tool| {
            let of_project = self.project.contains(&tool.name) && !now.project.contains(&tool.name);
            of_project && (refused || is_ungranted(tool))
        });
        let revoked: Vec<String> = revoked.map(|tool| tool.name.clone()).collect();
        self.definitions.retain(|tool| !revoked.contains(&tool.name));
        self.project.retain(|name| !revoked.contains(name));
        revoked
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl ConversationService {
    /// Formats and records the next request of a conversation that has a stored prompt.
    ///
    /// # Errors
    /// The conversation is unknown, its text is no longer trusted, or its tools and reminders cannot be built; and see
    /// [`ConversationError`].
    pub async fn request(
        &self,
        id: &ConversationId,
        options: &BuildOptions,
        mut input: RequestInput,
        actor: &Actor,
    ) -> Result<RequestResult, ConversationError> {
        let conversation = self.known(id, None).await?;
        let mut diagnostics = self.check_trust(&conversation.head, options).await?;
        diagnostics.extend(self.diagnostics(&conversation.head, options).await?);
        let record = PromptRecord::of(&conversation)?;
        let mut again = record.options.clone().overlaid(options);
        let (system, roots, id_text) = (self.system.clone(), self.roots.clone(), id.to_string());
        let RequestInput { messages, events, .. } = &mut input;
        let (messages, events) = (take(messages), take(events));
        let work = move || {
            let (mut request, _) = rooted(&*system, roots.as_deref(), &mut again, &id_text)?;
            request.events = events;
            Conversation::setup(system, request).one_request(&messages)
        };
        let (mut content, more) = self.offload.result(work).await?;
        diagnostics.extend(more);
        let counter = record.counter();
        let mut prompt = record.prompt;
        prompt.attachments.append(&mut content.prompt.attachments);
        content.prompt = prompt;
        let mut result = self.send(&conversation.head, content, input, &*counter, actor).await?;
        diagnostics.append(&mut result.diagnostics);
        Ok(RequestResult { diagnostics, ..result })
    }

    /// Formats and records a request of a conversation.
    pub(super) async fn send(
        &self,
        head: &PromptSummary,
        mut content: ModelRequest,
        input: RequestInput,
        counter: &dyn Counter,
        actor: &Actor,
    ) -> Result<RequestResult, ConversationError> {
        let mut purpose = RequestPurpose::Turn;
        if let Some(instructions) = &input.instructions {
            content.prompt.append_instructions(instructions);
            purpose = RequestPurpose::Compaction;
        }
        let request = content.content_for(&input, head.model.as_deref(), Some(head.id.as_str()), counter);
        self.record_request(head, input.format, request, &content.selection, purpose, actor).await
    }

    /// Formats the next request of a conversation, with the attachments of earlier ones in their places, and records it. While the
    /// choice of the tools stays, so do their definitions, but for those of a project that is not trusted any more.
    ///
    /// # Errors
    /// The conversation is unknown, and see [`ConversationError`].
    pub async fn record_request(
        &self,
        head: &PromptSummary,
        format: &'static RequestFormat,
        content: RequestContent<'_>,
        selection: &ToolSelection,
        purpose: RequestPurpose,
        actor: &Actor,
    ) -> Result<RequestResult, ConversationError> {
        for _ in 0..ATTEMPTS {
            let mut ledger = self.ledger(&head.id, None).await?;
            let before = ledger.request.as_ref();
            let row = content.target.row();
            // A prompt that was built again invalidates the reasoning so far, where the service checks that.
            let rebuilt = ledger.compacted || before.is_some_and(|before| before.revision != head.revision);
            let mut kept = ledger.tools.take().filter(|kept| kept.choice == selection.choice && !rebuilt);
            let revoked = kept.as_mut().map(|kept| kept.remove_revoked(selection));
            let revoked = revoked.unwrap_or_default();
            let checks = row.model.checks_prefix != PrefixCheck::Never && row.known;
            let reasoning_from = match before {
                Some(_) if (rebuilt || !revoked.is_empty()) && checks => {
                    content.messages.last().map_or(0, |last| last.origin.message + 1)
                }
                Some(before) => before.reasoning_from,
                None => 0,
            };
            let tools = kept.as_ref().map_or(content.tools, |kept| &kept.definitions);
            let tools_changed = tools != content.tools;
            let target = RequestTarget { digests: true, reasoning_from, ..content.target };
            // The messages of a compaction are those before it, with their attachments.
            let attachments = match purpose {
                RequestPurpose::Compaction if ledger.compacted => &ledger.replaced_attachments,
                _ => &ledger.attachments,
            };
            let content = RequestContent { attachments, tools, target, ..content };
            let request = format.format(content);
            if request.blocks.len() > MOST_BLOCKS {
                return Err(ConversationError::TooManyBlocks(request.blocks.len()));
            }
            let mut record = RequestRecord::of(format.name, &content, &request);
            record.readable = before.map(|before| before.record.readable(&record, row.model));
            let comparison = before.map(|before| before.record.compare(&record));
            let mut diagnostics = request.diagnostics;
            // A compaction is meant to begin anew: neither its own request nor the one behind it is reported.
            if purpose == RequestPurpose::Turn && !ledger.compacted {
                diagnostics.extend(before.and_then(|before| before.record.check(&record, row.model)));
            }
            if !revoked.is_empty() {
                let what = format!(
                    "the tools of the project are left out because its trust was revoked: {}",
                    quoted(revoked.iter().map(|name| escape_hidden(name)))
                );
                diagnostics.push(Diagnostic::warning(DiagnosticCode::ConversationToolsRevoked, what));
            }
            if tools_changed {
                let what = "the tool definitions changed; the conversation keeps those that it began with";
                diagnostics.push(
                    Diagnostic::info(DiagnosticCode::ConversationTools, what)
                        .help("a compaction or a refresh takes the new ones"),
                );
            }
            let shared = comparison.as_ref().map_or(0, |comparison| comparison.common_blocks);
            record.blocks.drain(..shared);
            let stored = StoredRecord {
                version: VERSION,
                shared,
                reasoning_from,
                compacted: purpose == RequestPurpose::Compaction,
                tools: (kept.is_none() || !revoked.is_empty()).then(|| ConversationTools {
                    choice: selection.choice.clone(),
                    definitions: tools.to_vec(),
                    project: kept.as_ref().map_or(&selection.project, |kept| &kept.project).clone(),
                    since: actor.at,
                }),
                record,
            };
            let number = ledger.last + 1;
            if self.add(head, number, &stored, actor).await? {
                return Ok(RequestResult {
                    number,
                    body: request.body,
                    head: head.clone(),
                    cache: request.cache,
                    attachments: request.attachments,
                    comparison,
                    diagnostics,
                });
            }
            // Another request got the number, or the conversation is gone.
            self.known(&head.id, None).await?;
        }
        let why = format!("other requests of `{}` are recorded at the same time", head.id);
        Err(ConversationError::Overloaded(why))
    }

    /// Returns the summary of each recorded request of a conversation, the first one first.
    ///
    /// # Errors
    /// The conversation is unknown, and see [`ConversationError`].
    pub async fn request_summaries(
        &self,
        id: &ConversationId,
    ) -> Result<Vec<RequestSummary>, ConversationError> {
        self.known(id, None).await?;
        Ok(self.ledger(id, Some(Vec::new())).await?.summaries.unwrap_or_default())
    }

    /// Adds to a request what the service counted.
    ///
    /// # Errors
    /// The conversation or the request is unknown, and see [`ConversationError`].
    pub async fn set_usage(
        &self,
        id: &ConversationId,
        number: u64,
        usage: RequestUsage,
    ) -> Result<(), ConversationError> {
        let unknown = || ConversationError::UnknownRequest(id.clone(), number);
        let stored = self.store.requests(id, number).await?;
        let stored =
            stored.into_iter().next().filter(|stored| stored.number == number).ok_or_else(unknown)?;
        let mut record = read(&stored)?;
        record.record.usage = Some(usage);
        if self.store.set_request(id, number, print(&record)?).await? { Ok(()) } else { Err(unknown()) }
    }

    /// Records a compaction: the history of later requests is another one.
    pub(super) async fn record_compaction(
        &self,
        head: &PromptSummary,
        actor: &Actor,
    ) -> Result<(), ConversationError> {
        for _ in 0..ATTEMPTS {
            let ledger = self.ledger(&head.id, None).await?;
            if ledger.last == 0 || ledger.compacted {
                return Ok(());
            }
            let stored = StoredRecord { version: VERSION, compacted: true, ..StoredRecord::default() };
            if self.add(head, ledger.last + 1, &stored, actor).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn add(
        &self,
        head: &PromptSummary,
        number: u64,
        record: &StoredRecord,
        actor: &Actor,
    ) -> Result<bool, ConversationError> {
        let request = StoredRequest {
            conversation: head.id.clone(),
            number,
            revision: head.revision,
            at: actor.at,
            record: print(record)?,
        };
        Ok(self.store.add_request(request).await?)
    }
}
