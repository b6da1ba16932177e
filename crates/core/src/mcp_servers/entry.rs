//! An MCP server of one layer.

use super::{recording::Recalled, server::Server};
use crate::{
    extension::{EntryOrigin, Layered},
    settings::shown,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An MCP server of one layer, with the keys of an extension's row.
pub type ServerEntry = Layered<DeclaredServer>;

/// The part of an entry that only MCP servers have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "category", rename = "mcp")]
pub struct DeclaredServer {
    /// The server as written; `None` where its entry failed. It may hold what no listing may show.
    #[serde(skip)]
    pub server: Option<Server>,
    /// What is recorded of it, once it was looked for; `None` where nothing is.
    #[serde(skip)]
    pub said: Option<Arc<Recalled>>,
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

impl ServerEntry {
    /// Returns the entry of a server of which nothing is decided yet.
    pub(super) fn of(name: &str, origin: EntryOrigin, server: Server) -> Self {
        let mut row = Layered::new(DeclaredServer::default(), name, origin);
        (row.about, row.action) = (Some(server.about()), Some(server.action()));
        row.value.server = Some(server);
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
