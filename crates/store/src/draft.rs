//! Unsaved texts of the editor. Each owner sees its own; nothing of them is in the audit.

use crate::TemplateName;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr, sync::Arc};

/// The id of a draft: 1 to 64 letters, digits, `-`, `_` or `.`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct DraftId(Arc<str>);

impl DraftId {
    /// Returns the id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that is not the id of a draft.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a draft: `{}`", .0.escape_debug())]
pub struct DraftIdError(pub String);

impl FromStr for DraftId {
    type Err = DraftIdError;

    fn from_str(text: &str) -> Result<Self, DraftIdError> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        if (1..=64).contains(&text.len()) && text.bytes().all(plain) {
            Ok(DraftId(text.into()))
        } else {
            Err(DraftIdError(text.chars().take(80).collect()))
        }
    }
}

impl TryFrom<String> for DraftId {
    type Error = DraftIdError;

    fn try_from(text: String) -> Result<Self, DraftIdError> {
        text.parse()
    }
}

impl fmt::Display for DraftId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The key of a draft.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DraftKey {
    /// The access token (`token:` and its digest) or the browser (`browser:` and its id) that it belongs to, or `local`.
    pub owner: Arc<str>,
    /// The template that it is a text for; it need not exist.
    pub template: TemplateName,
    /// The id, unique for owner and template.
    pub id: DraftId,
}

/// An unsaved text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDraft {
    /// The key.
    pub key: DraftKey,
    /// The version that it is based on; 0 if nothing was stored.
    pub version: u64,
    /// The `ETag` of that version; `None` if nothing was stored.
    pub etag: Option<Arc<str>>,
    /// The text, byte for byte; empty in lists.
    pub text: Arc<str>,
    /// The number of bytes of the text.
    pub bytes: u64,
    /// The time of the last write.
    pub at: Timestamp,
}

/// The most that one owner may have. Writes at the same time may go beyond it by one each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraftLimits {
    /// The number of drafts.
    pub count: u64,
    /// The bytes of their texts.
    pub bytes: u64,
}
