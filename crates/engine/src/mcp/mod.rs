//! MCP servers: what they said the last time somebody asked, as tools and texts of a prompt.
//!
//! A build asks nobody: it reads recordings, and those of servers that may run alone. So a server that comes and goes changes
//! no byte of a prompt.

mod listing;
mod recall;
mod tools;

pub use listing::{Known, ServersReport};
pub(crate) use tools::is_of_server;
