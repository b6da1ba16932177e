//! Reading and printing the records of the requests of a conversation.

use super::{ConversationTools, NumberedRequest, RequestPurpose, RequestSummary, StoredRecord, VERSION};
use crate::conversation::{ConversationError, ConversationService};
use preface_core::attachment::PlacedAttachment;
use preface_store::{ConversationId, StoredRequest};
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
    /// The summaries of all requests, if the caller needs them.
    pub(super) summaries: Option<Vec<RequestSummary>>,
}

impl RequestLedger {
    fn push(&mut self, stored: StoredRequest) -> Result<(), ConversationError> {
        let StoredRecord { shared, reasoning_from, compacted, tools, mut record, .. } = read(&stored)?;
        let StoredRequest { number, revision, at, .. } = stored;
        self.last = number;
        let after_compaction = mem::replace(&mut self.compacted, compacted) && !compacted;
        if compacted && !self.attachments.is_empty() {
            self.replaced_attachments = mem::take(&mut self.attachments);
        }
        if compacted && record.format.is_empty() {
            let request = NumberedRequest { number, revision, at, record, reasoning_from };
            if let Some(list) = &mut self.summaries {
                list.push(RequestSummary::of(None, &request, RequestPurpose::Compaction));
            }
            self.tools = None;
            return Ok(());
        }
        let tools = tools.map(|tools| ConversationTools { since: at, ..tools });
        self.tools = tools.or_else(|| self.tools.take()).filter(|_| !compacted);
        if !compacted {
            self.attachments.extend(record.attachments.iter().cloned());
        }
        let before = self.summaries.as_ref().and(self.request.clone());
        let mut blocks = self.request.take().map_or_else(Vec::new, |before| before.record.blocks);
        blocks.truncate(shared);
        blocks.append(&mut record.blocks);
        record.blocks = blocks;
        let request = NumberedRequest { number, revision, at, record, reasoning_from };
        if let Some(list) = &mut self.summaries {
            let purpose = if compacted { RequestPurpose::Compaction } else { RequestPurpose::Turn };
            let summary = RequestSummary::of(before.as_ref(), &request, purpose);
            list.push(RequestSummary { after_compaction, ..summary });
        }
        self.request = Some(request);
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
            if page.is_empty() {
                return Ok(ledger);
            }
            let work = move || {
                for stored in page {
                    ledger.push(stored)?;
                }
                Ok(ledger)
            };
            ledger = self.offload.result(work).await?;
        }
    }
}

/// Reads a record.
pub(super) fn read(stored: &StoredRequest) -> Result<StoredRecord, ConversationError> {
    let unreadable = |why: String| {
        ConversationError::Record(format!("request {} of `{}`: {why}", stored.number, stored.conversation))
    };
    let record: StoredRecord =
        serde_json::from_str(&stored.record).map_err(|error| unreadable(error.to_string()))?;
    match record.version {
        VERSION => Ok(record),
        newer => Err(unreadable(format!("its version is {newer}, this preface reads {VERSION}"))),
    }
}

/// Prints a record.
pub(super) fn print(record: &StoredRecord) -> Result<Arc<str>, ConversationError> {
    let printed = serde_json::to_string(record);
    printed.map(Into::into).map_err(|error| ConversationError::Record(error.to_string()))
}
