//! The active entries of a directory with origins and shadowed entries, from the resolver.

use crate::{Error, input::Inputs, list::Build};
use preface_core::{
    audit::AuditEvent,
    diagnostic::Diagnostics,
    extension::Scopes,
    mcp_servers::McpServers,
    pipeline::compose::check_sections,
    snapshot::{Item, Snapshot},
    trust::{Trust, TrustMode},
};
use preface_host::{places::Places, provider::instructions::INSTRUCTIONS};

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
    /// The instruction files that a prompt has, for people; `None` for a profile without any.
    pub instructions: Option<Vec<String>>,
}

impl Build<'_> {
    /// Returns the extensions and servers of all layers.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn scopes(&self) -> Result<ScopesReport, Error> {
        self.scopes_of(self.snapshot()?)
    }

    /// The same of what was collected.
    pub(super) fn scopes_of(&self, snapshot: Snapshot) -> Result<ScopesReport, Error> {
        self.engine.refuse_untrusted_in(&self.request, &self.inputs)?;
        let Inputs { project, entries, .. } = &self.inputs;
        let sections = check_sections(&snapshot);
        let of_files = snapshot.contributions.iter().find(|one| one.provider.as_str() == INSTRUCTIONS.name);
        let path = |item: &Item| item.variables.get("path").cloned();
        let instructions = of_files.map(|files| files.items.iter().filter_map(path).collect());
        let mut diagnostics = snapshot.diagnostics;
        diagnostics.extend(sections);
        match &entries.refused {
            Some(Error::Catalog(refused)) => diagnostics.push((**refused).clone()),
            Some(unknown) => return Err(unknown.clone()),
            None => {}
        }
        Ok(ScopesReport {
            scopes: entries.scopes.clone(),
            mcp: entries.mcp.clone(),
            diagnostics,
            audit: snapshot.audit,
            places: self.places().clone(),
            preset: entries.profile.name.clone(),
            mode: entries.profile.trust,
            trust: project.access.trust,
            instructions,
        })
    }
}
