//! Adds the recordings of the servers that may run to a build, once.

use preface_core::{
    diagnostic::Diagnostics,
    mcp_servers::{McpServers, ServerEntry, StoredRecording},
    profile::Profile,
    section::SectionBody,
};
use preface_host::{
    mcp_recordings,
    provider::{context::ProviderContext, mcp_fetched, mcp_servers},
};
use std::sync::Arc;

/// Reads the recordings of the servers that may run, where the profile has a use for them. Where no server may run, nothing
/// is read.
pub(crate) fn recall(
    mcp: &mut McpServers,
    profile: &Profile,
    context: &ProviderContext<'_>,
    diagnostics: &mut Diagnostics,
) {
    if has_use(profile) {
        let recalled = recalled(&mcp.servers, context, diagnostics);
        for (server, recalled) in mcp.servers.iter_mut().zip(recalled) {
            server.value.recorded = recalled;
        }
    }
}

/// Returns what is recorded of each server, in their order; `None` for those that may not run.
pub(crate) fn recalled(
    servers: &[ServerEntry],
    context: &ProviderContext<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Option<Arc<StoredRecording>>> {
    let recall = |server| mcp_recordings::recall(server, context).map(Arc::new);
    let recalled = servers.iter().map(|server| server.runnable.then(|| recall(server)).flatten()).collect();
    diagnostics.extend(context.diagnostics.take());
    recalled
}

/// True if a profile refers to servers.
fn has_use(profile: &Profile) -> bool {
    let fills = |body: &SectionBody| matches!(body, SectionBody::Fill(name) if name.as_str() == mcp_servers::MCP_SERVERS.name);
    let of_servers = |section| mcp_fetched::want(section).is_some() || fills(&section.body);
    profile.mcp.tools || profile.sections.iter().any(of_servers)
}
