//! The results of the input stages of one request: `load_profile → open_project → discover → resolve`. Nothing in it changes
//! while a prompt is built; what is collected from it is a [`Snapshot`](preface_core::snapshot::Snapshot).

pub(crate) mod catalog;
pub(crate) mod collect;
pub mod consent;
pub(crate) mod discover;
pub(crate) mod extensions;
pub(crate) mod given;
pub(crate) mod grants;
pub(crate) mod load_profile;
pub(crate) mod named;
pub(crate) mod open_project;
pub(crate) mod options;
pub(crate) mod project_changes;
pub(crate) mod recordings;
pub(crate) mod reminders;
pub(crate) mod resolve;
pub(crate) mod server_tools;
pub(crate) mod source_texts;
pub(crate) mod variables;

use crate::{
    Engine, Error,
    build_options::BuildOptions,
    input::{consent::Ask, grants::ProjectGrants},
    input::{
        load_profile::LoadedProfile, open_project::OpenedProject, project_changes::ProjectChanges,
        resolve::ResolvedEntries,
    },
};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy},
    hook::SkillPath,
    layer::Stack,
    profile::{Profile, ScaffoldTrigger},
    snapshot::{SNAPSHOT_VERSION, SettingsPrompt, Snapshot},
    trust::TrustMode,
    turn::Turn,
    variable::RecordedVariables,
};
use preface_host::{
    places::Places,
    provider::context::ProviderContext,
    scaffold,
    trust::gate::{Consent, Gate, GateMark},
};
use std::{path::Path, sync::Arc};

/// The values of the input stages, and what is worked out of them together.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub loaded: LoadedProfile,
    pub first_files: FirstFiles,
    pub project: OpenedProject,
    pub entries: ResolvedEntries,
    pub changes: ProjectChanges,
    /// The paths of skills that hooks named.
    pub skill_paths: Vec<SkillPath>,
}

/// The result of creating the first files of a profile.
#[derive(Debug, Default)]
pub(crate) struct FirstFiles {
    pub diagnostics: Diagnostics,
    pub audit: Vec<AuditEvent>,
}

impl Inputs {
    pub(crate) fn places(&self) -> &Places {
        &self.project.access.places
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.project.access.gate
    }

    /// Returns what came up so far, in the order of the stages.
    pub(crate) fn diagnostics(&self) -> Diagnostics {
        let stages = [
            &self.loaded.diagnostics,
            &self.first_files.diagnostics,
            &self.project.access.diagnostics,
            &self.project.diagnostics,
            &self.entries.diagnostics,
        ];
        stages.into_iter().flatten().cloned().collect()
    }

    /// Returns a snapshot of the turn with this profile, in which nothing is collected yet.
    pub(crate) fn snapshot(&self, profile: Arc<Profile>) -> Snapshot {
        Snapshot {
            version: SNAPSHOT_VERSION,
            turn: self.entries.turn.clone(),
            profile,
            stack: Stack::default(),
            overrides: Vec::new(),
            system_prompt: SettingsPrompt::default(),
            given: self.loaded.given.clone(),
            stored: None,
            contributions: Vec::new(),
            reminders: Vec::new(),
            variables: RecordedVariables::default(),
            diagnostics: self.diagnostics(),
            audit: self.audit(),
        }
    }

    /// Returns what happened so far, in the order of the stages.
    pub(crate) fn audit(&self) -> Vec<AuditEvent> {
        let stages = [&self.first_files.audit, &self.project.access.audit, &self.entries.audit];
        stages.into_iter().flatten().cloned().collect()
    }

    /// Returns a view of the machine with the results of the stages. It never asks the user.
    pub(crate) fn context<'a>(&'a self, engine: &Engine<'a>) -> ProviderContext<'a> {
        ProviderContext {
            turn: &self.entries.turn,
            granted: Some(&self.entries.granted),
            skill_paths: &self.skill_paths,
            sections: &self.entries.profile.sections,
            servers: &self.entries.mcp.servers,
            ..self.project.access.context(engine, &self.loaded, &self.project.settings)
        }
    }

