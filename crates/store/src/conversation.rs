//! The stored prompt of a conversation, with the inputs of its build.

use crate::template::TemplateName;
use jiff::Timestamp;
use preface_core::prompt::fingerprint;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    str::FromStr,
    sync::Arc,
};

/// The id of a conversation: any text of 1 to 255 bytes without control characters. It is data and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ConversationId(Arc<str>);

impl ConversationId {
    /// Returns the id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A text that is no id of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a conversation id (1 to 255 bytes, no control characters): `{}`", .0.escape_debug())]
pub struct ConversationIdError(pub String);

impl FromStr for ConversationId {
    type Err = ConversationIdError;

    fn from_str(text: &str) -> Result<Self, ConversationIdError> {
        let is_id = !text.is_empty() && text.len() <= 255;
        if is_id && !text.chars().any(char::is_control) {
            return Ok(ConversationId(text.into()));
        }
        Err(ConversationIdError(text.chars().take(80).collect()))
    }
}

impl TryFrom<String> for ConversationId {
    type Error = ConversationIdError;

    fn try_from(text: String) -> Result<Self, ConversationIdError> {
        text.parse()
    }
}

/// The identity of one state of a conversation; it differs from every other, also from those of a
/// conversation that was deleted and created again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Revision {
    /// The number of the prompt, from 1.
    pub revision: u64,
    /// Random, made with the prompt; not negative.
    pub stamp: i64,
}

impl Revision {
    /// Creates the revision of a new prompt.
    #[must_use]
    pub fn new(revision: u64) -> Self {
        // Random enough to distinguish states; it is no secret.
        let stamp = RandomState::new().hash_one(revision) & (i64::MAX as u64);
        Revision { revision, stamp: i64::try_from(stamp).unwrap_or_default() }
    }
}

/// The reason why a prompt was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(description = "Why a prompt was built, as the description lists it."))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ConstructReason {
    /// The conversation began.
    FirstTurn,
    /// The conversation was summarized.
    Compaction,
    /// A user requested it.
    Refresh,
}

impl ConstructReason {
    /// Returns the word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The template that a prompt was built from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Template))]
pub struct TemplateUsed {
    /// The name, as the conversation chose it: `name`, `name@label` or `name@3`.
    pub chosen: String,
    /// The template.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub name: TemplateName,
    /// The version; null if it was the default.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub version: Option<u64>,
}

/// A conversation without its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptSummary {
    /// The id of the conversation.
    pub id: ConversationId,
    /// The revision of the prompt.
    pub revision: Revision,
    /// The prompt, without anything appended; empty in lists. An empty prompt is not sent.
    pub text: Arc<str>,
    /// The number of bytes of the text.
    pub bytes: u64,
    /// The digest of the text, as `blake3:<hex>`.
    pub fingerprint: String,
    /// The directory it was built for.
    pub cwd: String,
    /// The model, where it is known.
    pub model: Option<String>,
    /// The profile it was built by.
    pub preset: String,
    /// The stored template it was built from, where the profile takes one.
    pub template: Option<TemplateUsed>,
    /// The reason why the prompt was built.
    pub reason: ConstructReason,
    /// The time at which the conversation began.
    pub created_at: Timestamp,
    /// The time at which this prompt was built.
    pub constructed_at: Timestamp,
}

/// A conversation with everything that is known of its prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPrompt {
    /// The prompt and what it was built for.
    pub head: PromptSummary,
    /// Parts, variables, diagnostics: a JSON document, which the store does not read.
    pub record: Arc<str>,
}

impl StoredPrompt {
    /// Checks that the fingerprint is the text's.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.head.fingerprint == fingerprint(&*self.head.text)
    }

    /// Returns the audit detail of a prompt that was created or replaced.
    pub(crate) fn audit_detail(&self) -> Value {
        let head = &self.head;
        json!({"revision": head.revision.revision, "fingerprint": head.fingerprint, "reason": head.reason})
    }
}

/// A prompt that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedPrompt {
    /// The conversation as it was.
    pub was: StoredPrompt,
    /// The time at which it was replaced.
    pub replaced_at: Timestamp,
}

/// A recorded request of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRequest {
    /// The id of the conversation.
    pub conversation: ConversationId,
    /// The number, from 1.
    pub number: u64,
    /// The revision of the prompt that it was made with.
    pub revision: Revision,
    /// The time.
    pub at: Timestamp,
    /// A JSON document, which the store does not read.
    pub record: Arc<str>,
}

/// The outcome of creating a first prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertOutcome {
    /// The prompt was stored.
    New,
    /// There was a prompt already, and it stays.
    Existing(Box<PromptSummary>),
}

/// The outcome of replacing a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplaceOutcome {
    /// The prompt was replaced.
    Done,
    /// The prompt had changed in the meantime; the stored one stays.
    Stale(Box<PromptSummary>),
    /// There is no such conversation.
    Missing,
}

/// A filter for the list of conversations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// A prefix of the ids.
    pub id_prefix: Option<String>,
    /// The template of the prompts.
    pub template: Option<TemplateName>,
}
