//! The server of a query, the time limit, and the limits of an answer.

use preface_core::mcp_servers::ContentRequest;
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

/// A server of a query. Its values are ready to use: nothing here is expanded.
#[derive(Clone)]
pub struct ServerTarget {
    /// The name of the server in `mcp.json`.
    pub name: String,
    /// The transport to the server.
    pub reach: ServerEndpoint,
    /// The longest duration of the whole connection.
    pub deadline: Duration,
    /// The prompts and resources to fetch beside the lists.
    pub wants: Vec<ContentRequest>,
}

/// The transport to a server.
#[derive(Clone)]
pub enum ServerEndpoint {
    /// A program to start. It gets these variables and no others.
    Program {
        /// The program.
        command: String,
        /// The arguments of the program. Nothing passes through a shell.
        args: Vec<String>,
        /// The whole environment of the program.
        env: Vec<(String, String)>,
        /// The directory that it runs in.
        cwd: PathBuf,
    },
    /// An address with streamable HTTP.
    Address {
        /// The address.
        url: String,
        /// The headers of each request. They may be secrets.
        headers: Vec<(String, String)>,
    },
}

/// The limits of an answer, and a way to stop. Each limit of size that is reached is reported as a
/// diagnostic.
#[derive(Clone, Debug)]
pub struct QueryLimits {
    /// The most bytes that a server may send in all.
    pub bytes: usize,
    /// The most tools, prompts and resources that are listed, each.
    pub items: usize,
    /// The most bytes of a prompt's messages or a resource's contents.
    pub fetched: usize,
    /// Ends the connection early: all programs that were started are killed, with all that they started. The default one is never
    /// cancelled.
    pub stop: CancellationToken,
}

impl Default for QueryLimits {
    fn default() -> Self {
        QueryLimits { bytes: 8 << 20, items: 1000, fetched: 1 << 20, stop: CancellationToken::default() }
    }
}

// How a deadline is spent.

/// The phases of a deadline.
pub(crate) struct QueryDeadline {
    /// The time until which requests are sent.
    pub(crate) talk: tokio::time::Instant,
    /// The time at which the server must be gone.
    pub(crate) end: tokio::time::Instant,
    /// The longest wait for `server/discover`: most of the time, as a server may need that to start, and less
    /// than the ten seconds of the SDK.
    pub(crate) patience: Duration,
}

impl QueryDeadline {
    pub(crate) fn of(start: Instant, deadline: Duration) -> Self {
        // A time that is too long is a day.
        let deadline = deadline.min(Duration::from_secs(86_400));
        let closing = (deadline / 10).clamp(Duration::from_millis(150), Duration::from_secs(1)).min(deadline);
        let end = tokio::time::Instant::from_std(start + deadline);
        QueryDeadline { talk: end - closing, end, patience: (deadline * 3 / 5).min(Duration::from_secs(9)) }
    }

    /// Returns the time that is left.
    pub(crate) fn left(&self) -> Duration {
        self.end.saturating_duration_since(tokio::time::Instant::now())
    }
}
