//! The line in one function: request → turn → stack → world → prompt.

use crate::{
    Error,
    consent::{self, Ask, Opened},
    error::Held,
    extensions, grant,
    prepare::Prepared,
    request::{Request, TrustChoice},
};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, Diagnostics},
    extension::{Category, Scopes},
    fact::{Fact, FactKey, Facts, Stability},
    layer::Stack,
    line,
    mcp_servers::{self, McpServers},
    origin::Piece,
    profile::{Arrange, OnOver, Profile, ScaffoldWhen},
    prompt::Prompt,
    scope::Scope,
    section::{Body, CutRule, Override, Section, SectionId},
    settings::{self, LayerSettings, Merged, Own},
    suggestion::did_you_mean,
    trust::{Trust, TrustMode},
    turn::Turn,
    world::{Contribution, OwnPrompt, WORLD_VERSION, World},
};
use preface_host::{
    discover, extensions as host_extensions,
    gate::{Consent, Gate, Seen, Verdict},
    look::{Headless, Look, RealDirs},
    places::Places,
    provider::{self, FactInfo},
    scaffold,
    system::System,
};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    mem::take,
    path::{Path, PathBuf},
};

/// The preset that is used when nothing else is said.
pub const DEFAULT_PRESET: &str = "default";

/// Builds prompts on one machine. It holds its collaborators and nothing else.
#[derive(Debug)]
pub struct Engine<'s> {
    system: &'s dyn System,
}

/// A finished build.
#[derive(Clone, Debug)]
pub struct Built {
    /// The prompt.
    pub prompt: Prompt,
    /// Everything that the core saw. Rebuilding from it gives the same bytes.
    pub world: World,
    /// The project texts that came to the gate, where the profile pins them.
    pub seen: Vec<Seen>,
    /// Where the trust store is.
    pub store: Option<PathBuf>,
    /// The project layer as a whole, where it is held.
    pub held_layer: Option<PathBuf>,
    /// The directories of this turn.
    pub places: Places,
    /// How the profile guards texts.
    pub mode: TrustMode,
    /// What stands for the project.
    pub trust: Trust,
}

impl Built {
    /// Returns the project texts that are held.
    pub fn held(&self) -> impl Iterator<Item = &Seen> {
        self.seen.iter().filter(|seen| seen.verdict != Verdict::Speaks)
    }
}

/// A fact with what is known of it here.
#[derive(Clone, Debug)]
pub struct FactRow {
    /// The registry's entry.
    pub info: FactInfo,
    /// The answer; `None` for types where any name is good.
    pub fact: Option<Fact>,
}

/// Everything that was gathered for one turn, before the pure line runs.
pub(crate) struct Gathered {
    pub turn: Turn,
    pub profile: Profile,
    pub places: Places,
    pub settings: Merged,
    pub gate: Gate,
    pub trust: Trust,
    pub held_layer: Option<PathBuf>,
    pub store: Option<PathBuf>,
    pub scopes: Scopes,
    pub mcp: McpServers,
    pub diagnostics: Diagnostics,
    pub audit: Vec<AuditEvent>,
    stack: Stack,
    overrides: Vec<Override>,
    system_prompt: OwnPrompt,
    contributions: Vec<Contribution>,
    real_dirs: RealDirs,
}

impl<'s> Engine<'s> {
    /// Takes the machine to build on.
    #[must_use]
    pub fn new(system: &'s dyn System) -> Self {
        Engine { system }
    }

