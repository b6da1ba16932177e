//! One message as a model sees it, and where it came from.

use super::{noun::text_of, role::ModelRole};
use crate::origin::range;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::{ops::Range, sync::Arc};

/// One message as a model sees it. Serialized it is its fields; the origin stays here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelMessage {
    pub(super) role: ModelRole,
    pub(super) fields: Arc<Map<String, Value>>,
    /// Where it came from.
    pub origin: MessageOrigin,
}

/// Where a message that a model sees came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageOrigin {
    /// The place of its message in the list that was converted.
    pub message: usize,
    /// The bytes that the profile's words put into it, in order; every other byte is the message's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameSpan>,
}

/// Bytes of one block of text that come from the profile's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrameSpan {
    /// The place of the block in the content.
    pub block: usize,
    /// The bytes of its text.
    #[serde(with = "range")]
    pub range: Range<usize>,
}

impl ModelMessage {
    /// Returns who speaks.
    #[must_use]
    pub fn role(&self) -> ModelRole {
        self.role
    }

    /// Returns every field, in order.
    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// Returns its text, for people: the texts of its blocks joined by line ends.
    #[must_use]
    pub fn text(&self) -> String {
        text_of(self.fields.get("content"))
    }
}

impl Serialize for ModelMessage {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.fields.serialize(to)
    }
}
