//! What came of talking to a server.

use preface_core::{diagnostic::Diagnostic, mcp_servers::Described};
use std::{fmt, time::Duration};

/// What came of talking to one server.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The server's name in `mcp.json`.
    pub name: String,
    /// How long it took.
    pub took: Duration,
    /// What it calls itself, with its version.
    pub calls_itself: Option<String>,
    /// The version of the protocol that both settled on.
    pub protocol: Option<String>,
    /// What it says of itself, or why that is not known.
    pub said: Result<Described, Trouble>,
    /// What came up on the way, also where it answered.
    pub notes: Vec<Diagnostic>,
}

/// Why nothing is known of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It could not be started or reached.
    Unreachable(String),
    /// It ended, or closed the connection, before it had answered.
    Died(String),
    /// It did not answer in time.
    Late,
    /// It said what no server says.
    Lied(String),
    /// It said more than anybody listens to.
    Flooded(usize),
    /// The caller wanted no answer any more.
    Stopped,
}

impl Trouble {
    /// Returns the code of its diagnostic.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Trouble::Unreachable(_) => "mcp/unreachable",
            Trouble::Died(_) => "mcp/died",
            Trouble::Late => "mcp/late",
            Trouble::Lied(_) => "mcp/protocol",
            Trouble::Flooded(_) => "mcp/flood",
            Trouble::Stopped => "mcp/stopped",
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Unreachable(why) => write!(f, "it could not be reached: {why}"),
            Trouble::Died(why) => write!(f, "it ended before it had answered: {why}"),
            Trouble::Late => write!(f, "it did not answer in time"),
            Trouble::Lied(why) => write!(f, "it does not speak the protocol: {why}"),
            Trouble::Flooded(bytes) => write!(f, "it sent more than {bytes} bytes"),
            Trouble::Stopped => write!(f, "asking it was stopped"),
        }
    }
}
