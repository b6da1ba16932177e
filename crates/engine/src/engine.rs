//! The pipeline in one function: request → turn → layers → snapshot → prompt.

use crate::{
    COUNTERS, Error,
    error::UntrustedProject,
    input::{Inputs, collect::Breadth, load_profile::ProfileSource, options, variables::declare},
    list::variables,
    log::{HandOver, Loggers},
    request::{Request, TrustChoice},
    template_source::TemplateSource,
    trust::{
        consent::{self, Ask, ProjectAccess},
        grant::{self, WholeAnswer},
    },
};
use preface_core::{
    audit::AuditEvent,
    declaration::Declarations,
    definition,
    diagnostic::{DiagnosticCode, Diagnostics},
    hook::DiscoverReason,
    lint::hidden::escape_hidden,
    origin::Piece,
    pipeline,
    profile::PartOrder,
    prompt::Prompt,
    section::{CutRule, Section, SectionBody, SectionId},
    settings::Settings,
    snapshot::Snapshot,
    trust::{Trust, TrustMode},
    turn::Tool,
    variable::{RecordedVariable, RecordedVariables, Stability, VariableKey},
    variable_info::VariableInfo,
    variable_source::{NoSource, profile_variable},
};
use preface_host::{
    gate::{AdmittedText, Consent, GateVerdict, GatedText, UnreadFile},
    places::Places,
    provider,
    provider_context::{CONTEXT_FILE_LIMIT, Headless, ProviderContext},
    system::{FileKind, System},
    trust::{PinPath, RootRecord},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The preset that is used if none is given.
pub const DEFAULT_PRESET: &str = "default";

/// Builds prompts on one machine. It holds its collaborators and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Engine<'s> {
    system: &'s dyn System,
    templates: Option<&'s dyn TemplateSource>,
    writes: WriteScope,
    /// True inside of a call that hands out a prompt and may write first files.
    scaffolds: bool,
    starts_programs: bool,
}

/// The files that a build writes besides returning its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteScope {
    /// The first files of a profile that has some, and the lines of loggers.
    #[default]
    All,
    /// The lines of loggers.
    Audit,
    /// Nothing.
    Nothing,
}

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
    /// The project texts that were included, whatever the mode.
    pub(crate) admitted: Vec<AdmittedText>,
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
            admitted: gate.admitted(),
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

/// A variable with what is known of it here.
#[derive(Clone, Debug)]
pub struct VariableRow {
    /// `type:name`, or a placeholder such as `file:<path>`.
    pub name: String,
    /// What it is, for people.
    pub about: String,
    /// True if any name is good.
    pub dynamic: bool,
    /// What a value looks like.
    pub example: String,
    /// How long a value stays the same.
    pub stability: Stability,
    /// What looking it up costs, for people.
    pub cost: &'static str,
    /// The answer; `None` for types where any name is good.
    pub variable: Option<RecordedVariable>,
}

impl VariableRow {
    fn registered(info: &VariableInfo, context: &ProviderContext<'_>) -> Self {
        let key = VariableKey::new(info.kind, info.name);
        VariableRow {
            name: key.to_string(),
            about: info.description.to_owned(),
            dynamic: info.dynamic,
            example: info.example.to_owned(),
            stability: info.stability,
            cost: info.cost,
            variable: (!info.dynamic).then(|| provider::resolve(&key, context)),
        }
    }
}

impl<'s> Engine<'s> {
    /// Takes the machine to build on.
    #[must_use]
    pub fn new(system: &'s dyn System) -> Self {
        Engine { system, templates: None, writes: WriteScope::All, scaffolds: false, starts_programs: true }
    }

    /// Limits what is written beside results.
    #[must_use]
    pub fn writing(self, writes: WriteScope) -> Self {
        Engine { writes, ..self }
    }

    /// The same inside of a call that hands out a prompt.
    pub(crate) fn handing_out(&self) -> Self {
        Engine { scaffolds: self.writes == WriteScope::All, ..*self }
    }

