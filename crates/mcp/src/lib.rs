//! A client of MCP servers: starts or reaches them, requests their lists and ends the connection, each within its own
//! deadline. The runtime stays inside: the calls block.

mod exchange;
mod http;
mod intake;
mod program;
mod query;
mod reach;
mod server_reply;
#[cfg(any(test, feature = "testing"))]
mod testing;
mod text;

pub use query::query_servers;
pub use reach::{QueryLimits, ServerEndpoint, ServerTarget};
pub use server_reply::{McpError, ServerReply};
#[cfg(feature = "testing")]
pub use testing::replay;
pub use tokio_util::sync::CancellationToken;
