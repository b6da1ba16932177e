//! The result of a query of a server.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    mcp_servers::ServerDescription,
};
use std::time::Duration;

/// The result of a query of one server.
#[derive(Clone, Debug)]
pub struct ServerReply {
    /// The server's name in `mcp.json`.
    pub name: String,
    /// The duration of the connection.
    pub took: Duration,
    /// The server's own name, with its version.
    pub calls_itself: Option<String>,
    /// The negotiated version of the protocol.
    pub protocol: Option<String>,
    /// The lists of the server, or the reason why they are not known.
    pub result: Result<ServerDescription, McpError>,
    /// The lists that the server announces and refused to give: `tools`, `prompts` or `resources`.
    pub refused: Vec<&'static str>,
    /// The diagnostics of the connection, even if the server answered.
    pub diagnostics: Vec<Diagnostic>,
}

/// The reason why nothing is known of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// The server could not be started or reached.
    #[error("it could not be reached: {0}")]
    Unreachable(String),
    /// The server ended, or closed the connection, before it had answered.
    #[error("it ended before it had answered: {0}")]
    Died(String),
    /// The server did not answer in time.
    #[error("it did not answer in time")]
    Timeout,
    /// The server violated the protocol.
    #[error("it violates the protocol: {0}")]
    Protocol(String),
    /// The server sent more bytes than the limit.
    #[error("it sent more than {0} bytes")]
    TooLarge(usize),
    /// The caller stopped the connection.
    #[error("the query was stopped")]
    Stopped,
}

impl McpError {
    /// Returns the code of its diagnostic.
    #[must_use]
    pub fn code(&self) -> DiagnosticCode {
        match self {
            McpError::Unreachable(_) | McpError::Died(_) | McpError::Stopped => {
                DiagnosticCode::McpUnreachable
            }
            McpError::Timeout => DiagnosticCode::McpLate,
            McpError::Protocol(_) | McpError::TooLarge(_) => DiagnosticCode::McpProtocol,
        }
    }
}

// It outlives the exchange, so that what a server sent before a timeout is not lost.

/// The data of a server so far.
#[derive(Default)]
pub(crate) struct PartialReply {
    pub(crate) calls_itself: Option<String>,
    pub(crate) protocol: Option<String>,
    pub(crate) described: ServerDescription,
    /// True once the lists are whole; what is missing then was only wanted beside them.
    pub(crate) listed: bool,
    /// The lists that the server announces and refused to give.
    pub(crate) refused: Vec<&'static str>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The number of diagnostics that were left out.
    more: usize,
}

/// The most diagnostics about a server's lists. A server with more of them is not read to the end.
const NOTES: usize = 40;

impl PartialReply {
    pub(crate) fn note(&mut self, code: DiagnosticCode, what: impl Into<String>, remedy: &str) {
        if self.diagnostics.len() < NOTES {
            self.diagnostics.push(Diagnostic::warning(code, what).help(remedy));
        } else {
            self.more += 1;
        }
    }

    /// Adds a diagnostic with the number of those left out.
    pub(crate) fn close_diagnostics(&mut self) {
        if self.more > 0 {
            let what = format!("{} more diagnostics about what it lists are not shown", self.more);
            self.diagnostics.push(
                Diagnostic::warning(DiagnosticCode::McpProtocol, what)
                    .help("report it to the server's maintainers"),
            );
            self.more = 0;
        }
    }
}
