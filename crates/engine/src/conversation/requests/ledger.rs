//! Reading and printing the records of the requests of a conversation.

use super::{ConversationTools, NumberedRequest, RequestPurpose, RequestSummary, StoredRecord, VERSION};
use crate::conversation::{ConversationError, ConversationService};
use preface_core::{
    attachment::PlacedAttachment,
    format::{RequestBlock, RequestRecord},
};
use preface_store::{ConversationId, StoredRequest};
use serde_json::value::{RawValue, to_raw_value};
use std::{mem, sync::Arc};

/// The state of a conversation behind its last recorded request, which the next one continues.
#[derive(Debug, Default)]
pub(super) struct RequestLedger {
    /// The last request.
    pub(super) request: Option<NumberedRequest>,
    /// The number of the last record, compactions included.
    pub(super) last: u64,
    /// The attachments since the last compaction.
    pub(super) attachments: Vec<PlacedAttachment>,
    /// Those before it.
    pub(super) replaced_attachments: Vec<PlacedAttachment>,
    /// True if the last record is that of a compaction.
    pub(super) compacted: bool,
    /// The tool definitions since the last compaction.
    pub(super) tools: Option<ConversationTools>,
    /// The summaries of all requests, if the caller needs them. Without them blocks that the last one does not have are not parsed.
    pub(super) summaries: Option<Vec<RequestSummary>>,
    /// The blocks of the last request behind those that it shares with the one before, until something needs them.
    unparsed: Option<Box<RawValue>>,
}

impl RequestLedger {
    fn push(&mut self, stored: StoredRequest) -> Result<(), ConversationError> {
        let record = read(&stored)?;
        let StoredRequest { conversation, number, revision, at, .. } = stored;
        let StoredRecord {
            shared,
            reasoning_from,
            compacted,
            tools,
            format,
            model,
            blocks: json,
            marks,
            attachments,
            readable,
            usage,
            ..
        } = record;
        self.last = number;
        let after_compaction = mem::replace(&mut self.compacted, compacted) && !compacted;
        if compacted && !self.attachments.is_empty() {
            self.replaced_attachments = mem::take(&mut self.attachments);
        }
        if compacted && format.is_empty() {
            if let Some(list) = &mut self.summaries {
                list.push(RequestSummary::compaction(number, revision, at, usage));
            }
            self.tools = None;
            return Ok(());
        }
        let tools = tools.map(|tools| ConversationTools { since: at, ..tools });
        self.tools = tools.or_else(|| self.tools.take()).filter(|_| !compacted);
        if !compacted {
            self.attachments.extend(attachments.iter().cloned());
        }
        if self.request.as_ref().is_some_and(|before| before.record.blocks.len() < shared) {
            self.parse_blocks(&conversation)?;
        }
        let before = self.summaries.as_ref().and(self.request.clone());
        let mut blocks = self.request.take().map_or_else(Vec::new, |before| before.record.blocks);
        blocks.truncate(shared);
        let record = RequestRecord { format, model, blocks, marks, attachments, readable, usage };
        self.request = Some(NumberedRequest { number, revision, at, record, reasoning_from });
        self.unparsed = Some(json);
        if self.summaries.is_some() {
            self.parse_blocks(&conversation)?;
        }
        if let (Some(list), Some(request)) = (&mut self.summaries, &self.request) {
            let purpose = if compacted { RequestPurpose::Compaction } else { RequestPurpose::Turn };
            let summary = RequestSummary::of(before.as_ref(), request);
            list.push(RequestSummary { purpose, after_compaction, ..summary });
        }
        Ok(())
    }

    /// Adds the blocks that the last request does not share with the one before.
    fn parse_blocks(&mut self, id: &ConversationId) -> Result<(), ConversationError> {
        if let (Some(json), Some(request)) = (self.unparsed.take(), &mut self.request) {
            let blocks: Vec<RequestBlock> = serde_json::from_str(json.get())
                .map_err(|error| unreadable(id, request.number, &error.to_string()))?;
            request.record.blocks.extend(blocks);
        }
        Ok(())
    }
}

impl ConversationService {
    /// Reads the recorded requests. Records can be large, so they are parsed where builds run.
    pub(super) async fn ledger(
        &self,
        id: &ConversationId,
        summaries: Option<Vec<RequestSummary>>,
    ) -> Result<RequestLedger, ConversationError> {
        let mut ledger = RequestLedger { summaries, ..RequestLedger::default() };
        loop {
            let page = self.store.requests(id, ledger.last + 1).await?;
            let is_end = page.is_empty();
            if is_end && ledger.unparsed.is_none() {
                return Ok(ledger);
            }
            let id = id.clone();
            let work = move || {
                for stored in page {
                    ledger.push(stored)?;
                }
                if is_end {
                    ledger.parse_blocks(&id)?;
                }
                Ok(ledger)
            };
            ledger = self.offload.result(work).await?;
        }
    }
}

/// Reads a record.
pub(super) fn read(stored: &StoredRequest) -> Result<StoredRecord, ConversationError> {
    let unreadable = |why: &str| unreadable(&stored.conversation, stored.number, why);
    let record: StoredRecord =
        serde_json::from_str(&stored.record).map_err(|error| unreadable(&error.to_string()))?;
    match record.version {
        VERSION => Ok(record),
        newer => Err(unreadable(&format!("its version is {newer}, this preface reads {VERSION}"))),
    }
}

fn unreadable(id: &ConversationId, number: u64, why: &str) -> ConversationError {
    ConversationError::Record(format!("request {number} of `{id}`: {why}"))
}

/// Prints a record.
pub(super) fn print(record: &StoredRecord) -> Result<Arc<str>, ConversationError> {
    serde_json::to_string(record).map(Into::into).map_err(unprintable)
}

/// Prints blocks as a record has them.
pub(super) fn print_blocks(blocks: &[RequestBlock]) -> Result<Box<RawValue>, ConversationError> {
    to_raw_value(blocks).map_err(unprintable)
}

fn unprintable(error: serde_json::Error) -> ConversationError {
    ConversationError::Record(error.to_string())
}
