//! The results of queries to MCP servers.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
    mcp_servers::ServerDescription,
    scope::Scope,
};
use serde::Serialize;

/// The code of what is wrong with an `mcp.json`.
const BROKEN: DiagnosticCode = DiagnosticCode::McpServerConfigInvalid;

/// The result of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerState {
    /// The server answered.
    Answered,
    /// The query failed, or sent something invalid.
    Failed,
    /// The server was not queried: with its entry it cannot be started or reached; the diagnostic has the reason.
    NotQueried,
    /// The server was not queried: it belongs to a project, and the user has not allowed it.
    NeedsGrant,
    /// The server was not queried: it is disabled, hidden, or invalid.
    Inactive,
}

impl ServerState {
    /// Returns the word of listings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ServerState::Answered => "answered",
            ServerState::Failed => "failed",
            ServerState::NotQueried => "not queried",
            ServerState::NeedsGrant => "needs grant",
            ServerState::Inactive => "not active",
        }
    }
}

/// The answer of one server. Texts in it are the server's own and must be escaped before they are shown.
#[derive(Clone, Debug, Serialize)]
pub struct ServerAnswer {
    /// The name in `mcp.json`.
    pub name: String,
    /// The layer that it comes from.
    pub scope: Scope,
    /// The result.
    pub state: ServerState,
    /// True if the caller named it.
    #[serde(skip)]
    pub named: bool,
    /// The time that the server took, in milliseconds; `None` if it was not queried.
    pub ms: Option<u64>,
    /// The version of the protocol.
    pub protocol: Option<String>,
    /// The name that the server reports for itself.
    pub calls_itself: Option<String>,
    /// The number of tools; `None` if the server did not answer.
    pub tools: Option<usize>,
    /// The number of prompts.
    pub prompts: Option<usize>,
    /// The number of resources.
    pub resources: Option<usize>,
    /// The file where that was recorded, for people; `None` if nothing was.
    pub recorded: Option<String>,
    /// True if an older recording stays, because there is no new one.
    pub keeps_old: bool,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
    /// The whole answer; `None` if the server did not answer.
    pub description: Option<ServerDescription>,
}

impl ServerAnswer {
    /// Returns true if a query of the caller failed. A waiting server that was not named is no
    /// failure.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        match self.state {
            ServerState::Answered => false,
            ServerState::Failed | ServerState::NotQueried => true,
            ServerState::NeedsGrant | ServerState::Inactive => self.named,
        }
    }
}

/// The answers of all queried servers.
#[derive(Clone, Debug)]
pub struct ServerAnswers {
    /// One answer for each, by name.
    pub servers: Vec<ServerAnswer>,
    /// The other diagnostics: of the layers and their files.
    pub diagnostics: Diagnostics,
}

impl ServerAnswers {
    /// True if no server failed and, where all were meant, each file could be read and no entry of one is broken.
    #[must_use]
    pub fn all_well(&self) -> bool {
        let all_meant = !self.servers.iter().any(|server| server.named);
        let broken =
            |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error && diagnostic.code == BROKEN;
        let unread = all_meant && self.diagnostics.iter().any(broken);
        !unread && !self.servers.iter().any(ServerAnswer::is_failure)
    }
}
