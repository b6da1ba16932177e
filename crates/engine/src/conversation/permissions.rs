//! Compares the hooks of a project with their grant before each run and each request, so that a hook that changed does not
//! run in a conversation that began before.

use super::Conversation;
use crate::input::{grants, resolve::ResolvedEntries};
use preface_core::{diagnostic::Diagnostics, extension::Category};
use preface_host::provider::context::Headless;

impl Conversation {
    /// Compares the project's hooks with their current grants. A revoked or changed grant is reported once; a
    /// hook that was skipped is reported at each event, as any failure is.
    pub(super) fn compare_permissions(&mut self) {
        let entries = &self.inputs.entries;
        let of_hooks = entries.scopes.of(Category::Hooks).any(|entry| entry.active && entry.needs_grant());
        let of_servers = entries.mcp.servers.iter().any(|server| server.active && server.needs_grant());
        if !of_hooks && !of_servers {
            return;
        }
        let mut diagnostics = Diagnostics::new();
        let engine = self.setup.engine();
        let context = self.inputs.context(&engine);
        let ResolvedEntries { scopes, mcp, .. } = &self.inputs.entries;
        let (scopes, mcp, granted) =
            grants::allow(&self.inputs.grants(&context), scopes.clone(), mcp.clone(), &mut diagnostics);
        drop(context);
        let entries = &mut self.inputs.entries;
        (entries.scopes, entries.mcp, entries.granted) = (scopes, mcp, granted);
        self.programs = self.setup.engine().programs(&self.inputs, &self.snapshot.turn, &Headless);
        for diagnostic in diagnostics {
            if !self.base.diagnostics.contains(&diagnostic) && !self.reported.contains(&diagnostic) {
                self.reported.push(diagnostic.clone());
                self.diagnostics.push(diagnostic);
            }
        }
    }
}
