//! A message for a model, with its origin.

use super::{role::ModelRole, types::text_of};
use crate::origin::range;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::{ops::Range, sync::Arc};

/// A message for a model. Only its fields are serialized, not the origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelMessage {
    pub(super) role: ModelRole,
    pub(super) fields: Arc<Map<String, Value>>,
    /// The origin of the message.
    pub origin: MessageOrigin,
}

/// The origin of a message for a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageOrigin {
    /// The position of its message in the list that was converted.
    pub message: usize,
    /// The ranges that come from the profile's frames, in order; every other byte is the message's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameSpan>,
}

/// A range in one block of text that comes from a frame of the profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrameSpan {
    /// The position of the block in the content.
    pub block: usize,
    /// The range in its text.
    #[serde(with = "range")]
    pub range: Range<usize>,
}

impl ModelMessage {
    /// Returns the role.
    #[must_use]
    pub fn role(&self) -> ModelRole {
        self.role
    }

    /// Returns every field, in order.
    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// Returns the text for display: the texts of its blocks joined by line ends.
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