    /// Returns the machine.
    #[must_use]
    pub fn system(&self) -> &'s dyn System {
        self.system
    }

    /// Builds a prompt and asks nobody.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build(&self, request: &Request) -> Result<Built, Error> {
        self.build_asking(request, &Headless)
    }

    /// Builds a prompt and asks where trust is not recorded.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build_asking(&self, request: &Request, ask: &dyn Ask) -> Result<Built, Error> {
        let built = self.run(request, None, ask)?;
        let held: Vec<String> = built.held().map(|seen| seen.shown.clone()).collect();
        self.refuse_held(request, &built.places, built.held_layer.as_deref(), &held)?;
        if request.trust == TrustChoice::Ask && !held.is_empty() {
            return Ok(grant::ask_for_pins(self, request, &built, ask)?.unwrap_or(built));
        }
        Ok(built)
    }

    /// Refuses a request that wants nothing held, where something is: texts by name, or the project layer as a whole.
    pub(crate) fn refuse_held(
        &self,
        request: &Request,
        places: &Places,
        layer: Option<&Path>,
        held: &[String],
    ) -> Result<(), Error> {
        if request.trust != TrustChoice::Require || (held.is_empty() && layer.is_none()) {
            return Ok(());
        }
        let path = layer.map_or_else(|| consent::pin_root(self.system, &places.cwd).0, Path::to_path_buf);
        let sources = if held.is_empty() { vec![places.shown(&path)] } else { held.to_vec() };
        Err(Error::Held(Held { path: path.display().to_string(), sources }))
    }

    /// Builds as if the named files (all of them, where none is named) were granted. Nothing is recorded.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build_granting(&self, request: &Request, paths: Vec<PathBuf>) -> Result<Built, Error> {
        self.run(request, Some(Consent::Granting(self.real(&paths))), &Headless)
    }

    /// Rebuilds a saved world. The machine is not looked at.
    ///
    /// # Errors
    /// A fact that the world does not hold, and what [`line::run`] refuses.
    pub fn rebuild(world: &mut World) -> Result<Prompt, Error> {
        Ok(line::run(world, &mut |_| None)?)
    }

    /// Renders one template of the caller's with the facts of the request's directory. The profile gives the
    /// language's switches; the result holds the rendered text and nothing else.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn render(&self, request: &Request, template: Vec<Piece>) -> Result<Built, Error> {
        let mut gathered = self.gather(request, None, &Headless)?;
        let mut section = Section::new(SectionId::new("template"), Body::Text(template));
        section.keep_blank = true;
        section.cut = CutRule::Never;
        let profile = &mut gathered.profile;
        profile.sections = vec![section];
        profile.groups.clear();
        profile.unordered.clear();
        profile.arrange = Arrange::Listed;
        gathered.overrides.clear();
        gathered.system_prompt = OwnPrompt::default();
        gathered.contributions.clear();
        for layer in &mut gathered.stack.0 {
            layer.sections.clear();
        }
        self.finish(gathered, &Headless)
    }

    /// Lists every registered fact with its value here.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn facts(&self, request: &Request) -> Result<Vec<FactRow>, Error> {
        let gathered = self.gather(request, None, &Headless)?;
        let look = self.look(&gathered, &Headless);
        let mut rows: Vec<FactRow> = provider::FACT_PROVIDERS
            .iter()
            .flat_map(|provider| provider.facts())
            .map(|info| FactRow {
                info: *info,
                fact: (!info.dynamic).then(|| provider::answer(&FactKey::new(info.kind, info.name), &look)),
            })
            .collect();
        // The seed's ten first, in its order; the others as their providers list them.
        let place = |row: &FactRow| {
            SEED_ORDER
                .iter()
                .position(|name| *name == (row.info.kind, row.info.name))
                .unwrap_or(SEED_ORDER.len())
        };
        rows.sort_by_key(place);
        Ok(rows)
    }

    pub(crate) fn run(
        &self,
        request: &Request,
        consent: Option<Consent>,
        ask: &dyn Ask,
    ) -> Result<Built, Error> {
        let gathered = self.gather(request, consent, ask)?;
        let logs = self.log_files(&gathered);
        let mut built = self.finish(gathered, ask)?;
        self.log(&logs, &mut built);
        Ok(built)
    }

    /// Everything up to the world: prepare, scaffold, trust, discover, context providers.
    pub(crate) fn gather(
        &self,
        request: &Request,
        consent: Option<Consent>,
        ask: &dyn Ask,
    ) -> Result<Gathered, Error> {
        let mut diagnostics = Diagnostics::new();
        let mut audit = Vec::new();
        let Prepared { mut profile, places, turn, bundled, global, sets } =
            self.prepare(request, &mut diagnostics)?;

        if profile.scaffold.when == ScaffoldWhen::Discover
            && let Some(dir) = &places.global
        {
            scaffold::scaffold(self.system, dir, &profile.scaffold, &mut diagnostics, &mut audit);
        }

        // The user's own settings decide how the gate is opened; a project's are read through it.
        let own: Vec<LayerSettings> = bundled.iter().chain(&global).chain(&sets).cloned().collect();
        if let Some(mode) = Own::read(&settings::merge(own, &mut Diagnostics::new())).trust_mode {
            profile.trust = mode.value;
        }
        let store = consent::store_path(self.system, &profile, &places);
        let Opened { gate, trust, held_layer } = consent::Gatekeeper {
            system: self.system,
            mode: profile.trust,
            store: store.as_deref(),
            places: &places,
            choice: request.trust,
            pins: request.pins.as_deref(),
            ask,
        }
        .open(consent, &mut diagnostics, &mut audit)?;

        let mut gathered = Gathered {
            turn,
            profile,
            places,
            settings: settings::merge(Vec::new(), &mut Diagnostics::new()),
            gate,
            trust,
            held_layer,
            store,
            scopes: Scopes::default(),
            mcp: McpServers::default(),
            diagnostics,
            audit,
            stack: Stack::default(),
            overrides: Vec::new(),
            system_prompt: OwnPrompt::default(),
            contributions: Vec::new(),
            real_dirs: RealDirs::default(),
        };
        let look = self.look(&gathered, ask);
        let project = discover::project_settings(&look);
        let mut notes = look.notes.take();
        let layers: Vec<LayerSettings> =
            bundled.iter().chain(&global).chain(&project).chain(&sets).cloned().collect();
        gathered.settings = settings::merge(layers, &mut notes);
        apply(&mut gathered.profile, &Own::read(&gathered.settings));
        gathered.system_prompt = discover::system_prompt(&gathered.settings);
        let look = self.look(&gathered, ask);
        let scopes = extensions::scopes(&gathered.profile, &gathered.settings, &look);
        notes.extend(look.notes.take());
        notes.extend(scopes.diagnostics.iter().cloned());
        gathered.audit.extend(scopes.audit());
        gathered.turn.tools = extensions::tools(&request.tools, &gathered.profile, &scopes, &mut notes);
        gathered.scopes = scopes;
        let look = self.look(&gathered, ask);
        let mcp = mcp_servers::resolve(host_extensions::mcp_files(&look));
        notes.extend(look.notes.take());
        notes.extend(mcp.diagnostics.iter().cloned());
        gathered.mcp = mcp;
        self.allow(&mut gathered, &mut notes);
        if gathered.system_prompt.custom.is_some() {
            // Nothing else is part of the prompt, so nothing else is looked at.
            gathered.diagnostics.append(&mut notes);
            return Ok(gathered);
        }

        let mut profile = gathered.profile.clone();
        let look = self.look(&gathered, ask);
        let stack = discover::layers(&gathered.profile, trust, &look);
        let mut overrides = Vec::new();
        let said = [
            (&bundled, Some(Scope::Bundled)),
            (&global, Some(Scope::Global)),
            (&project, Some(Scope::Project)),
        ];
        for (layer, scope) in said.into_iter().filter_map(|(layer, scope)| Some((layer.as_ref()?, scope))) {
            overrides.extend(discover::overrides(layer, scope, &look, &mut notes));
        }
        for layer in &sets {
            overrides.extend(discover::overrides(layer, None, &look, &mut notes));
        }
        let mut contributions = extensions::contribute(&mut profile, &gathered.scopes, &look);
        let more = contribute(&profile, &contributions, &gathered.scopes, &look);
        contributions.extend(more);
        notes.extend(look.notes.take());
        gathered.profile = profile;
        gathered.stack = stack;
        gathered.overrides = overrides;
        gathered.contributions = contributions;
        gathered.diagnostics.append(&mut notes);
        Ok(gathered)
    }

    /// The pure line, with this machine answering for facts.
    fn finish(&self, mut gathered: Gathered, ask: &dyn Ask) -> Result<Built, Error> {
        // The texts move into the world; what facts are answered from stays behind.
        let mut world = World {
            version: WORLD_VERSION,
            turn: gathered.turn.clone(),
            profile: gathered.profile.clone(),
            stack: take(&mut gathered.stack),
            overrides: take(&mut gathered.overrides),
            system_prompt: take(&mut gathered.system_prompt),
            contributions: take(&mut gathered.contributions),
            facts: Facts::default(),
            diagnostics: take(&mut gathered.diagnostics),
            audit: take(&mut gathered.audit),
        };
        let look = self.look(&gathered, ask);
        let options = &gathered.profile.options;
        let mut prompt = line::run(&mut world, &mut |key| {
            Some(option_fact(key, options).unwrap_or_else(|| provider::answer(key, &look)))
        })?;
        prompt.diagnostics.extend(look.notes.take());
        Ok(Built {
            prompt,
            mode: world.profile.trust,
            world,
            seen: gathered.gate.seen(),
            store: gathered.store,
            held_layer: gathered.held_layer,
            trust: gathered.trust,
            places: gathered.places,
        })
    }

    pub(crate) fn look<'a>(&'a self, gathered: &'a Gathered, ask: &'a dyn Ask) -> Look<'a> {
        Look {
            system: self.system,
            turn: &gathered.turn,
            places: &gathered.places,
            gate: &gathered.gate,
            settings: &gathered.settings,
            confirm: ask.as_confirm(),
            notes: RefCell::default(),
            skill_paths: &[],
            real_dirs: &gathered.real_dirs,
        }
    }
}

