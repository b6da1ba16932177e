//! The agents of a directory with origins and shadowed entries, and the number of valid files of agents, commands and
//! styles. The loaders are those of a build.

use crate::{Engine, Error, request::Request};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
    extension::Status,
};
use preface_host::{
    agents::{self, Agent},
    commands::{self, SlashCommand},
    markdown::MarkdownEntry,
    provider_context::ProviderContext,
    styles::{self, Style},
};
use std::cmp::Reverse;

/// A listing of agents, output styles or slash commands.
#[derive(Clone, Debug)]
pub struct FilesReport<T> {
    /// The files of all layers, active or not, sorted by name; those of one name from the strongest layer down.
    pub entries: Vec<MarkdownEntry<T>>,
    /// The diagnostics: of the files, trust, and the user's own settings.
    pub diagnostics: Diagnostics,
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
        self.with_layers(request, &mut |profile, context: &ProviderContext<'_>| {
            let _: Diagnostics = context.diagnostics.take();
            let mut counts = Vec::new();
            if profile.has_agents {
                counts.push(FileCount::of("agents", &agents::load(context)));
                counts.push(FileCount::of("commands", &commands::load(context)));
                counts.push(FileCount::of("styles", &styles::load(context)));
            }
            let mut diagnostics = context.diagnostics.take();
            diagnostics.retain(|diagnostic| diagnostic.severity >= Severity::Warning);
            diagnostics.extend(self.reminder_problems(profile, context.places));
            (counts, diagnostics)
        })
    }

    /// Finds the output styles of all layers. Returns none for a profile without agents. Nothing is written.
    ///
    /// # Errors
    /// The errors of [`Engine::build`] that occur before the project is read.
    pub fn styles(&self, request: &Request) -> Result<FilesReport<Style>, Error> {
        self.with_layers(request, &mut |profile, context| {
            let entries = if profile.has_agents { styles::load(context) } else { Vec::new() };
            report(entries, context)
        })
    }

    /// Finds the slash commands of all layers. Returns none for a profile without agents. Nothing is written.
    ///
    /// # Errors
    /// See [`Engine::styles`].
    pub fn slash_commands(&self, request: &Request) -> Result<FilesReport<SlashCommand>, Error> {
        self.with_layers(request, &mut |profile, context| {
            let entries = if profile.has_agents { commands::load(context) } else { Vec::new() };
            report(entries, context)
        })
    }

    /// Finds and checks the agents of a request's directory, as the prompt of an agent does. The project's pass the gate,
    /// without questions: untrusted entries are marked. Nothing is written.
    ///
    /// # Errors
    /// What [`Engine::build`] refuses before it looks at the project.
    pub fn agents(&self, request: &Request) -> Result<FilesReport<Agent>, Error> {
        self.with_layers(request, &mut |profile, context| {
            let mut report = report(agents::load(context), context);
            if !profile.has_agents && !report.entries.is_empty() {
                let what =
                    format!("the profile `{}` has no agents: it builds the prompt of none", profile.name);
                let help = "`--preset` names a profile with `[agents]`, such as `claude-code`";
                report.diagnostics.push(Diagnostic::warning(DiagnosticCode::AgentsUnused, what).help(help));
            }
            report
        })
    }
}

fn report<T>(mut entries: Vec<MarkdownEntry<T>>, context: &ProviderContext<'_>) -> FilesReport<T> {
    entries.sort_by_cached_key(|entry| {
        (entry.name.to_lowercase(), Reverse(entry.origin.scope), entry.shadowed_by.is_some())
    });
    FilesReport { entries, diagnostics: context.diagnostics.take() }
}
