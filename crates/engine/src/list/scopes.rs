//! The active entries of a directory with origins and shadowed entries, from the resolver.

use crate::{
    Engine, Error,
    input::{Inputs, collect::Breadth},
    request::Request,
};
use preface_core::{
    audit::AuditEvent,
    compose::check_sections,
    diagnostic::Diagnostics,
    extension::Scopes,
    mcp_servers::McpServers,
    snapshot::Snapshot,
    trust::{Trust, TrustMode},
};
use preface_host::{places::Places, provider_context::Headless};

/// Everything that listings show.
#[derive(Clone, Debug)]
pub struct ScopesReport {
    /// All extensions of all layers.
    pub scopes: Scopes,
    /// The MCP servers of all layers.
    pub mcp: McpServers,
    /// The diagnostics: of extensions, settings, sections, trust.
    pub diagnostics: Diagnostics,
    /// The events for the audit log.
    pub audit: Vec<AuditEvent>,
    /// The directories that were looked at.
    pub places: Places,
    /// The profile's name.
    pub preset: String,
    /// The profile's trust mode for a project.
    pub mode: TrustMode,
    /// The trust state of the project.
    pub trust: Trust,
}

impl Engine<'_> {
    /// Resolves what the layers bring, for a request. Nothing is started.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn scopes(&self, request: &Request) -> Result<ScopesReport, Error> {
        let (inputs, snapshot) =
            self.without_programs().read_and_collect(request, Breadth::Turn, None, &Headless)?;
        self.scopes_of(request, inputs, snapshot)
    }

    /// The same of what was collected.
    pub(crate) fn scopes_of(
        &self,
        request: &Request,
        inputs: Inputs,
        snapshot: Snapshot,
    ) -> Result<ScopesReport, Error> {
        self.refuse_untrusted_in(request, &inputs)?;
        let Inputs { project, entries, .. } = inputs;
        let sections = check_sections(&snapshot);
        let mut diagnostics = snapshot.diagnostics;
        diagnostics.extend(sections);
        match entries.refused {
            Some(Error::Catalog(refused)) => diagnostics.push(*refused),
            Some(unknown) => return Err(unknown),
            None => {}
        }
        Ok(ScopesReport {
            scopes: entries.scopes,
            mcp: entries.mcp,
            diagnostics,
            audit: snapshot.audit,
            places: project.access.places,
            preset: entries.profile.name.clone(),
            mode: entries.profile.trust,
            trust: project.access.trust,
        })
    }
}
