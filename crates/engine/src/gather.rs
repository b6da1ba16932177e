//! Everything that is looked at for one turn, before the pure line runs: layers, settings, extensions, context providers.

use crate::{
    Error,
    consent::{Ask, GrantedProject, Opened},
    engine::Engine,
    extensions, imported, named,
    permit::ProjectGrants,
    prepare::{Opening, Prepared},
    project_changes::ProjectChanges,
    request::{Request, StoredTemplate},
};
use preface_core::{
    audit::AuditEvent,
    condition::Condition,
    diagnostic::{Diagnostic, Diagnostics},
    extension::{Category, Scopes},
    fact::{FactKey, Facts},
    hook::SkillPath,
    layer::Stack,
    mcp_servers::{self, McpServers},
    origin::Piece,
    profile::{OnOver, Profile, ScaffoldWhen},
    reminder::Due,
    scope::Scope,
    section::{Body, Override},
    settings::{self, LayerSettings, Merged, Own},
    suggestion::did_you_mean,
    trust::{Trust, TrustMode},
    turn::{Tool, Turn},
    variables::{option_variable, turn_variable},
    world::{Contribution, OwnPrompt, WORLD_VERSION, World},
};
use preface_host::{
    bounds::Bounds,
    discover, extensions as host_extensions,
    gate::{Consent, Gate, GateMark},
    look::{FILE_FACTS_LIMIT, Look, RealDirs},
    places::Places,
    provider::{self, ContextProvider},
    scaffold,
    trust::GrantedCommands,
};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    mem::take,
    path::PathBuf,
};

/// How much a gathering looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breadth {
    /// What this turn has a use for.
    Turn,
    /// Also what a section would say if other tools were active.
    EveryTool,
    /// Settings and extensions alone: no text is read and no program is started.
    Extensions,
}

/// Everything that was gathered for one turn, before the pure line runs.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub turn: Turn,
    pub profile: Profile,
    pub places: Places,
    pub given: BTreeMap<String, Vec<Piece>>,
    pub settings: Merged,
    pub gate: Gate,
    pub trust: Trust,
    pub held_layer: Option<PathBuf>,
    /// What the grant of the project as a whole covers, where it stands.
    pub granted_project: Option<GrantedProject>,
    pub store: Option<PathBuf>,
    pub scopes: Scopes,
    pub mcp: McpServers,
    /// The commands of the project that may run.
    pub granted: GrantedCommands,
    /// The tools of servers that could be active.
    pub server_tools: Vec<Tool>,
    pub diagnostics: Diagnostics,
    pub audit: Vec<AuditEvent>,
    /// The paths of skills that hooks named.
    pub skill_paths: Vec<SkillPath>,
    pub stack: Stack,
    pub overrides: Vec<Override>,
    pub system_prompt: OwnPrompt,
    pub contributions: Vec<Contribution>,
    pub stored: Option<Vec<Piece>>,
    pub roots: Option<Vec<PathBuf>>,
    pub bounds: Bounds,
    pub reminders: Vec<Due>,
    /// What the project takes away or replaces.
    pub changes: ProjectChanges,
    /// Why no prompt is built of this. Whoever asks for none has no harm of it.
    pub refused: Option<Error>,
    real_dirs: RealDirs,
}

impl Gathered {
    /// Moves the texts into a world. What facts are answered from stays.
    pub(crate) fn world(&mut self) -> World {
        World {
            version: WORLD_VERSION,
            turn: self.turn.clone(),
            profile: self.profile.clone(),
            stack: take(&mut self.stack),
            overrides: take(&mut self.overrides),
            system_prompt: take(&mut self.system_prompt),
            given: self.given.clone(),
            stored: take(&mut self.stored),
            contributions: take(&mut self.contributions),
            reminders: self.reminders.clone(),
            facts: Facts::default(),
            diagnostics: take(&mut self.diagnostics),
            audit: take(&mut self.audit),
        }
    }

    /// Returns the directory below which a project's own files are written: the working directory, or the project
    /// directory where that one is trusted as a whole.
    pub(crate) fn write_root(&self) -> &std::path::Path {
        match (self.profile.trust, &self.places.project) {
            (TrustMode::Whole, Some(dir)) => dir,
            _ => &self.places.cwd,
        }
    }

    /// Forgets what a build looked at after the gathering: each looks for itself.
    pub(crate) fn forget_looks(&mut self, mark: GateMark) {
        self.real_dirs = RealDirs::default();
        self.bounds.forget_root();
        self.gate.forget_after(mark);
    }

    /// Returns how many bytes the texts have that were gathered.
    pub(crate) fn text_bytes(&self) -> usize {
        let files = self.stack.0.iter().flat_map(|layer| layer.files.values().chain(layer.sections.values()));
        let items = self.contributions.iter().flat_map(|said| &said.items).map(|item| &item.pieces);
        let pieces: usize = files.chain(items).flatten().map(|piece| piece.text.len()).sum();
        pieces + self.gate.seen().iter().map(|seen| seen.bytes.len()).sum::<usize>()
    }
}

