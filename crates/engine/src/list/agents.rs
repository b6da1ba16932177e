//! The agents of a directory with origins and shadowed entries, and the number of valid files of skills, agents, commands and
//! styles. The loaders are those of a build.

use crate::list::{Build, skills};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
    extension::{Entry, Status},
};
use preface_host::{
    agents::{self, Agent},
    commands::{self, SlashCommand},
    markdown::MarkdownEntry,
    provider::context::ProviderContext,
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
    /// The kind: `skills`, `agents`, `commands` or `styles`.
    pub kind: &'static str,
    /// The active files.
    pub active: usize,
    /// The files that cannot be used.
    pub invalid: usize,
}

impl FileCount {
    fn of<T>(kind: &'static str, entries: &[Entry<T>]) -> Self {
        let invalid = |entry: &&Entry<T>| entry.status == Status::Disabled;
        FileCount {
            kind,
            active: entries.iter().filter(|entry| entry.active).count(),
            invalid: entries.iter().filter(invalid).count(),
        }
    }
}

impl Build<'_> {
    /// Counts the files of skills, agents, commands and styles, with the warnings about them. A profile without a section for skills,
    /// or without agents, has none.
    #[must_use]
    pub fn file_counts(&self) -> (Vec<FileCount>, Diagnostics) {
        let (profile, context) = (self.profile(), &self.inputs.context(&self.engine));
        let skills = skills::load(profile, context).map(|skills| FileCount::of("skills", &skills));
        let mut counts: Vec<FileCount> = skills.into_iter().collect();
        if profile.has_agents {
            counts.push(FileCount::of("agents", &agents::load(context)));
            counts.push(FileCount::of("commands", &commands::load(context)));
            counts.push(FileCount::of("styles", &styles::load(context)));
        }
        let mut diagnostics = context.diagnostics.take();
        diagnostics.retain(|diagnostic| diagnostic.severity >= Severity::Warning);
        diagnostics.extend(self.engine.reminder_problems(profile, context.places));
        (counts, diagnostics)
    }

    /// Finds the output styles of all layers. Returns none for a profile without agents.
    #[must_use]
    pub fn styles(&self) -> FilesReport<Style> {
        let context = &self.context();
        report(if self.profile().has_agents { styles::load(context) } else { Vec::new() }, context)
    }

    /// Finds the slash commands of all layers. Returns none for a profile without agents.
    #[must_use]
    pub fn slash_commands(&self) -> FilesReport<SlashCommand> {
        let context = &self.context();
        report(if self.profile().has_agents { commands::load(context) } else { Vec::new() }, context)
    }

    /// Finds and checks the agents, as the prompt of an agent does.
    #[must_use]
    pub fn agents(&self) -> FilesReport<Agent> {
        let (profile, context) = (self.profile(), &self.context());
        let mut report = report(agents::load(context), context);
        if !profile.has_agents && !report.entries.is_empty() {
            let what = format!("the profile `{}` has no agents: it builds the prompt of none", profile.name);
            let help = "`--preset` names a profile with `[agents]`, such as `claude-code`";
            report.diagnostics.push(Diagnostic::warning(DiagnosticCode::AgentsUnused, what).help(help));
        }
        report
    }
}

fn report<T>(mut entries: Vec<MarkdownEntry<T>>, context: &ProviderContext<'_>) -> FilesReport<T> {
    entries.sort_by_cached_key(|entry| {
        (entry.name.to_lowercase(), Reverse(entry.origin.scope), entry.shadowed_by.is_some())
    });
    FilesReport { entries, diagnostics: context.diagnostics.take() }
}
