//! MCP servers: what they said the last time somebody asked, as tools and texts of a prompt; and asking them.
//!
//! A build asks nobody: it reads recordings, and those of servers that may run alone.
//! [`Engine::ask_servers`](crate::Engine::ask_servers) is the one place where a server is started or reached, and only
//! `preface mcp` and `--refresh-mcp` go there. So a server that comes and goes changes no byte of a prompt; a refresh that
//! succeeds may.

#[cfg(feature = "mcp")]
mod answer;
#[cfg(feature = "mcp")]
mod ask;
#[cfg(feature = "mcp")]
mod expand;
mod listing;
#[cfg(feature = "mcp")]
mod mask;
mod recall;
#[cfg(feature = "mcp")]
mod target;
#[cfg(all(test, unix, feature = "mcp"))]
mod tests;
mod tools;

#[cfg(feature = "mcp")]
pub use answer::{ServerAnswer, ServerAnswers, ServerState};
#[cfg(feature = "mcp")]
pub use ask::AskOptions;
pub use listing::{RecordingInfo, ServersReport};
#[cfg(feature = "mcp")]
pub use preface_mcp::{ServerReply, StopSignal};
pub(crate) use recall::recall;
pub(crate) use tools::{is_of_server, is_of_unknown, join, name_of_server, tools_of};
