//! The agents of a directory: which there are, from where, hiding what. The loader is the prompt's.

use crate::{Engine, Error, request::Request};
use preface_core::{
    diagnostic::{Diagnostic, Diagnostics},
    trust::TrustMode,
};
use preface_host::agents::{self, AgentEntry};

/// What a listing of agents shows.
#[derive(Clone, Debug)]
pub struct AgentsReport {
    /// The files of all layers, active or not, sorted by name; those of one name from the strongest layer down.
    pub agents: Vec<AgentEntry>,
    /// What came up: about agents, trust, and the user's own settings.
    pub diagnostics: Diagnostics,
    /// How the profile guards a project.
    pub mode: TrustMode,
}

impl Engine<'_> {
    /// Finds and checks the agents of a request's directory, as the prompt of an agent does. The project's pass the gate,
    /// and nobody is asked: what is held says so. Nothing is written.
    ///
    /// # Errors
    /// What [`Engine::build`] refuses before it looks at the project.
    pub fn agents(&self, request: &Request) -> Result<AgentsReport, Error> {
        self.looking_at_skills(request, &mut |profile, look| {
            let mut agents = agents::load(look);
            agents.sort_by_cached_key(|entry| {
                (
                    entry.name.to_lowercase(),
                    std::cmp::Reverse(entry.origin.scope),
                    entry.shadowed_by.is_some(),
                )
            });
            let mut diagnostics = look.notes.take();
            if !profile.has_agents && !agents.is_empty() {
                let what =
                    format!("the profile `{}` has no agents: it builds the prompt of none", profile.name);
                let help = "`--preset` names a profile with `[agents]`, such as `claude-code`";
                diagnostics.push(Diagnostic::warning("agents/unused", what).help(help));
            }
            AgentsReport { agents, diagnostics, mode: profile.trust }
        })
    }
}
