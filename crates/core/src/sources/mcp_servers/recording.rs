//! The recorded description of a server, with the time: one file for each way of reaching a server.

use super::described::ServerDescription;
use serde::{Deserialize, Serialize};

/// The description of a server, and the time at which it was recorded.
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
    /// The time of the recording, RFC 3339. It is never part of a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// The negotiated version of the protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// The name and version that the server reports.
    #[serde(default, rename = "callsItself", skip_serializing_if = "Option::is_none")]
    pub calls_itself: Option<String>,
    /// The description that the server reports.
    #[serde(flatten)]
    pub described: ServerDescription,
}

/// The author of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordedBy {
    /// The user, by hand.
    Hand,
    /// preface, from the server's replies.
    Preface,
}

/// A server's recording, which is available without a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRecording {
    /// The author.
    pub by: RecordedBy,
    /// The recording.
    pub recording: Recording,
}
