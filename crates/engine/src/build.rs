//! The pipeline in one function: request → turn → layers → snapshot → prompt.

use crate::{
    COUNTERS, Engine, Error,
    build_options::BuildOptions,
    input::{
        Inputs,
        collect::Breadth,
        consent::{Ask, ProjectAccess},
        load_profile::ProfileSource,
        options,
    },
    log::Loggers,
};
use preface_core::{
    definition,
    diagnostic::{DiagnosticCode, Diagnostics},
    hook::DiscoverReason,
    origin::Piece,
    pipeline,
    profile::{PartOrder, Profile},
    prompt::Prompt,
    section::{CutRule, Section, SectionBody, SectionId},
    settings::Settings,
    snapshot::Snapshot,
    trust::{Trust, TrustMode},
    turn::Tool,
    variable::{VariableKey, source::NoSource},
};
use preface_host::{
    places::Places,
    provider::{self, context::Headless},
    trust::{
        RootRecord,
        gate::{Consent, GateVerdict, GatedText, UnreadFile},
    },
};
use std::{path::PathBuf, sync::Arc};

/// A finished build.
#[derive(Clone, Debug)]
pub struct BuildResult {
    /// The prompt.
    pub prompt: Prompt,
    /// Everything that the core saw. Rebuilding from it gives the same bytes.
    pub snapshot: Snapshot,
    /// The active tools as their definitions have them.
    pub tools: Vec<Tool>,
    /// The project texts that came to the gate, where the profile pins them, and those that a grant is about.
    pub seen: Vec<GatedText>,
    /// The project files that could not be read.
    pub unread: Vec<UnreadFile>,
    /// The path of the trust store, if there is one.
    pub store: Option<PathBuf>,
    /// The project layer as a whole, where it is left out because it is untrusted.
    pub untrusted_layer: Option<PathBuf>,
    /// The directories of this turn.
    pub places: Places,
    /// The place that the profile was read from.
    pub profile_source: ProfileSource,
    /// The trust mode of the profile.
    pub mode: TrustMode,
    /// The trust state of the project.
    pub trust: Trust,
    /// The project texts that an answer for once was about.
    pub(crate) shown: Option<Arc<RootRecord>>,
    /// The user's settings.
    pub(crate) settings: Arc<Settings>,
    /// The loggers of this build.
    pub(crate) loggers: Loggers,
}

impl BuildResult {
    pub(crate) fn new(prompt: Prompt, snapshot: Snapshot, tools: Vec<Tool>, inputs: Inputs) -> Self {
        let changed =
            prompt.diagnostics.iter().any(|diagnostic| diagnostic.code == DiagnosticCode::TrustChanged);
        let loggers = Loggers::of(&inputs, &snapshot.turn);
        let Inputs { loaded, project, .. } = inputs;
        let ProjectAccess { places, gate, trust, untrusted_layer, .. } = project.access;
        BuildResult {
            settings: loaded.typed,
            loggers,
            shown: gate.shown_texts().cloned(),
            prompt,
            tools,
            mode: snapshot.profile.trust,
            snapshot,
            seen: gate.seen(),
            unread: gate.unread(),
            store: loaded.store,
            profile_source: loaded.source,
            untrusted_layer,
            trust: if changed && trust == Trust::Trusted { Trust::Stale } else { trust },
            places,
        }
    }

    /// Returns the project texts that are untrusted and left out.
    pub fn untrusted(&self) -> impl Iterator<Item = &GatedText> {
        self.seen.iter().filter(|seen| seen.verdict != GateVerdict::Included)
    }
}

/// Puts one template in the place of all sections of a profile.
pub(crate) fn keep_only(template: Vec<Piece>, profile: &mut Profile) {
    let mut section = Section::new(SectionId::new("template"), SectionBody::Text(template));
    section.keep_blank = true;
    section.cut = CutRule::Never;
    profile.sections = vec![section];
    profile.groups.clear();
    profile.unordered.clear();
    profile.removed.clear();
    profile.arrange = PartOrder::Listed;
}

