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
    pub action: AuditAction,
    /// The name of the template, conversation or token.
    pub subject: String,
    /// The details: version, revision, fingerprint, reason.
    pub detail: Value,
}

/// The kind of an audited action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuditAction {
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
    #[serde(rename = "token.create")]
    TokenCreate,
    /// A token was revoked.
    #[serde(rename = "token.revoke")]
    TokenRevoke,
}

impl AuditAction {
    /// Returns the word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            AuditAction::TemplatePut => "template.put",
            AuditAction::TemplateLabel => "template.label",
            AuditAction::ConversationCreate => "conversation.create",
            AuditAction::ConversationReplace => "conversation.replace",
            AuditAction::ConversationDelete => "conversation.delete",
            AuditAction::ConversationPurge => "conversation.purge",
            AuditAction::AuditTrim => "audit.trim",
            AuditAction::TokenCreate => "token.create",
            AuditAction::TokenRevoke => "token.revoke",
        }
    }
}
