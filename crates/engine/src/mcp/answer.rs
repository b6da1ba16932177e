//! What came of asking servers.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
    mcp_servers::Described,
    scope::Scope,
};
use serde::Serialize;

/// The code of what is wrong with an `mcp.json`.
const BROKEN: DiagnosticCode = DiagnosticCode::McpServerConfigInvalid;

/// How it went with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerState {
    /// It answered.
    Answered,
    /// It was asked and did not answer as a server does.
    Failed,
    /// It was not asked: what `mcp.json` says of it stands in the way.
    Refused,
    /// It was not asked: it is a project's, and the user has not allowed it.
    NeedsGrant,
    /// It was not asked: it is switched off, hidden, or broken.
    Inactive,
}

impl ServerState {
    /// Returns the word of listings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ServerState::Answered => "answered",
            ServerState::Failed => "failed",
            ServerState::Refused => "refused",
            ServerState::NeedsGrant => "needs grant",
            ServerState::Inactive => "not active",
        }
    }
}

/// What came of asking one server. Texts in it are the server's own and not fit to be shown as they are.
#[derive(Clone, Debug, Serialize)]
pub struct ServerAnswer {
    /// Its name in `mcp.json`.
    pub name: String,
    /// The layer that it comes from.
    pub scope: Scope,
    /// How it went.
    pub state: ServerState,
    /// True where the caller named it.
    #[serde(skip)]
    pub named: bool,
    /// How long it took, in milliseconds; `None` where it was not asked.
    pub ms: Option<u64>,
    /// The version of the protocol.
    pub protocol: Option<String>,
    /// What it calls itself.
    #[serde(rename = "callsItself")]
    pub calls_itself: Option<String>,
    /// How many tools it offers; `None` where it did not answer.
    pub tools: Option<usize>,
    /// How many prompts.
    pub prompts: Option<usize>,
    /// How many resources.
    pub resources: Option<usize>,
    /// The file where that was recorded, for people; `None` where nothing was.
    pub recorded: Option<String>,
    /// True where an older recording stays, because there is no new one.
    #[serde(rename = "keepsOld")]
    pub keeps_old: bool,
    /// What came up.
    pub diagnostics: Diagnostics,
    /// All that it said.
    #[serde(skip)]
    pub said: Option<Described>,
}

impl ServerAnswer {
    /// True where the caller did not get what was asked for. A server that waits and that nobody named is no failure.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        match self.state {
            ServerState::Answered => false,
            ServerState::Failed | ServerState::Refused => true,
            ServerState::NeedsGrant | ServerState::Inactive => self.named,
        }
    }
}

/// What came of asking servers.
#[derive(Clone, Debug)]
pub struct ServerAnswers {
    /// One answer for each, by name.
    pub servers: Vec<ServerAnswer>,
    /// What came up beside them: about the layers and their files.
    pub diagnostics: Diagnostics,
}

impl ServerAnswers {
    /// True where no server failed and, where all were meant, each file could be read and no entry of one is broken.
    #[must_use]
    pub fn all_well(&self) -> bool {
        let all_meant = !self.servers.iter().any(|server| server.named);
        let broken = |note: &Diagnostic| note.severity == Severity::Error && note.code == BROKEN;
        let unread = all_meant && self.diagnostics.iter().any(broken);
        !unread && !self.servers.iter().any(ServerAnswer::is_failure)
    }
}
