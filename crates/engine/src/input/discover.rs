//! The third input stage: the files of each scope that entries come from. Each is read once, through the gate; nothing is
//! decided here but that.

use crate::{
    Engine,
    input::{load_profile::LoadedProfile, open_project::OpenedProject},
};
use preface_core::{
    diagnostic::Diagnostics,
    extension::{DiscoveredManifest, Grants, Ordering, Scopes, resolve},
    mcp_servers::McpFile,
    settings::MergedSettings,
};
use preface_host::{
    agents::{self, AgentEntry},
    extensions,
    provider::context::ProviderContext,
    styles::{self, StyleEntry},
};

/// The option that names an output style.
pub(crate) const STYLE: &str = "outputStyle";

/// The files that entries come from, as they were read.
pub(crate) struct DiscoveredFiles {
    pub extensions: ExtensionFiles,
    /// The `mcp.json` of each scope, the bundled one first.
    pub servers: Vec<McpFile>,
    /// Empty if the request has no agent.
    pub agents: Vec<AgentEntry>,
    /// Empty if no option names one.
    pub styles: Vec<StyleEntry>,
    pub diagnostics: Diagnostics,
}

/// The manifests of all scopes, and what orders them.
pub(crate) struct ExtensionFiles {
    found: Vec<DiscoveredManifest>,
    orderings: Vec<Ordering>,
}

impl ExtensionFiles {
    /// Reads the manifests of all scopes.
    pub(crate) fn read(flat: bool, context: &ProviderContext<'_>) -> Self {
        let mut found = extensions::bundled(context);
        found.extend(extensions::of_layers(flat, context));
        ExtensionFiles { found, orderings: extensions::orderings(context) }
    }

    /// Decides which of them are active. Nothing is started.
    pub(crate) fn resolve(self, settings: &MergedSettings, grants: &dyn Grants) -> Scopes {
        #[cfg(feature = "schema")]
        let checker = crate::schema::JsonSchema;
        #[cfg(not(feature = "schema"))]
        let checker = preface_core::extension::NoSchemas;
        resolve(self.found, settings, &self.orderings, &checker, grants)
    }
}

impl Engine<'_> {
    /// Reads the files that entries come from.
    pub(crate) fn discover(&self, loaded: &LoadedProfile, project: &OpenedProject) -> DiscoveredFiles {
        let context = project.access.context(self, loaded, &project.settings);
        let extensions = ExtensionFiles::read(loaded.profile.home.flat_extensions, &context);
        let servers = extensions::mcp_files(&loaded.profile.mcp, &context);
        let diagnostics = context.diagnostics.take();
        let (mut agents, mut styles) = (Vec::new(), Vec::new());
        if loaded.turn.agent.is_some() {
            agents = agents::load(&context);
        }
        if loaded.profile.options.contains_key(STYLE) {
            styles = styles::load(&context);
        }
        // What is wrong with agents and styles is reported by the context providers that use them.
        DiscoveredFiles { extensions, servers, agents, styles, diagnostics }
    }
}