impl Engine<'_> {
    /// Everything up to the world: prepare, scaffold, trust, discover, context providers.
    pub(crate) fn gather(
        &self,
        request: &Request,
        breadth: Breadth,
        consent: Option<Consent>,
        ask: &dyn Ask,
    ) -> Result<Gathered, Error> {
        let mut diagnostics = Diagnostics::new();
        let mut audit = Vec::new();
        let mut prepared = self.prepare(request, &mut diagnostics)?;
        if self.scaffolds()
            && prepared.profile.scaffold.when == ScaffoldWhen::Discover
            && let Some(dir) = &prepared.places.global
        {
            scaffold::scaffold(self.system(), dir, &prepared.profile.scaffold, &mut diagnostics, &mut audit);
        }
        let opening = Opening { request, consent, ask };
        let (opened, store) = prepared.open(self, opening, &mut diagnostics, &mut audit)?;
        let Opened { gate, trust, held_layer, granted: granted_project, .. } = opened;
        let Prepared { profile, places, turn, given, bundled, shared, global, sets, bounds } = prepared;
        let stored = self.stored(request, &profile, &mut diagnostics)?;
        let mut profile = profile;
        let refused = imported::lay(self.system(), &mut profile, &mut diagnostics).err();
        let reminders = self.due(&request.events, &profile, &places, &mut diagnostics)?;

        let mut gathered = Gathered {
            turn,
            profile,
            places,
            given,
            settings: settings::merge(Vec::new(), &mut Diagnostics::new()),
            gate,
            trust,
            held_layer,
            granted_project,
            store,
            scopes: Scopes::default(),
            mcp: McpServers::default(),
            granted: GrantedCommands::default(),
            server_tools: Vec::new(),
            diagnostics,
            audit,
            stack: Stack::default(),
            overrides: Vec::new(),
            system_prompt: OwnPrompt::default(),
            contributions: Vec::new(),
            skill_paths: Vec::new(),
            stored,
            roots: request.roots.clone(),
            bounds,
            reminders,
            changes: ProjectChanges::default(),
            refused,
            real_dirs: RealDirs::default(),
        };
        let look = self.look(&gathered, ask);
        let project = discover::project_settings(&look);
        let mut notes = look.notes.take();
        let layers: Vec<LayerSettings> =
            bundled.iter().chain(&shared).chain(&global).chain(&project).chain(&sets).cloned().collect();
        gathered.settings = settings::merge(layers, &mut notes);
        apply(&mut gathered.profile, &Own::read(&gathered.settings));
        gathered.system_prompt = match gathered.profile.closed {
            // What the caller sets is asked for now, and by name.
            true => discover::system_prompt(&settings::merge(sets.clone(), &mut Diagnostics::new())),
            false => discover::system_prompt(&gathered.settings),
        };
        if gathered.profile.trust == TrustMode::None
            && let Some(project) = &project
        {
            let own = bundled.iter().chain(&shared).chain(&global).chain(&sets).cloned().collect();
            let own = discover::system_prompt(&settings::merge(own, &mut Diagnostics::new()));
            gathered.system_prompt =
                only_added(own, take(&mut gathered.system_prompt), project.path(), &mut notes);
        }
        if gathered.turn.agent.is_some() && !gathered.system_prompt.is_empty() {
            gathered.system_prompt = OwnPrompt::default();
            let what = "`systemPrompt` is about the main conversation; an agent has its own prompt";
            notes.push(Diagnostic::warning("prompt/not-for-agents", what));
        }
        let look = self.look(&gathered, ask);
        let grants = ProjectGrants::new(&look, gathered.store.as_deref(), gathered.profile.trust);
        let scopes = extensions::scopes(&gathered.profile, &gathered.settings, &grants, &look);
        notes.extend(look.notes.take());
        notes.extend(scopes.diagnostics.iter().cloned());
        gathered.audit.extend(scopes.audit());
        gathered.turn.tools = extensions::tools(&request.tools, &gathered.profile, &scopes, &mut notes);
        gathered.scopes = scopes;
        let look = self.look(&gathered, ask);
        let grants = ProjectGrants::new(&look, gathered.store.as_deref(), gathered.profile.trust);
        let files = host_extensions::mcp_files(&look);
        let mcp = mcp_servers::resolve_granted(files, &|server| grants.may_start(server));
        notes.extend(look.notes.take());
        notes.extend(mcp.diagnostics.iter().cloned());
        gathered.mcp = mcp;
        self.allow(&mut gathered, &mut notes);
        self.recall_servers(&request.tools, &mut gathered, &mut notes);
        let named = named::find(&gathered, &self.look(&gathered, ask))?;
        named.settle(&mut gathered, &mut notes);
        if project.is_some() || gathered.trust != Trust::Untrusted {
            let own = bundled.iter().chain(&global).chain(&sets).cloned().collect();
            gathered.changes = ProjectChanges::of(&gathered, &settings::merge(own, &mut Diagnostics::new()));
        }
        if gathered.system_prompt.custom.is_some() || breadth == Breadth::Extensions {
            // Nothing else is part of the prompt, so nothing else is looked at.
            gathered.diagnostics.append(&mut notes);
            return Ok(gathered);
        }

        let mut profile = gathered.profile.clone();
        let look = self.look(&gathered, ask);
        let mut stack = discover::layers(&gathered.profile, trust, &look);
        let mut overrides = Vec::new();
        let said = [
            (&bundled, Some(Scope::Bundled)),
            (&global, Some(Scope::Global)),
            (&project, Some(Scope::Project)),
        ];
        for (layer, scope) in said.into_iter().filter_map(|(layer, scope)| Some((layer.as_ref()?, scope))) {
            overrides.extend(discover::overrides(layer, scope, &look, &mut notes));
        }
        if profile.closed {
            // The profile's own words in the prompt of an agent are the user's to change, as in the main conversation.
            let is_agents = gathered.turn.agent.is_some();
            let is_own_text = |id: &str| {
                let section = profile.sections.iter().find(|section| section.id.as_str() == id);
                is_agents && section.is_some_and(|section| matches!(section.body, Body::Text(_)))
            };
            let sections = |stack: &Stack| stack.0.iter().map(|layer| layer.sections.len()).sum::<usize>();
            let before = (overrides.len(), sections(&stack));
            overrides.retain(|over| is_own_text(&over.id));
            stack.0.iter_mut().for_each(|layer| layer.sections.retain(|id, _| is_own_text(id)));
            let left_out = discover::system_prompt(&gathered.settings) != gathered.system_prompt
                || before != (overrides.len(), sections(&stack));
            if left_out {
                let what = format!(
                    "sections and `systemPrompt` of your files are no part of the profile `{}`",
                    profile.name
                );
                notes.push(Diagnostic::info("profile/closed", what));
            }
        }
        for layer in &sets {
            overrides.extend(discover::overrides(layer, None, &look, &mut notes));
        }
        let mut contributions = match profile.closed {
            true => Vec::new(),
            false => extensions::contribute(&mut profile, &gathered.scopes, &look),
        };
        let more = contribute(&profile, &contributions, &gathered.scopes, breadth, &look);
        contributions.extend(more);
        notes.extend(look.notes.take());
        let agent = imported::lay_agent(
            self.system(),
            gathered.turn.agent.as_deref(),
            &mut profile,
            &contributions,
            &mut notes,
        );
        gathered.refused = gathered.refused.take().or(agent.err());
        gathered.profile = profile;
        gathered.stack = stack;
        gathered.overrides = overrides;
        gathered.contributions = contributions;
        gathered.diagnostics.append(&mut notes);
        Ok(gathered)
    }

    /// The template that speaks in place of the profile's own: the request's, else that of a store. No store is asked for a
    /// profile that takes none.
    fn stored(
        &self,
        request: &Request,
        profile: &Profile,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Vec<Piece>>, Error> {
        if let Some(template) = &request.template {
            return Ok(Some(template.pieces()));
        }
        let Some(source) = self.templates() else { return Ok(None) };
        if profile.takes_template() {
            return Ok(source.template()?.as_ref().map(StoredTemplate::pieces));
        }
        diagnostics.extend(source.chosen().map(|chosen| {
            Diagnostic::warning(
                "template/unused",
                format!("the profile `{}` takes no template: `{chosen}` was not used", profile.name),
            )
        }));
        Ok(None)
    }

    pub(crate) fn look<'a>(&'a self, gathered: &'a Gathered, ask: &'a dyn Ask) -> Look<'a> {
        Look {
            system: self.system(),
            turn: &gathered.turn,
            places: &gathered.places,
            bundle: gathered.profile.bundle.as_deref(),
            given: &gathered.given,
            roots: gathered.roots.as_deref(),
            bounds: &gathered.bounds,
            gate: &gathered.gate,
            settings: &gathered.settings,
            confirm: ask.as_confirm(),
            granted: Some(&gathered.granted),
            notes: RefCell::default(),
            skill_paths: &gathered.skill_paths,
            sections: &gathered.profile.sections,
            servers: &gathered.mcp.servers,
            bom: gathered.profile.bom,
            real_dirs: &gathered.real_dirs,
            file_room: Cell::new(FILE_FACTS_LIMIT),
        }
    }
}