impl Engine<'_> {
    /// Builds to look at trust: also with the texts that only other tools make a build use. Nothing is handed out.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build_wide(&self, request: &BuildOptions) -> Result<BuildResult, Error> {
        self.without_programs().run(request, Breadth::EveryTool, None, &Headless)
    }

    /// Rebuilds a saved snapshot. The machine is not looked at.
    ///
    /// # Errors
    /// A variable that the snapshot does not hold, and what [`pipeline::run`] refuses.
    pub fn rebuild(snapshot: &mut Snapshot) -> Result<Prompt, Error> {
        Ok(pipeline::run_with(snapshot, COUNTERS, &mut NoSource)?)
    }

    /// Works out the definitions of a saved snapshot's tools again. The machine is not looked at.
    ///
    /// # Errors
    /// See [`Engine::rebuild`].
    pub fn rebuild_tools(snapshot: &mut Snapshot) -> Result<Vec<Tool>, Error> {
        Ok(definition::definitions(snapshot, &mut NoSource, &mut Diagnostics::new())?)
    }

    /// Builds. Nothing is logged.
    pub(crate) fn run(
        &self,
        request: &BuildOptions,
        breadth: Breadth,
        consent: Option<Consent>,
        ask: &dyn Ask,
    ) -> Result<BuildResult, Error> {
        let (mut inputs, mut snapshot) = self.read_and_collect(request, breadth, consent, ask)?;
        if breadth == Breadth::EveryTool {
            self.read_for_other_tools(&inputs, &snapshot);
        }
        let (prompt, tools) = self.complete(&mut inputs, &mut snapshot, ask)?;
        Ok(BuildResult::new(prompt, snapshot, tools, inputs))
    }

    /// Builds the prompt of what was collected, and the definitions of its tools. Nothing is logged.
    pub(crate) fn complete(
        &self,
        inputs: &mut Inputs,
        snapshot: &mut Snapshot,
        ask: &dyn Ask,
    ) -> Result<(Prompt, Vec<Tool>), Error> {
        let mut prompt = self.first_base(inputs, snapshot, &[], DiscoverReason::Startup, ask)?;
        let mut diagnostics = Diagnostics::new();
        let tools = self.definitions(inputs, snapshot, &mut diagnostics)?;
        prompt.diagnostics.append(&mut diagnostics);
        // Variables that only a tool's description uses have diagnostics, too.
        for diagnostic in snapshot.variables.iter().flat_map(|(_, variable)| &variable.diagnostics) {
            if !prompt.diagnostics.contains(diagnostic) {
                prompt.diagnostics.push(diagnostic.clone());
            }
        }
        Ok((prompt, tools))
    }

    /// The pure half, with this machine answering for variables.
    pub(crate) fn compose(
        &self,
        inputs: &Inputs,
        snapshot: &mut Snapshot,
        ask: &dyn Ask,
    ) -> Result<Prompt, Error> {
        if let Some(refused) = &inputs.entries.refused {
            return Err(refused.clone());
        }
        let turn = snapshot.turn.clone();
        let context = self.context(inputs, &turn, ask);
        let mut answer = |key: &VariableKey| Some(provider::resolve(key, &context));
        let mut prompt = pipeline::run_with(snapshot, COUNTERS, &mut answer)?;
        prompt.diagnostics.extend(context.diagnostics.take());
        prompt.diagnostics.extend(inputs.changes.warnings());
        prompt.diagnostics.extend(options::missing_dirs(self.system(), &snapshot.profile, &prompt));
        let access = &inputs.project.access;
        if let Some(granted) = &access.granted {
            prompt.diagnostics.extend(granted.changed(
                self.system(),
                &access.places,
                &access.gate.admitted(),
            ));
        }
        Ok(prompt)
    }

    /// The definitions of the active tools, with this machine answering for variables.
    pub(crate) fn definitions(
        &self,
        inputs: &Inputs,
        snapshot: &mut Snapshot,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<Tool>, Error> {
        let turn = snapshot.turn.clone();
        let context = self.context(inputs, &turn, &Headless);
        let mut answer = |key: &VariableKey| Some(provider::resolve(key, &context));
        Ok(definition::definitions(snapshot, &mut answer, diagnostics)?)
    }
}
