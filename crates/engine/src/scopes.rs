//! What is active, from where, hiding what: the resolver's answer for one directory.

use crate::{
    Engine, Error,
    gather::{Breadth, Gathered},
    request::Request,
};
use preface_core::{
    audit::AuditEvent,
    diagnostic::Diagnostics,
    extension::Scopes,
    mcp_servers::McpServers,
    trust::{Trust, TrustMode},
};
use preface_host::{gate::Verdict, look::Headless, places::Places};

/// Everything that listings show.
#[derive(Clone, Debug)]
pub struct ScopesReport {
    /// All extensions of all layers.
    pub scopes: Scopes,
    /// The MCP servers of all layers.
    pub mcp: McpServers,
    /// What came up: about extensions, settings, trust.
    pub diagnostics: Diagnostics,
    /// What belongs into the log.
    pub audit: Vec<AuditEvent>,
    /// The directories that were looked at.
    pub places: Places,
    /// The profile's name.
    pub preset: String,
    /// How the profile guards a project.
    pub mode: TrustMode,
    /// What stands for the project.
    pub trust: Trust,
}

impl Engine<'_> {
    /// Resolves what the layers bring, for a request. Nothing is started.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn scopes(&self, request: &Request) -> Result<ScopesReport, Error> {
        let gathered = self.gather(request, Breadth::Turn, None, &Headless)?;
        self.scopes_of(request, gathered)
    }

    /// The same of what was gathered.
    pub(crate) fn scopes_of(&self, request: &Request, gathered: Gathered) -> Result<ScopesReport, Error> {
        let held: Vec<String> = gathered
            .gate
            .seen()
            .into_iter()
            .filter(|seen| seen.verdict != Verdict::Speaks)
            .map(|seen| seen.shown)
            .collect();
        self.refuse_held(request, &gathered.places, gathered.held_layer.as_deref(), &held)?;
        Ok(ScopesReport {
            scopes: gathered.scopes,
            mcp: gathered.mcp,
            diagnostics: gathered.diagnostics,
            audit: gathered.audit,
            places: gathered.places,
            preset: gathered.profile.name,
            mode: gathered.profile.trust,
            trust: gathered.trust,
        })
    }
}
