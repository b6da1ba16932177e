//! The agents of a directory with origins and shadowed entries, and the number of valid files of agents, commands and
//! styles. The loaders are those of a build.

use crate::{Engine, Error, request::Request};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
    extension::Status,
    trust::TrustMode,
};
use preface_host::{
    agents::{self, AgentEntry},
    commands,
    markdown::MarkdownEntry,
    provider_context::ProviderContext,
    styles::{self, StyleEntry},
};

/// A listing of agents.
#[derive(Clone, Debug)]
pub struct AgentsReport {
    /// The files of all layers, active or not, sorted by name; those of one name from the strongest layer down.
    pub agents: Vec<AgentEntry>,
    /// The diagnostics: of agents, trust, and the user's own settings.
    pub diagnostics: Diagnostics,
    /// The profile's trust mode for a project.
    pub mode: TrustMode,
}

/// The numbers of Markdown files of a kind in all layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileCount {
    /// The kind: `agents`, `commands` or `styles`.
    pub kind: &'static str,
    /// The active files.
    pub active: usize,
    /// The files that cannot be used.
    pub invalid: usize,
}

impl FileCount {
    fn of<T>(kind: &'static str, entries: &[MarkdownEntry<T>]) -> Self {
        let invalid = |entry: &&MarkdownEntry<T>| entry.status == Status::Disabled;
        FileCount {
            kind,
            active: entries.iter().filter(|entry| entry.active).count(),
            invalid: entries.iter().filter(invalid).count(),
        }
    }
}

impl Engine<'_> {
    /// Counts the files of agents, commands and styles, with the warnings about them. A profile without agents has none.
    ///
    /// # Errors
    /// See [`Engine::agents`].
    pub fn file_counts(&self, request: &Request) -> Result<(Vec<FileCount>, Diagnostics), Error> {
        let (counts, mut diagnostics) =
            self.looking_at_skills(request, &mut |profile, look: &ProviderContext<'_>| {
                let _: Diagnostics = look.diagnostics.take();
                if !profile.has_agents {
                    return (Vec::new(), Diagnostics::new());
                }
                let counts = vec![
                    FileCount::of("agents", &agents::load(look)),
                    FileCount::of("commands", &commands::load(look)),
                    FileCount::of("styles", &styles::load(look)),
                ];
                let mut diagnostics = look.diagnostics.take();
                diagnostics.retain(|diagnostic| diagnostic.severity >= Severity::Warning);
                (counts, diagnostics)
            })?;
        diagnostics.extend(self.reminder_problems(request)?);
        Ok((counts, diagnostics))
    }

    /// Finds the output styles of all layers, sorted by name. Returns none for a profile without agents. Nothing is written.
    ///
    /// # Errors
    /// The errors of [`Engine::build`] that occur before the project is read.
    pub fn styles(&self, request: &Request) -> Result<(Vec<StyleEntry>, Diagnostics), Error> {
        self.looking_at_skills(request, &mut |profile, look| {
            if !profile.has_agents {
                return (Vec::new(), Diagnostics::new());
            }
            let mut styles = styles::load(look);
            styles.sort_by_cached_key(|entry| {
                (entry.name.to_lowercase(), std::cmp::Reverse(entry.origin.scope))
            });
            (styles, look.diagnostics.take())
        })
    }

    /// Finds and checks the agents of a request's directory, as the prompt of an agent does. The project's pass the gate,
    /// without questions: untrusted entries are marked. Nothing is written.
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
            let mut diagnostics = look.diagnostics.take();
            if !profile.has_agents && !agents.is_empty() {
                let what =
                    format!("the profile `{}` has no agents: it builds the prompt of none", profile.name);
                let help = "use a profile with `[agents]`, such as `claude-code`";
                diagnostics.push(Diagnostic::warning(DiagnosticCode::AgentsUnused, what).help(help));
            }
            AgentsReport { agents, diagnostics, mode: profile.trust }
        })
    }
}
