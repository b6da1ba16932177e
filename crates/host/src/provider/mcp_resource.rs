//! Context provider `mcp-resource`: the text of a resource that an MCP server offers.

use super::{ContextProvider, mcp_fetched};
use crate::provider_context::ProviderContext;
use preface_core::{section::Section, snapshot::Contribution};

/// The provider of a resource of an MCP server.
#[derive(Debug)]
pub struct McpResource;

pub(super) const NAME: &str = "mcp-resource";

impl ContextProvider for McpResource {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "the text of a resource of an MCP server, as it was recorded"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[("server", "the name of the server"), ("uri", "the address of the resource")]
    }

    fn contribute(&self, section: &Section, context: &ProviderContext<'_>) -> Contribution {
        mcp_fetched::contribute(self, section, context)
    }
}
