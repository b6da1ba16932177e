//! What is recorded of the servers that may run enters a build here, once.

use super::tools;
use crate::{Engine, gather::Gathered, request::ToolChoice};
use preface_core::{diagnostic::Diagnostics, mcp_servers::Recalled, profile::Profile, section::Body};
use preface_host::{look::Headless, mcp_recordings, provider::mcp_fetched};
use std::sync::Arc;

impl Engine<'_> {
    /// Reads the recordings of the servers that may run, where the profile has a use for them, and makes their tools active
    /// where it says so. Where no server may run, nothing is read.
    pub(crate) fn recall_servers(
        &self,
        choice: &ToolChoice,
        gathered: &mut Gathered,
        notes: &mut Diagnostics,
    ) {
        if has_use(&gathered.profile) {
            let said = self.recalled(gathered, notes);
            for (server, said) in gathered.mcp.servers.iter_mut().zip(said) {
                server.said = said;
            }
        }
        if gathered.profile.mcp.tools {
            gathered.server_tools = tools::of(&gathered.mcp.servers, notes);
            tools::join(choice, gathered, notes);
        }
    }

    /// What is recorded of each server, in their order; `None` for those that may not run.
    pub(super) fn recalled(
        &self,
        gathered: &Gathered,
        notes: &mut Diagnostics,
    ) -> Vec<Option<Arc<Recalled>>> {
        let look = self.look(gathered, &Headless);
        let recall = |server| mcp_recordings::recall(server, &look).map(Arc::new);
        let servers = gathered.mcp.servers.iter();
        let said = servers.map(|server| server.runnable.then(|| recall(server)).flatten()).collect();
        notes.extend(look.notes.take());
        said
    }
}

/// True where a profile says anything of servers.
fn has_use(profile: &Profile) -> bool {
    let fills = |body: &Body| matches!(body, Body::Fill(name) if name.as_str() == "mcp-servers");
    let of_servers = |section| mcp_fetched::want(section).is_some() || fills(&section.body);
    profile.mcp.tools || profile.sections.iter().any(of_servers)
}
