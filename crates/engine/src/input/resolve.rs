//! The fourth input stage: the active entries of the layers, the tools, and the effect of an agent or an output style
//! on the profile.

use crate::{
    Engine, Error,
    build_options::BuildOptions,
    input::{
        catalog,
        discover::DiscoveredFiles,
        extensions,
        grants::{self, ProjectGrants},
        load_profile::LoadedProfile,
        named::{self, NamedEntries},
        open_project::OpenedProject,
        recordings, server_tools,
    },
};
use preface_core::{
    audit::AuditEvent,
    diagnostic::Diagnostics,
    extension::{Category, Scopes},
    mcp_servers::{self, McpServers},
    profile::Profile,
    scope::Scope,
    turn::{OF_SERVER, Tool, Turn},
};
use preface_host::{provider::agent::AGENT, trust::GrantedCommands};
use std::sync::Arc;

/// The entries of all scopes, and the profile and the turn as they leave them.
#[derive(Debug)]
pub(crate) struct ResolvedEntries {
    /// With the texts of a catalog, and the options that an agent and an output style set.
    pub profile: Arc<Profile>,
    /// With the active tools, and the agent by the name that its file has.
    pub turn: Turn,
    pub scopes: Scopes,
    pub mcp: McpServers,
    /// The commands of the project that may run.
    pub granted: GrantedCommands,
    /// The tools of servers that could be active.
    pub server_tools: Vec<Tool>,
    /// The reason why no prompt can be built: there is no such agent, or the catalog that the profile names cannot be
    /// used. Listings report that.
    pub refused: Option<Error>,
    pub diagnostics: Diagnostics,
    pub audit: Vec<AuditEvent>,
}

impl ResolvedEntries {
    /// Returns true if the project brings an active tool: by a manifest, or by a server.
    pub fn is_of_project(&self, tool: &Tool) -> bool {
        let origin = match tool.source.as_deref().and_then(|source| source.strip_prefix(OF_SERVER)) {
            Some(server) => self.mcp.active(server).map(|entry| &entry.origin),
            None => self.scopes.active(Category::Tools, &tool.name).map(|entry| &entry.origin),
        };
        origin.is_some_and(|origin| origin.scope == Scope::Project)
    }
}

impl Engine<'_> {
    /// Decides which entries are active, with what was granted to the project and what servers offered when they were last
    /// asked.
    pub(crate) fn resolve(
        &self,
        request: &BuildOptions,
        loaded: &LoadedProfile,
        project: &OpenedProject,
        layers: DiscoveredFiles,
    ) -> ResolvedEntries {
        let context = project.access.context(self, loaded, &project.settings);
        let mut profile = loaded.profile.clone();
        let mut turn = loaded.turn.clone();
        let mut diagnostics = layers.diagnostics;

        let grants = ProjectGrants::new(&context, loaded.store.as_deref(), profile.trust);
        let scopes = layers.extensions.resolve(&project.settings, &grants);
        diagnostics.extend(scopes.diagnostics.iter().cloned());
        let audit = scopes.audit();
        turn.tools = extensions::tools(&request.tools, &profile, &scopes, &mut diagnostics);
        let servers = mcp_servers::resolve(layers.servers, &|server| grants.may_start(server));
        diagnostics.extend(servers.diagnostics.iter().cloned());
        let (scopes, mut servers, granted) = grants::allow(&grants, scopes, servers, &mut diagnostics);
        recordings::recall(&mut servers, &profile, &context, &mut diagnostics);
        let mut server_tools = Vec::new();
        if profile.mcp.tools {
            server_tools = server_tools::tools_of(&servers.servers, &mut diagnostics);
            server_tools::join(&request.tools, &server_tools, &mut turn.tools, &mut diagnostics);
        }
        let named = named::find(turn.agent.as_deref(), &profile, &layers.agents, &layers.styles);
        let (named, unknown) =
            named.map_or_else(|error| (NamedEntries::default(), Some(error)), |named| (named, None));
        let is_on = extensions::switched_off(&scopes, AGENT.id).is_none();
        let agent = named.bundled_agent().filter(|_| is_on);
        let laid =
            catalog::lay(self.system(), context.places, &mut profile, agent, &turn.tools, &mut diagnostics);
        let refused = unknown.or(laid.err());
        let entries = ResolvedEntries {
            profile,
            turn,
            scopes,
            mcp: servers,
            granted,
            server_tools,
            refused,
            diagnostics,
            audit,
        };
        named.apply(entries)
    }
}
