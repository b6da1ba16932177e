//! MCP servers: the `mcp.json` of each layer, and which servers are active.
//!
//! ```text
//! bytes ─read→ McpFile ─resolve→ McpServers
//! ```
//!
//! [`McpFile::read`] validates each server by itself; [`resolve`] decides which of several with one id is
//! active. The result is data: nothing here starts a program or connects to an address, and no `${NAME}` is
//! expanded.

mod described;
mod entry;
mod read;
mod recording;
mod resolve;
mod server;

pub use described::{
    ContentRequest, DescribedArgument, DescribedPrompt, DescribedResource, DescribedTool, FetchedContent,
    ServerDescription,
};
pub use entry::{DeclaredServer, ServerEntry};
pub use read::McpFile;
pub use recording::{RecordedBy, Recording, StoredRecording};
pub use resolve::{McpServers, resolve};
pub use server::{McpServer, ServerAddress, StdioServer, Transport, UnexpandedValue};
