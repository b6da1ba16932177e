//! Events for the audit log. Prompt text never enters one.

pub mod scrub;

use crate::{extension::OrderingRewrite, scope::Scope, settings::SetBy};
use serde::{Deserialize, Serialize};

/// One thing that happened, without the text that it happened to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", content = "payload")]
pub enum AuditEvent {
    /// A context provider put text into the prompt of this turn.
    #[serde(rename_all = "camelCase")]
    ContextContributionMade {
        /// The provider's id.
        provider_id: String,
        /// UTF-8 bytes of the text that was really contributed, after clipping.
        byte_count: usize,
    },
    /// The bundled default `system.md` was written, because the global directory was just created.
    #[serde(rename_all = "camelCase")]
    SystemPromptScaffolded {
        /// The resolved path.
        path: String,
        /// Bytes written.
        byte_count: usize,
    },
    /// The user trusts a project.
    #[serde(rename_all = "camelCase")]
    ProjectTrusted {
        /// The canonical path that the record is about.
        canonical_path: String,
    },
    /// The user declined a project.
    #[serde(rename_all = "camelCase")]
    ProjectDeclined {
        /// The canonical path that the record is about.
        canonical_path: String,
    },
    /// The user trusts a project for this call.
    #[serde(rename_all = "camelCase")]
    ProjectTrustOnce {
        /// The canonical path.
        canonical_path: String,
    },
    /// A trust decision was looked up for this turn.
    #[serde(rename_all = "camelCase")]
    TrustDecision {
        /// The canonical path.
        canonical_path: String,
        /// The state of trust: trusted, once, untrusted, declined, stale.
        decision: String,
    },
    /// An ordering manifest rewrote the order of a slot.
    OrderingRewrite(OrderingRewrite),
    /// The loaded extensions, the layer of each, and the entries that they hide.
    ExtensionSetRevised {
        /// The active extensions.
        loaded: Vec<LoadedExtension>,
        /// `<category>/<name>` of those that are switched off or failed and have no other entry in their place.
        disabled: Vec<String>,
    },
    /// The user allowed a project to do something, or no longer.
    #[serde(rename_all = "camelCase")]
    Approval {
        /// The canonical path that the record is about.
        canonical_path: String,
        /// `granted` or `revoked`.
        decision: String,
        /// The affected extensions, such as `hooks/check`.
        subjects: Vec<String>,
    },
    /// An error was swallowed on purpose.
    #[serde(rename_all = "camelCase")]
    SuppressedError {
        /// The action during which the error occurred.
        reason: String,
        /// The message of the error.
        cause: String,
    },
}

/// An active extension in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LoadedExtension {
    /// The name of the extension.
    pub id: String,
    /// The kind of extension, such as `Tool`.
    pub kind: String,
    /// The layer that brings the extension.
    pub scope: Scope,
    /// The strongest layer whose configuration counts.
    pub config_scope: SetBy,
    /// The layers whose entry of the same name it hides.
    pub shadows: Vec<Scope>,
    /// The layer of the broken override that it stays active in spite of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_from: Option<Scope>,
}
