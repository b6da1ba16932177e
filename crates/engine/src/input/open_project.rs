//! The second input stage: the trust of the project, and its settings.

use crate::{
    Engine, Error, build_options::BuildOptions, input::consent::ProjectAccess,
    input::load_profile::LoadedProfile,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    settings::{self, LayerSettings, MergedSettings},
    snapshot::SettingsPrompt,
};
use preface_host::{discover, trust::gate::Consent};
use std::sync::Arc;

/// The project of a request, as far as it may be used.
#[derive(Debug)]
pub(crate) struct OpenedProject {
    pub access: ProjectAccess,
    /// The project's settings files that may be used.
    pub layers: Vec<LayerSettings>,
    /// The settings of all scopes.
    pub settings: Arc<MergedSettings>,
    /// `systemPrompt` of the settings.
    pub system_prompt: SettingsPrompt,
    /// The diagnostics of the settings; those of the gate are in `access`.
    pub diagnostics: Diagnostics,
}

impl Engine<'_> {
    /// Opens the gate of the project and merges its settings with the others. Nothing else of it is read.
    ///
    /// # Errors
    /// Those of [`Engine::open_gate`].
    pub(crate) fn open_project(
        &self,
        request: &BuildOptions,
        loaded: &LoadedProfile,
        consent: Option<Consent>,
    ) -> Result<OpenedProject, Error> {
        let access = self.open_gate(request, loaded, consent)?;
        let context = access.context(self, loaded, &loaded.merged);
        let layers = discover::project_settings(&context);
        let mut diagnostics = context.diagnostics.take();
        drop(context);
        let settings = if layers.is_empty() {
            diagnostics.extend(loaded.merge_diagnostics.iter().cloned());
            loaded.merged.clone()
        } else {
            Arc::new(loaded.settings.merge(&layers, &mut diagnostics))
        };
        let system_prompt = system_prompt(loaded, &settings, &mut diagnostics);
        Ok(OpenedProject { access, layers, settings, system_prompt, diagnostics })
    }
}

/// Returns the `systemPrompt` that a build uses.
fn system_prompt(
    loaded: &LoadedProfile,
    merged: &MergedSettings,
    diagnostics: &mut Diagnostics,
) -> SettingsPrompt {
    let mut prompt = if loaded.profile.closed {
        // The caller set it by name for this build.
        discover::system_prompt(&settings::merge(loaded.settings.sets.clone(), &mut Diagnostics::new()))
    } else {
        discover::system_prompt(merged)
    };
    if loaded.turn.agent.is_some() && !prompt.is_empty() {
        prompt = SettingsPrompt::default();
        let what = "`systemPrompt` is about the main conversation; an agent has its own prompt";
        diagnostics.push(Diagnostic::warning(DiagnosticCode::PromptIgnored, what));
    }
    prompt
}