/// Returns the user's own `systemPrompt` with the text that a project without a gate adds to it. What would replace or empty
/// the user's text is ignored, with a warning each.
fn only_added(own: OwnPrompt, merged: OwnPrompt, project: &str, notes: &mut Diagnostics) -> OwnPrompt {
    let mut ignored = |key: &str, why: &str| {
        let what = format!("`systemPrompt.{key}` of {project} was not used: {why}");
        let help = format!("`--set systemPrompt.{key}=…` uses it");
        notes.push(Diagnostic::warning("prompt/not-for-projects", what).help(help));
    };
    if merged.custom != own.custom {
        ignored("custom", "nothing guards this project");
    }
    if own.append.is_some() && merged.append != own.append {
        ignored("append", "yours comes first");
    }
    OwnPrompt { append: own.append.or(merged.append), ..own }
}

/// Lays the settings' own keys over the profile.
pub(crate) fn apply(profile: &mut Profile, own: &Own) {
    let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    if let Some(tokens) = &own.budget.tokens {
        profile.budget.tokens = Some(size(tokens.value));
    }
    if let Some(on_over) = &own.budget.on_over {
        profile.budget.on_over = match on_over.value {
            settings::OnOver::Cut => OnOver::Cut,
            settings::OnOver::Error => OnOver::Error,
            settings::OnOver::Warn => OnOver::Warn,
        };
    }
    let limits = &mut profile.template;
    limits.max_depth = own.template.max_depth.as_ref().map_or(limits.max_depth, |max| size(max.value));
    limits.max_bytes = own.template.max_bytes.as_ref().map_or(limits.max_bytes, |max| size(max.value));
    limits.raw = own.template.raw.as_ref().map_or(limits.raw, |raw| raw.value);
    limits.trim_tag_lines =
        own.template.trim_tag_lines.as_ref().map_or(limits.trim_tag_lines, |trim| trim.value);
}

