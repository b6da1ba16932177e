//! Context provider `mcp-prompt`: the messages of a prompt that an MCP server offers.

use super::{ContextProvider, mcp_fetched};
use crate::provider_context::ProviderContext;
use preface_core::{section::Section, snapshot::Contribution};

/// The provider of a prompt of an MCP server.
#[derive(Debug)]
pub struct McpPrompt;

pub(super) const NAME: &str = "mcp-prompt";

impl ContextProvider for McpPrompt {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "the messages of a prompt of an MCP server, as they were recorded"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("arguments", "a table of texts that the prompt is given"),
            ("prompt", "the name of the prompt"),
            ("server", "the name of the server"),
        ]
    }

    fn contribute(&self, section: &Section, context: &ProviderContext<'_>) -> Contribution {
        mcp_fetched::contribute(self, section, context)
    }
}
