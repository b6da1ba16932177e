//! Responses with prompts, and their cache.

use crate::CacheAnswer;
use axum::{
    body::Bytes,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use jiff::Timestamp;
use moka::sync::Cache;
use preface_core::{
    attachment::{Attachment, AttachmentPlace},
    diagnostic::Diagnostics,
    section::SectionId,
};
use preface_engine::store::{
    ConstructReason, ConversationId, PromptSummary, Revision, Store, StoreError, StoredPrompt, TemplateUsed,
    format_instant,
};
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
    /// The conversation.
    #[schema(value_type = String, min_length = 1, max_length = 255)]
    pub conversation_id: ConversationId,
    /// The system prompt to send; null if none is sent.
    #[schema(value_type = Option<String>, required)]
    pub system_prompt: Option<Arc<str>>,
    /// True if this request built it.
    pub constructed: bool,
    /// Counts from 1 with each prompt of the conversation.
    pub revision: u64,
    /// The digest of the kept prompt, as `blake3:<hex>`.
    #[schema(pattern = "^blake3:[0-9a-f]+$")]
    pub fingerprint: String,
    /// The directory it was built for.
    pub cwd: String,
    /// The model it was built for.
    #[schema(required)]
    pub model: Option<String>,
    /// The profile it was built by.
    pub preset: String,
    /// The template it was built from.
    #[schema(value_type = Option<Template>, required)]
    pub template: Option<TemplateUsed>,
    /// The reason for the build.
    pub reason: ConstructReason,
    /// When the conversation began.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When this prompt was built.
    #[schema(format = DateTime)]
    pub constructed_at: String,
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

/// A template that a prompt was built from.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Template {
    /// As the conversation chose it: `name`, `name@label` or `name@3`.
    pub chosen: String,
    /// The name.
    pub name: String,
    /// The version; null for the built-in default.
    #[schema(required)]
    pub version: Option<u64>,
}

impl PromptReply {
    /// Returns the reply for a stored prompt.
    pub(crate) fn of(head: &PromptSummary, constructed: bool, diagnostics: Diagnostics) -> Self {
        PromptReply {
            conversation_id: head.id.clone(),
            system_prompt: (!head.text.is_empty()).then(|| head.text.clone()),
            constructed,
            revision: head.revision.revision,
            fingerprint: head.fingerprint.clone(),
            cwd: head.cwd.clone(),
            model: head.model.clone(),
            preset: head.preset.clone(),
            template: head.template.clone(),
            reason: head.reason,
            created_at: format_instant(head.created_at),
            constructed_at: format_instant(head.constructed_at),
            attachments: Vec::new(),
            diagnostics,
        }
    }

    /// Returns the same reply with the attachments of the stored prompt.
    pub(crate) async fn with_attachments(self, store: &dyn Store) -> Result<Self, StoreError> {
        let stored = store.conversation(&self.conversation_id).await?;
        let stored = stored.filter(|stored| stored.head.revision.revision == self.revision);
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

/// The number of headers of a response, for one allocation.
const HEADERS: usize = 12;

fn sent(status: StatusCode, tag: HeaderValue, body: Bytes) -> Response {
    let mut headers = HeaderMap::with_capacity(HEADERS);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ETAG, tag);
    (status, headers, body).into_response()
}

/// Prompts that were read before. Each use checks that the store still has the same prompt, so that a reply is never
/// older than the store's.
#[derive(Clone, Debug)]
pub(crate) struct PromptCache(Option<Cache<ConversationId, Arc<CachedPrompt>>>);

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
        PromptCache((bytes > 0).then(|| Cache::builder().weigher(weight).max_capacity(bytes).build()))
    }

    /// Returns the prompt of a conversation, and whether it was cached. The store is read only as far as needed to
    /// know that the reply is current.
    pub(crate) async fn read(
        &self,
        store: &dyn Store,
        id: &ConversationId,
    ) -> Result<Option<(Arc<CachedPrompt>, CacheAnswer)>, StoreError> {
        let Some(cache) = &self.0 else {
            let stored = store.conversation(id).await?;
            return Ok(stored.map(|stored| (Arc::new(CachedPrompt::of(stored)), CacheAnswer::Miss)));
        };
        if let Some(kept) = cache.get(id) {
            match store.revision(id).await? {
                Some(revision) if revision == kept.head.revision => {
                    return Ok(Some((kept, CacheAnswer::Hit)));
                }
                Some(_) => {}
                None => {
                    cache.invalidate(id);
                    return Ok(None);
                }
            }
        }
        let Some(stored) = store.conversation(id).await? else { return Ok(None) };
        let kept = Arc::new(CachedPrompt::of(stored));
        cache.insert(id.clone(), kept.clone());
        Ok(Some((kept, CacheAnswer::Miss)))
    }

    pub(crate) fn drop(&self, id: &ConversationId) {
        if let Some(cache) = &self.0 {
            cache.invalidate(id);
        }
    }
}
