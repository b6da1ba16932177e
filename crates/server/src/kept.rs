//! What a prompt looks like on its way out, and the answers that are at hand.

use axum::{
    body::Bytes,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use moka::sync::Cache;
use preface::store::{ConversationId, Head, Reason, Seal, TemplateUsed};
use preface_core::diagnostic::Diagnostics;
use serde::Serialize;
use std::{mem::size_of, sync::Arc};

/// The prompt of a conversation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PromptReply {
    /// The conversation.
    #[schema(value_type = String)]
    pub conversation_id: ConversationId,
    /// What to send as system prompt; null: send none.
    #[schema(value_type = Option<String>)]
    pub system_prompt: Option<Arc<str>>,
    /// True where this request built it.
    pub constructed: bool,
    /// Counts from 1 with each prompt of the conversation.
    pub revision: u64,
    /// The digest of the kept prompt, as `blake3:<hex>`.
    pub fingerprint: String,
    /// The directory it was built for.
    pub cwd: String,
    /// The model it was built for.
    pub model: Option<String>,
    /// The profile it was built by.
    pub preset: String,
    /// The template it was built from.
    #[schema(value_type = Option<Template>)]
    pub template: Option<TemplateUsed>,
    /// Why it was built: `first-turn`, `compaction`, `refresh`.
    #[schema(value_type = String)]
    pub reason: Reason,
    /// When the conversation began.
    pub created_at: String,
    /// When this prompt was built.
    pub constructed_at: String,
    /// What came up.
    #[schema(value_type = Vec<Object>)]
    pub diagnostics: Diagnostics,
}

/// A template that a prompt was built from.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Template {
    /// As the conversation chose it: `name`, `name@label` or `name@3`.
    pub chosen: String,
    /// Its name.
    pub name: String,
    /// Its version; null where it was the default.
    pub version: Option<u64>,
}

impl PromptReply {
    /// Says what is kept.
    pub(crate) fn of(head: &Head, constructed: bool, diagnostics: Diagnostics) -> Self {
        PromptReply {
            conversation_id: head.id.clone(),
            system_prompt: (!head.text.is_empty()).then(|| head.text.clone()),
            constructed,
            revision: head.seal.revision,
            fingerprint: head.fingerprint.clone(),
            cwd: head.cwd.clone(),
            model: head.model.clone(),
            preset: head.preset.clone(),
            template: head.template.clone(),
            reason: head.reason,
            created_at: head.created_at.to_string(),
            constructed_at: head.constructed_at.to_string(),
            diagnostics,
        }
    }

    /// Says the same with another text.
    pub(crate) fn with_text(self, text: String) -> Self {
        PromptReply { system_prompt: Some(text.into()), ..self }
    }
}

/// Returns the entity tag of a state of a conversation.
pub(crate) fn tag(seal: Seal) -> HeaderValue {
    let tag = format!("\"r{}-{:x}\"", seal.revision, seal.stamp);
    HeaderValue::from_str(&tag).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// A document with a status and the tag of what it is about.
pub(crate) fn tagged(status: StatusCode, seal: Seal, body: &impl Serialize) -> Response {
    let bytes = serde_json::to_vec(body).unwrap_or_default();
    sent(status, tag(seal), bytes.into())
}

fn sent(status: StatusCode, tag: HeaderValue, body: Bytes) -> Response {
    let mut headers = HeaderMap::with_capacity(4);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ETAG, tag);
    (status, headers, body).into_response()
}

/// Prompts that were read before. Each use asks the store whether they still are what is kept, so that an answer is never
/// older than the store's.
#[derive(Clone, Debug)]
pub(crate) struct Kept(Cache<ConversationId, AtHand>);

/// A prompt at hand.
#[derive(Clone, Debug)]
pub(crate) struct AtHand {
    pub(crate) head: Arc<Head>,
    tag: HeaderValue,
    body: Bytes,
}

impl AtHand {
    pub(crate) fn of(head: Head) -> Self {
        let body = serde_json::to_vec(&PromptReply::of(&head, false, Diagnostics::new()));
        AtHand { tag: tag(head.seal), body: body.unwrap_or_default().into(), head: Arc::new(head) }
    }

    /// The answer of a request that built nothing and has nothing to note.
    pub(crate) fn response(&self) -> Response {
        sent(StatusCode::OK, self.tag.clone(), self.body.clone())
    }

    pub(crate) fn tag(&self) -> &HeaderValue {
        &self.tag
    }
}

impl Kept {
    /// Keeps so many bytes at hand.
    pub(crate) fn new(bytes: u64) -> Self {
        let weight = |_: &ConversationId, kept: &AtHand| {
            let held = kept.body.len() + kept.head.text.len() + size_of::<Head>() + 512;
            u32::try_from(held).unwrap_or(u32::MAX)
        };
        Kept(Cache::builder().weigher(weight).max_capacity(bytes).build())
    }

    /// Returns the prompt of this state, where it is at hand.
    pub(crate) fn get(&self, id: &ConversationId, seal: Seal) -> Option<AtHand> {
        self.0.get(id).filter(|kept| kept.head.seal == seal)
    }

    pub(crate) fn put(&self, kept: &AtHand) {
        self.0.insert(kept.head.id.clone(), kept.clone());
    }

    pub(crate) fn drop(&self, id: &ConversationId) {
        self.0.invalidate(id);
    }
}