    /// Returns what is granted to the project.
    pub(crate) fn grants<'a>(&'a self, context: &'a ProviderContext<'a>) -> ProjectGrants<'a> {
        ProjectGrants::new(context, self.loaded.store.as_deref(), self.entries.profile.trust)
    }

    /// Returns the directory below which a project's own files are written: the working directory, or the project
    /// directory where that one is trusted as a whole.
    pub(crate) fn write_root(&self) -> &Path {
        match (self.entries.profile.trust, &self.places().project) {
            (TrustMode::Whole, Some(dir)) => dir,
            _ => &self.places().cwd,
        }
    }

    /// Forgets what a build looked at after the mark: each looks for itself.
    pub(crate) fn forget_after(&mut self, mark: GateMark) {
        self.loaded.bounds.forget_root();
        self.project.access.gate.forget_after(mark);
    }
}

impl Engine<'_> {
    /// Runs the input stages.
    ///
    /// # Errors
    /// Those of the stages.
    pub(crate) fn read_inputs(
        &self,
        request: &BuildOptions,
        consent: Option<Consent>,
    ) -> Result<Inputs, Error> {
        self.inputs_of(request, self.load_profile(request)?, consent)
    }

    /// The same with a profile that is loaded.
    pub(crate) fn inputs_of(
        &self,
        request: &BuildOptions,
        loaded: LoadedProfile,
        consent: Option<Consent>,
    ) -> Result<Inputs, Error> {
        let first_files = match self.scaffolds() {
            true => self.scaffold(&loaded.profile, &loaded.places),
            false => self.missing_first_files(&loaded),
        };
        let project = self.open_project(request, &loaded, consent)?;
        let layers = self.discover(&loaded, &project);
        let entries = self.resolve(request, &loaded, &project, layers);
        let changes = ProjectChanges::of(&loaded, &project, &entries);
        Ok(Inputs { loaded, first_files, project, entries, changes, skill_paths: Vec::new() })
    }

    /// Reports the first files that are not there yet, for calls that write none.
    fn missing_first_files(&self, loaded: &LoadedProfile) -> FirstFiles {
        let dir = loaded.places.global.as_ref();
        let dir = dir.filter(|_| loaded.profile.scaffold.when == ScaffoldTrigger::Discover);
        let missing = dir.filter(|dir| self.system().link_stat(dir).is_none()).map(|dir| {
            let files: Vec<&str> = loaded.profile.scaffold.files.keys().map(String::as_str).collect();
            let what = format!(
                "{} is not there yet: a build creates {}",
                loaded.places.shown(dir),
                files.join(", ")
            );
            Diagnostic::info(DiagnosticCode::ScaffoldSkipped, what)
                .help(Remedy::command("create them now", "config init"))
        });
        FirstFiles { diagnostics: missing.into_iter().collect(), audit: Vec::new() }
    }

    /// Writes the first files of a profile that has some, where the user's own directory is new.
    pub(crate) fn scaffold(&self, profile: &Profile, places: &Places) -> FirstFiles {
        let mut first = FirstFiles::default();
        if profile.scaffold.when == ScaffoldTrigger::Discover
            && let Some(dir) = &places.global
        {
            let FirstFiles { diagnostics, audit } = &mut first;
            scaffold::scaffold(self.system(), dir, &profile.scaffold, diagnostics, audit);
        }
        first
    }

    /// Returns a view of the machine for a turn.
    pub(crate) fn context<'a>(
        &'a self,
        inputs: &'a Inputs,
        turn: &'a Turn,
        ask: &'a dyn Ask,
    ) -> ProviderContext<'a> {
        ProviderContext { turn, confirm: ask.as_confirm(), ..inputs.context(self) }
    }
}