/// Asks each section's context provider, in the profile's order.
fn contribute(
    profile: &Profile,
    said: &[Contribution],
    scopes: &Scopes,
    breadth: Breadth,
    look: &Look<'_>,
) -> Vec<Contribution> {
    profile
        .sections
        .iter()
        .filter_map(|section| {
            let Body::Fill(name) = &section.body else { return None };
            // An extension has taken the place of the built-in one.
            if said.iter().any(|said| said.section == section.id && said.provider == *name) {
                return None;
            }
            if section.when.as_ref().is_some_and(|when| cannot_hold(when, profile, breadth, look.turn)) {
                return None;
            }
            match provider::context_provider(name.as_str()) {
                Some(provider) => Some(match extensions::switched_off(scopes, provider.id()) {
                    Some(why) => provider::silent(provider, section, why),
                    None => provider.contribute(section, look),
                }),
                // An extension that is no part of this prompt.
                None if scopes.active(Category::ContextProviders, name.as_str()).is_some() => None,
                None => {
                    let names = provider::CONTEXT_PROVIDERS.iter().map(|provider| provider.name());
                    let what = format!(
                        "section `{}` is filled by `{name}`, which this version does not have",
                        section.id
                    );
                    let note = match did_you_mean(name.as_str(), names) {
                        Some(near) => Diagnostic::warning("profile/unknown-provider", what)
                            .help(format!("did you mean `{near}`?")),
                        None => Diagnostic::info("profile/unknown-provider", what),
                    };
                    look.note(note);
                    None
                }
            }
        })
        .collect()
}

/// Asks those context providers again that `which` names, after what they depend on has changed.
pub(crate) fn ask_again(
    which: fn(&dyn ContextProvider) -> bool,
    gathered: &Gathered,
    contributions: &mut [Contribution],
    diagnostics: &mut Diagnostics,
    look: &Look<'_>,
) {
    for section in &gathered.profile.sections {
        let Body::Fill(name) = &section.body else { continue };
        let said = contributions.iter_mut().find(|said| said.section == section.id && said.provider == *name);
        if let Some(said) = said
            && let Some(provider) = provider::context_provider(name.as_str())
            && which(provider)
            && extensions::switched_off(&gathered.scopes, provider.id()).is_none()
        {
            *said = provider.contribute(section, look);
        }
    }
    for note in look.notes.take() {
        if !diagnostics.contains(&note) {
            diagnostics.push(note);
        }
    }
}

/// Returns true where a condition fails by the options that are set and, unless every tool counts, by the active tools.
fn cannot_hold(when: &Condition, profile: &Profile, breadth: Breadth, turn: &Turn) -> bool {
    let exists = &mut |key: &FactKey| {
        let known = match key.kind() {
            "tool" if breadth == Breadth::EveryTool => None,
            "tool" => turn_variable(key, turn),
            _ => option_variable(key, profile),
        };
        known.map(|fact| fact.value.is_some()).ok_or(())
    };
    when.holds(exists) == Ok(false)
}