    /// The same for listings and reviews, which start no program.
    pub(crate) fn without_programs(&self) -> Self {
        Engine { starts_programs: false, ..*self }
    }

    pub(crate) fn starts_programs(&self) -> bool {
        self.starts_programs
    }

    pub(crate) fn writes(&self) -> WriteScope {
        self.writes
    }

    pub(crate) fn scaffolds(&self) -> bool {
        self.scaffolds
    }

    /// Uses a store's template if the profile takes one and the request names none.
    #[must_use]
    pub fn with_templates(self, templates: &'s dyn TemplateSource) -> Self {
        Engine { templates: Some(templates), ..self }
    }

    /// The same on another view of the machine.
    pub(crate) fn on<'t>(&self, system: &'t dyn System) -> Engine<'t>
    where
        's: 't,
    {
        Engine {
            system,
            templates: self.templates,
            writes: self.writes,
            scaffolds: self.scaffolds,
            starts_programs: self.starts_programs,
        }
    }

    pub(crate) fn templates(&self) -> Option<&'s dyn TemplateSource> {
        self.templates
    }

    /// Returns the machine.
    #[must_use]
    pub fn system(&self) -> &'s dyn System {
        self.system
    }

    /// Builds a prompt without asking the user.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build(&self, request: &Request) -> Result<BuildResult, Error> {
        self.build_interactive(request, &Headless)
    }

    /// Builds a prompt, and asks the user about projects without recorded trust.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build_interactive(&self, request: &Request, ask: &dyn Ask) -> Result<BuildResult, Error> {
        let (mut built, hand_over) = self.build_to_hand_over(request, ask)?;
        built.prompt.diagnostics.extend(self.handed_out(&hand_over));
        Ok(built)
    }

    /// Builds as [`Engine::build_interactive`] does, for a caller that may not hand the prompt out: loggers learn of its
    /// contributions by [`Engine::handed_out`].
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build_to_hand_over(
        &self,
        request: &Request,
        ask: &dyn Ask,
    ) -> Result<(BuildResult, HandOver), Error> {
        let mut built = self.build_confirmed(request, ask)?;
        let hand_over = self.log_before_hand_over(&mut built);
        Ok((built, hand_over))
    }

    /// Asks the user the questions of a build, and records the answers. It returns no prompt: the
    /// next build uses the recorded answers and the request that this returns, since an answer for once is not
    /// recorded.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn ask_trust(&self, request: &Request, ask: &dyn Ask) -> Result<Request, Error> {
        let built = self.build_confirmed(request, ask)?;
        // An answer that holds for once is an event of the build that goes by it.
        let recorded = |event: &&AuditEvent| {
            matches!(event, AuditEvent::ProjectTrusted { .. } | AuditEvent::ProjectDeclined { .. })
        };
        let events: Vec<AuditEvent> = built.prompt.audit.iter().filter(recorded).cloned().collect();
        self.append(&built.loggers, &events);
        let mut request = request.clone();
        if built.trust == Trust::Once {
            (request.trust, request.shown) = (TrustChoice::Once, built.shown);
        }
        Ok(request)
    }

    /// Builds with the given answers, and logs nothing but a refusal.
    pub(crate) fn build_confirmed(&self, request: &Request, ask: &dyn Ask) -> Result<BuildResult, Error> {
        let WholeAnswer { request, audit, once, diagnostics } = grant::ask_for_whole(self, request, ask)?;
        let request = &request;
        let mut built = self.handing_out().run(request, Breadth::Turn, None, ask)?;
        if let Some(decision) = once {
            let is_once = |event: &AuditEvent| matches!(event, AuditEvent::ProjectTrustOnce { .. });
            let at = built.prompt.audit.iter().position(is_once).map_or(0, |at| at + 1);
            built.prompt.audit.insert(at, decision);
        }
        built.prompt.audit.splice(0..0, audit);
        built.prompt.diagnostics.splice(0..0, diagnostics);
        let layer = built.untrusted_layer.as_deref();
        let refused = self.refuse_untrusted(request, &built.places, built.mode, layer, &built.seen);
        if let Err(refused) = refused {
            self.log_before_hand_over(&mut built);
            return Err(refused);
        }
        let asks = request.trust == TrustChoice::Ask || request.shown.is_some();
        if asks && built.untrusted().next().is_some() {
            return Ok(grant::ask_for_pins(self, request, &built, ask)?.unwrap_or(built));
        }
        Ok(built)
    }

    /// Refuses a request that does not accept untrusted texts, if there are any: texts by name, the project layer as a
    /// whole, or texts that the pins of the request name and that are not there.
    fn refuse_untrusted(
        &self,
        request: &Request,
        places: &Places,
        mode: TrustMode,
        layer: Option<&Path>,
        seen: &[GatedText],
    ) -> Result<(), Error> {
        if request.trust != TrustChoice::Require {
            return Ok(());
        }
        // Pins have paths from the root of the project, and so have the files beside them.
        let root = (mode != TrustMode::Whole).then(|| consent::pin_root(self.system, &places.cwd));
        let name = |seen: &GatedText| match &root {
            Some(root) => seen.name_in(root),
            None => seen.shown.clone(),
        };
        let mut texts: Vec<(String, &str)> =
            seen.iter().filter_map(|seen| Some((name(seen), untrusted_state(seen.verdict)?))).collect();
        if let Some(bytes) = request.pins.as_deref().filter(|_| mode != TrustMode::Whole) {
            texts.extend(self.lost_texts(places, bytes)?);
        }
        if texts.is_empty() && layer.is_none() {
            return Ok(());
        }
        let path = layer.map_or_else(|| consent::pin_root(self.system, &places.cwd), Path::to_path_buf);
        let (mut sources, states): (Vec<_>, Vec<_>) = texts.into_iter().unzip();
        if sources.is_empty() {
            sources.push(places.shown(&path));
        }
        Err(Error::Untrusted(UntrustedProject { path: path.display().to_string(), sources, states }))
    }

    /// Returns the texts of the project that exported pins name and that no build can read. A pin outside of the project
    /// is about the machine that exported it, and may be missing. Each has its path from the root of the project, and what became
    /// of it, such as `missing`.
    ///
    /// # Errors
    /// The pins are no export.
    pub fn lost_texts(&self, places: &Places, pins: &[u8]) -> Result<Vec<(String, &'static str)>, Error> {
        let pins = RootRecord::from_export(pins).map_err(|error| Error::Trust(error.to_string(), None))?;
        let root = consent::pin_root(self.system, &places.cwd);
        let lost = |(pin, _): (&PinPath, _)| {
            let path = pin.resolve(&root);
            if !path.starts_with(&root) {
                return None;
            }
            let state = match (self.system.link_stat(&path), self.system.canonical(&path)) {
                (None, _) => "missing",
                (Some(stat), _) if stat.kind == FileKind::Link => "now a link",
                (_, Ok(real)) if real != path => "now behind a link",
                (Some(stat), _) if stat.kind != FileKind::File => "no regular file",
                (Some(stat), _) if stat.len > CONTEXT_FILE_LIMIT => "too large",
                _ => return None,
            };
            Some((escape_hidden(pin.as_str()).into_owned(), state))
        };
        Ok(pins.texts().filter_map(lost).collect())
    }

    /// As [`Engine::refuse_untrusted`], of what was just collected.
    pub(crate) fn refuse_untrusted_in(&self, request: &Request, inputs: &Inputs) -> Result<(), Error> {
        let ProjectAccess { places, gate, untrusted_layer, .. } = &inputs.project.access;
        self.refuse_untrusted(request, places, gate.mode(), untrusted_layer.as_deref(), &gate.seen())
    }

    /// Builds to look at trust: also with the texts that only other tools make a build use. Nothing is handed out.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build_wide(&self, request: &Request) -> Result<BuildResult, Error> {
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

    /// Renders one template of the caller's with the variables of the request's directory. The profile gives the
    /// language's switches; the result holds the rendered text and nothing else.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn render(&self, request: &Request, template: Vec<Piece>) -> Result<BuildResult, Error> {
        let inputs = self.read_inputs(request, None)?;
        let mut section = Section::new(SectionId::new("template"), SectionBody::Text(template));
        section.keep_blank = true;
        section.cut = CutRule::Never;
        let (mut profile, mut turn) = (inputs.entries.profile.clone(), inputs.entries.turn.clone());
        let mut found = Diagnostics::new();
        declare(request, &inputs.loaded.merged, None, (&mut profile, &mut turn), &mut found)?;
        profile.variables.check_required(&turn.variables)?;
        let only = Arc::make_mut(&mut profile);
        only.sections = vec![section];
        only.groups.clear();
        only.unordered.clear();
        only.removed.clear();
        only.arrange = PartOrder::Listed;
        let mut snapshot = Snapshot { turn, ..inputs.snapshot(profile) };
        snapshot.diagnostics.extend(found);
        let prompt = self.compose(&inputs, &mut snapshot, &Headless)?;
        let tools = snapshot.turn.tools.clone();
        Ok(BuildResult::new(prompt, snapshot, tools, inputs))
    }

    /// Lists every registered variable with its value here, and those that the profile declares behind them.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn variables(&self, request: &Request) -> Result<Vec<VariableRow>, Error> {
        let inputs = self.read_inputs(request, None)?;
        let context = inputs.context(self);
        let registered = variables::variables();
        let mut rows: Vec<_> =
            registered.iter().map(|info| VariableRow::registered(info, &context)).collect();
        let (mut profile, mut turn) = (inputs.entries.profile.clone(), inputs.entries.turn.clone());
        let of = (&mut profile, &mut turn);
        declare(request, &inputs.loaded.merged, None, of, &mut Diagnostics::new())?;
        rows.extend(profile.variables.inputs().map(|(key, declared)| VariableRow {
            name: key.to_string(),
            about: declared.about(),
            dynamic: false,
            example: declared.example(),
            stability: declared.stability,
            cost: "free",
            variable: profile_variable(key, &profile, &turn),
        }));
        Ok(rows)
    }

    /// Returns what the profile of a request declares.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn declarations(&self, request: &Request) -> Result<Declarations, Error> {
        Ok(self.load_profile(request)?.profile.variables.clone())
    }

    /// Builds. Nothing is logged.
    pub(crate) fn run(
        &self,
        request: &Request,
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
        self.compose_knowing(&RecordedVariables::default(), inputs, snapshot, ask)
    }

    /// The same with values that are known to be what the machine would answer.
    pub(crate) fn compose_knowing(
        &self,
        known: &RecordedVariables,
        inputs: &Inputs,
        snapshot: &mut Snapshot,
        ask: &dyn Ask,
    ) -> Result<Prompt, Error> {
        if let Some(refused) = &inputs.entries.refused {
            return Err(refused.clone());
        }
        let turn = snapshot.turn.clone();
        let context = self.context(inputs, &turn, ask);
        let mut prompt = pipeline::run_with(snapshot, COUNTERS, &mut |key: &VariableKey| {
            let known = || known.get(key).filter(|variable| context.has_room(variable)).cloned();
            Some(known().unwrap_or_else(|| provider::resolve(key, &context)))
        })?;
        prompt.diagnostics.extend(context.diagnostics.take());
        prompt.diagnostics.extend(inputs.changes.warnings());
        prompt.diagnostics.extend(options::missing_dirs(self.system, &snapshot.profile, &prompt));
        let access = &inputs.project.access;
        if let Some(granted) = &access.granted {
            prompt.diagnostics.extend(granted.changed(self.system, &access.places, &access.gate.admitted()));
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

/// Names the state of a text that is left out; `None` for one that is included.
fn untrusted_state(verdict: GateVerdict) -> Option<&'static str> {
    match verdict {
        GateVerdict::Included => None,
        GateVerdict::UntrustedNew | GateVerdict::Denied => Some("new"),
        GateVerdict::UntrustedChanged => Some("changed"),
        GateVerdict::UntrustedShared => Some("others could have put it there"),
    }
}
