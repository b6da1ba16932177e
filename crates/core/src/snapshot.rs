//! The snapshot: everything that the core sees. The same snapshot gives the same bytes, on every machine.

use crate::{
    audit::AuditEvent,
    diagnostic::{Diagnostics, is_zero},
    layer::Stack,
    origin::Piece,
    profile::Profile,
    reminder::DueReminder,
    section::{Language, Override, ProviderName, SectionId},
    turn::Turn,
    variable::{RecordedVariables, Stability},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

/// The version of the JSON form that `build --save-snapshot` writes.
pub const SNAPSHOT_VERSION: u32 = 3;

/// A turn with everything that was found for it. `docs/reference/snapshot.md` describes its JSON form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The version of this form: [`SNAPSHOT_VERSION`].
    pub version: u32,
    /// The request for the prompt.
    pub turn: Turn,
    /// The resolved profile.
    pub profile: Arc<Profile>,
    /// The layers.
    pub stack: Stack,
    /// The overrides of single sections in the settings, weakest layer first. (The settings themselves are
    /// not included: they may contain values that must not get into a prompt.)
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<Override>,
    /// The `systemPrompt` of the settings.
    #[serde(default, skip_serializing_if = "SettingsPrompt::is_empty")]
    pub system_prompt: SettingsPrompt,
    /// The texts that the caller gave for the profile's `text_options`, by option. An empty list is an empty text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub given: BTreeMap<String, Vec<Piece>>,
    /// The template that a store keeps for this conversation. An empty list is an empty template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<Vec<Piece>>,
    /// The contributions of the context providers, in the profile's order.
    pub contributions: Vec<Contribution>,
    /// The reminders that events call for, in the order of the events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reminders: Vec<DueReminder>,
    /// Every variable that was read, absent ones too.
    pub variables: RecordedVariables,
    /// The diagnostics of the collection.
    pub diagnostics: Diagnostics,
    /// The audit events of the collection.
    pub audit: Vec<AuditEvent>,
}

/// `systemPrompt` of the settings: a text instead of everything, or one after everything. Both are verbatim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsPrompt {
    /// The whole prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom: Option<Piece>,
    /// The last part of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append: Option<Piece>,
    /// True: it follows `custom`, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub combine: bool,
}

impl SettingsPrompt {
    /// Returns true if the settings leave the prompt to the profile.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.custom.is_none() && self.append.is_none()
    }
}

/// The contribution of one context provider to one section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contribution {
    /// The name of the provider.
    pub provider: ProviderName,
    /// The id that settings and audit events use, where it differs from the provider's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The section that it fills.
    pub section: SectionId,
    /// The texts, in order.
    pub items: Vec<Item>,
    /// Overrides the section's priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// Overrides the section's ceiling in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Overrides the section's stability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stability: Option<Stability>,
    /// The number of bytes after its texts that were not read, because its ceiling leaves no room for them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unread: u64,
    /// The reason why the provider contributes nothing, if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent: Option<String>,
}

/// A text of a contribution, with the variables of its item template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// `item:` variables, such as `path`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// The text, `item:text`.
    pub pieces: Vec<Piece>,
    /// The language of the text.
    pub language: Language,
    /// The rank of an entry of a list: entries are left out whole, the lowest rank first, and of equal ones the last. `None`
    /// is a text of which the end is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
}