/// The order in which seed 002 lists its variables.
const SEED_ORDER: [(&str, &str); 10] = [
    ("system", "time"),
    ("system", "date"),
    ("system", "os"),
    ("system", "hostname"),
    ("prompt", "cwd"),
    ("prompt", "model"),
    ("prompt", "conversation_id"),
    ("git", "branch"),
    ("git", "status"),
    ("file", "<path>"),
];

/// Lays the settings' own keys over the profile.
fn apply(profile: &mut Profile, own: &Own) {
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
    look: &Look<'_>,
) -> Vec<Contribution> {
    let known = known_facts(profile, look);
    profile
        .sections
        .iter()
        .filter_map(|section| {
            let Body::Fill(name) = &section.body else { return None };
            // An extension has taken the place of the built-in one.
            if said.iter().any(|said| said.section == section.id && said.provider == *name) {
                return None;
            }
            // A section that cannot speak whatever else is known needs nobody to look.
            if let Some(when) = &section.when
                && let preface_core::condition::Verdict::Fails(_) = when.decide(&known)
            {
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

/// The facts that cost nothing and that conditions of providers ask for: which tools are active, which options are set.
fn known_facts(profile: &Profile, look: &Look<'_>) -> Facts {
    let mut facts = Facts::default();
    for key in
        profile.sections.iter().filter_map(|section| section.when.as_ref()).flat_map(|when| when.keys())
    {
        if key.kind() == "tool" {
            facts.supply(key.clone(), provider::answer(key, look));
        } else if let Some(fact) = option_fact(key, &profile.options) {
            facts.supply(key.clone(), fact);
        }
    }
    facts
}

fn option_fact(key: &FactKey, options: &BTreeMap<String, String>) -> Option<Fact> {
    (key.kind() == "option").then(|| match options.get(key.name()) {
        Some(value) => Fact::of(value, "the profile's options", Stability::Static),
        None => Fact::absent("the option is not set"),
    })
}
