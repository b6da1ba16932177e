//! The audit log. Entries never contain prompt text.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// The number of the entry, ascending.
    pub id: u64,
    /// The time of the action.
    pub at: Timestamp,
    /// The name of the actor.
    pub actor: String,
    /// The action.
    pub action: Action,
    /// The name of the template, conversation or token.
    pub subject: String,
    /// The details: version, revision, fingerprint, reason.
    pub detail: Value,
}

/// The kind of an audited action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// A template got a new version. Detail: `version`, `bytes`, `reset`, `note`.
    #[serde(rename = "template.put")]
    TemplatePut,
    /// A label was put on a version or taken away. Detail: `label`, `version`.
    #[serde(rename = "template.label")]
    TemplateLabel,
    /// A conversation got its first prompt. Detail: `revision`, `fingerprint`, `reason`.
    #[serde(rename = "conversation.create")]
    ConversationCreate,
    /// The prompt was replaced. Detail as above.
    #[serde(rename = "conversation.replace")]
    ConversationReplace,
    /// The conversation was deleted.
    #[serde(rename = "conversation.delete")]
    ConversationDelete,
    /// Old conversations were deleted; the subject is the instant. Detail: `count`.
    #[serde(rename = "conversation.purge")]
    ConversationPurge,
    /// Old entries of the audit were removed; the subject is the instant. Detail: `count`.
    #[serde(rename = "audit.trim")]
    AuditTrim,
    /// A token was created. Detail: `role`.
    #[serde(rename = "access.add")]
    AccessAdd,
    /// A token was revoked.
    #[serde(rename = "access.remove")]
    AccessRemove,
}

impl Action {
    /// Every action.
    pub const ALL: [Action; 9] = [
        Action::TemplatePut,
        Action::TemplateLabel,
        Action::ConversationCreate,
        Action::ConversationReplace,
        Action::ConversationDelete,
        Action::ConversationPurge,
        Action::AuditTrim,
        Action::AccessAdd,
        Action::AccessRemove,
    ];

    /// Returns the word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Action::TemplatePut => "template.put",
            Action::TemplateLabel => "template.label",
            Action::ConversationCreate => "conversation.create",
            Action::ConversationReplace => "conversation.replace",
            Action::ConversationDelete => "conversation.delete",
            Action::ConversationPurge => "conversation.purge",
            Action::AuditTrim => "audit.trim",
            Action::AccessAdd => "access.add",
            Action::AccessRemove => "access.remove",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Action> {
        Action::ALL.into_iter().find(|action| action.as_str() == word)
    }
}
