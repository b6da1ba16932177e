//! The second input stage: the trust of the project, and its settings.

use crate::{
    Engine, Error, input::load_profile::LoadedProfile, request::Request, trust::consent::ProjectAccess,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    settings::{self, LayerSettings, MergedSettings},
    snapshot::SettingsPrompt,
};
use preface_host::{discover, gate::Consent};
use std::sync::Arc;

/// The project of a request, as far as it may be used.
#[derive(Debug)]
pub(crate) struct OpenedProject {
    pub access: ProjectAccess,
    /// The project's own settings; `None` if there are none or they may not be used.
    pub layer: Option<LayerSettings>,
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
        request: &Request,
        loaded: &LoadedProfile,
        consent: Option<Consent>,
    ) -> Result<OpenedProject, Error> {
        let access = self.open_gate(request, loaded, consent)?;
        let context = access.context(self, loaded, &loaded.merged);
        let layer = discover::project_settings(&context);
        let mut diagnostics = context.diagnostics.take();
        drop(context);
        let settings = match &layer {
            Some(layer) => Arc::new(loaded.settings.merge(Some(layer), &mut diagnostics)),
            None => {
                diagnostics.extend(loaded.merge_diagnostics.iter().cloned());
                loaded.merged.clone()
            }
        };
        let system_prompt = system_prompt(loaded, &settings, &mut diagnostics);
        Ok(OpenedProject { access, layer, settings, system_prompt, diagnostics })
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
