//! MCP servers: recordings of their offers, which become tools and texts of a prompt, and the queries that record them.
//!
//! A build queries no server: it reads the recordings of the servers that may run.
//! [`Engine::query_servers`](crate::Engine::query_servers) is the one place where a server is started or reached, and only
//! `preface mcp` and `--refresh-mcp` go there. So a server that comes and goes changes no byte of a prompt; a refresh that
//! succeeds may.

#[cfg(feature = "mcp")]
mod answer;
#[cfg(feature = "mcp")]
mod expand;
#[cfg(feature = "mcp")]
mod mask;
#[cfg(feature = "mcp")]
mod query;
#[cfg(feature = "mcp")]
mod target;
#[cfg(all(test, unix, feature = "mcp"))]
mod tests;

#[cfg(feature = "mcp")]
pub use answer::{ServerAnswer, ServerAnswers, ServerState};
#[cfg(feature = "mcp")]
pub use preface_mcp::{CancellationToken, ServerReply};
#[cfg(feature = "mcp")]
pub use query::QueryOptions;
