//! MCP servers: what each layer's `mcp.json` says, and which servers are active.
//!
//! ```text
//! bytes ─read→ McpFile ─resolve→ McpServers
//! ```
//!
//! [`McpFile::read`] judges each server by itself, [`resolve`] decides which of several of one id is active. The result
//! is data: nothing here starts a program or talks to an address, and no `${NAME}` is expanded.

mod described;
mod entry;
mod read;
mod recording;
mod resolve;
mod server;

pub use described::{
    Described, DescribedArgument, DescribedPrompt, DescribedResource, DescribedTool, Fetched, Want,
};
pub use entry::{DeclaredServer, ServerEntry};
pub use read::McpFile;
pub use recording::{Recalled, RecordedBy, Recording};
pub use resolve::{McpServers, resolve, resolve_granted};
pub use server::{Address, Launch, Server, Transport, Written};
