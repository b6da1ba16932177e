//! Responses with prompts, and their cache.

use crate::{CacheAnswer, route::conversations::ConversationItem};
use axum::{
    body::Bytes,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use jiff::Timestamp;
use moka::sync::Cache;
use preface_core::{
    attachment::{Attachment, AttachmentPlace},
    diagnostic::Diagnostics,
    section::SectionId,
};
use preface_engine::store::{ConversationId, PromptSummary, Revision, Store, StoreError, StoredPrompt};
use serde::{Deserialize, Serialize};
use std::{
    mem::size_of,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

/// The prompt of a conversation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PromptReply {
    /// The system prompt to send; null if none is sent.
    #[schema(value_type = Option<String>, required)]
    pub system_prompt: Option<Arc<str>>,
    /// True if this request built it.
    pub constructed: bool,
    /// What it was built for.
    #[serde(flatten)]
    pub item: ConversationItem,
    /// The texts that are sent beside the prompt, in a message of the user before all others. `POST …/requests` puts them there.
    pub attachments: Vec<SentAttachment>,
    /// Diagnostics.
    #[schema(value_type = Vec<preface_core::diagnostic::Diagnostic>)]
    pub diagnostics: Diagnostics,
}

/// A text that is sent in a message.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct SentAttachment {
    /// The section that it is.
    #[schema(value_type = String)]
    pub section: SectionId,
    /// The message that it goes with.
    pub place: AttachmentPlace,
    /// The text as it is sent, with the tags around it.
    pub text: String,
}

impl SentAttachment {
    /// Returns those of a stored prompt.
    pub(crate) fn all(stored: &StoredPrompt) -> Vec<SentAttachment> {
        #[derive(Default, Deserialize)]
        struct RecordOfPrompt {
            prompt: PromptOfRecord,
        }
        #[derive(Default, Deserialize)]
        struct PromptOfRecord {
            #[serde(default)]
            attachments: Vec<Attachment>,
        }
        let record: RecordOfPrompt = serde_json::from_str(&stored.record).unwrap_or_default();
        let sent = record.prompt.attachments.into_iter().map(|attachment| SentAttachment {
            section: attachment.part.section,
            place: attachment.place,
            text: Attachment::wrap(&attachment.text).text,
        });
        sent.collect()
    }
}

impl PromptReply {
    /// Returns the reply for a stored prompt.
    pub(crate) fn of(head: &PromptSummary, constructed: bool, diagnostics: Diagnostics) -> Self {
        PromptReply {
            system_prompt: (!head.text.is_empty()).then(|| head.text.clone()),
            constructed,
            item: head.into(),
            attachments: Vec::new(),
            diagnostics,
        }
    }

    /// Returns the same reply with the attachments of the stored prompt.
    pub(crate) async fn with_attachments(self, store: &dyn Store) -> Result<Self, StoreError> {
        let stored = store.conversation(&self.item.conversation_id).await?;
        let stored = stored.filter(|stored| stored.head.revision.revision == self.item.revision);
        Ok(PromptReply { attachments: stored.as_ref().map(SentAttachment::all).unwrap_or_default(), ..self })
    }

    /// Returns the same reply with another text.
    pub(crate) fn with_text(self, text: String) -> Self {
        PromptReply { system_prompt: Some(text.into()), ..self }
    }
}

/// Returns the entity tag of a state of a conversation.
pub(crate) fn tag(revision: Revision) -> HeaderValue {
    let tag = format!("\"r{}-{:x}\"", revision.revision, revision.stamp);
    HeaderValue::from_str(&tag).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// A document with a status and the tag of what it is about.
pub(crate) fn tagged(status: StatusCode, revision: Revision, body: &impl Serialize) -> Response {
    let bytes = serde_json::to_vec(body).unwrap_or_default();
    sent(status, tag(revision), bytes.into())
}

fn sent(status: StatusCode, tag: HeaderValue, body: Bytes) -> Response {
    let json = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, json), (header::ETAG, tag)], body).into_response()
}

/// Prompts that were read before. Each use checks that the store still has the same prompt, so that a reply is never
/// older than the store's.
#[derive(Clone, Debug)]
pub(crate) struct PromptCache(Cache<ConversationId, Arc<CachedPrompt>>);

/// A prompt at hand.
#[derive(Debug)]
pub(crate) struct CachedPrompt {
    pub(crate) head: PromptSummary,
    attachments: Vec<SentAttachment>,
    tag: HeaderValue,
    body: Bytes,
    /// The hour of its last use.
    hour: AtomicI64,
}

impl CachedPrompt {
    fn of(stored: StoredPrompt) -> Self {
        let mut cached = CachedPrompt {
            tag: tag(stored.head.revision),
            attachments: SentAttachment::all(&stored),
            body: Bytes::new(),
            head: stored.head,
            hour: AtomicI64::default(),
        };
        cached.body = serde_json::to_vec(&cached.reply(Diagnostics::new())).unwrap_or_default().into();
        cached
    }

    /// Returns the reply of a request that built nothing.
    pub(crate) fn reply(&self, diagnostics: Diagnostics) -> PromptReply {
        let reply = PromptReply::of(&self.head, false, diagnostics);
        PromptReply { attachments: self.attachments.clone(), ..reply }
    }

    /// The response of a request that built nothing and has no diagnostics.
    pub(crate) fn response(&self) -> Response {
        sent(StatusCode::OK, self.tag.clone(), self.body.clone())
    }

    pub(crate) fn tag(&self) -> &HeaderValue {
        &self.tag
    }

    /// Returns true for the first use of an hour.
    pub(crate) fn is_first_use(&self, at: Timestamp) -> bool {
        let hour = at.as_second() / 3600;
        self.hour.swap(hour, Ordering::Relaxed) != hour
    }
}

impl PromptCache {
    /// Keeps so many bytes at hand.
    pub(crate) fn new(bytes: u64) -> Self {
        let weight = |_: &ConversationId, kept: &Arc<CachedPrompt>| {
            let attachments: usize = kept.attachments.iter().map(|one| one.text.len()).sum();
            let texts = kept.body.len() + kept.head.text.len() + attachments;
            u32::try_from(texts + size_of::<CachedPrompt>() + 512).unwrap_or(u32::MAX)
        };
        PromptCache(Cache::builder().weigher(weight).max_capacity(bytes).build())
    }

    /// Returns the prompt of a conversation, and whether it was cached. The store is read only as far as needed to
    /// know that the reply is current.
    pub(crate) async fn read(
        &self,
        store: &dyn Store,
        id: &ConversationId,
    ) -> Result<Option<(Arc<CachedPrompt>, CacheAnswer)>, StoreError> {
        if let Some(kept) = self.0.get(id) {
            match store.revision(id).await? {
                Some(revision) if revision == kept.head.revision => {
                    return Ok(Some((kept, CacheAnswer::Hit)));
                }
                Some(_) => {}
                None => {
                    self.0.invalidate(id);
                    return Ok(None);
                }
            }
        }
        let Some(stored) = store.conversation(id).await? else { return Ok(None) };
        let kept = Arc::new(CachedPrompt::of(stored));
        self.0.insert(id.clone(), kept.clone());
        Ok(Some((kept, CacheAnswer::Miss)))
    }

    pub(crate) fn drop(&self, id: &ConversationId) {
        self.0.invalidate(id);
    }
}
