//! An MCP server of one layer.

use super::{recording::StoredRecording, server::McpServer};
use crate::{
    extension::{Entry, EntryKind, EntryOrigin, Status},
    settings::shown,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An MCP server of one layer, with the fields that it shares with extensions.
pub type ServerEntry = Entry<DeclaredServer>;

/// The fields of an entry that only MCP servers have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "category", rename = "mcp")]
pub struct DeclaredServer {
    /// The server as written; `None` if its entry failed. It may contain secrets that no listing may show.
    #[serde(skip)]
    pub server: Option<McpServer>,
    /// The recording, after it was looked up; `None` if there is none.
    #[serde(skip)]
    pub recorded: Option<Arc<StoredRecording>>,
}

#[cfg(feature = "openapi")]
impl utoipa::PartialSchema for DeclaredServer {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::{ObjectBuilder, Type};
        let category = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["mcp"]));
        ObjectBuilder::new().property("category", category).required("category").into()
    }
}

#[cfg(feature = "openapi")]
impl utoipa::ToSchema for DeclaredServer {}

impl EntryKind for DeclaredServer {
    fn kind(&self) -> &'static str {
        "MCPServer"
    }
}

impl ServerEntry {
    /// Returns the entry of a server before it is resolved; without a server it is invalid.
    pub(super) fn of(name: &str, origin: EntryOrigin, server: Option<McpServer>) -> Self {
        let scope = origin.scope;
        let mut row = Entry::new(DeclaredServer::default(), name, origin);
        row.status = if server.is_some() { Status::Ok } else { Status::Disabled };
        row.about = server.as_ref().map(|server| server.about(scope));
        row.action = server.as_ref().map(|server| server.action(scope));
        row.value.server = server;
        row
    }

    /// Returns the id as a word of a command line.
    #[must_use]
    pub fn word(&self) -> String {
        let is_plain = |c: char| c.is_alphanumeric() || "-_./:@+,=".contains(c);
        let name = shown(&self.name);
        if !name.is_empty() && name.chars().all(is_plain) {
            return name;
        }
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}
