//! What a server said of itself, with when it was asked: one file for each way of reaching a server.

use super::described::Described;
use serde::{Deserialize, Serialize};

/// What a server said, and when.
///
/// ```
/// use preface_core::mcp_servers::Recording;
/// let text = r#"{"recorded": "2026-03-07T14:55:05Z", "tools": [{"name": "status"}]}"#;
/// let recording: Recording = serde_json::from_str(text)?;
/// assert_eq!(recording.described.tools[0].name, "status");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// When it was asked, RFC 3339. No prompt ever says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// The version of the protocol that both settled on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// What the server calls itself, with its version.
    #[serde(default, rename = "callsItself", skip_serializing_if = "Option::is_none")]
    pub calls_itself: Option<String>,
    /// What it said.
    #[serde(flatten)]
    pub described: Described,
}

/// Who wrote down what a server said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordedBy {
    /// The user, by hand.
    Hand,
    /// preface, when it asked the server.
    Preface,
}

/// What is known of a server without asking it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    /// Who wrote it.
    pub by: RecordedBy,
    /// What is written.
    pub recording: Recording,
}
