//! From the input of a published builder to a snapshot, and through the engine's own line to a prompt.
//!
//! Only the input is translated here: a context file becomes what the provider of context files would contribute, and so
//! on. Separators, order, conditions and headings are the profile's, and the line is the one that every build walks.

use super::{builder_input::BuilderInput, pi_options::PiOptions};
use crate::MemorySystem;
use preface_engine::{
    ASSETS, BuildOptions, Engine, Headless, TrustChoice,
    core::{
        diagnostic::Diagnostics,
        layer::{Layer, Stack},
        origin::{Origin, Piece},
        pipeline,
        profile::{ByteOrderMark, SectionFrame},
        prompt::Prompt,
        scope::Scope,
        section::{Language, Override, ProviderName, Section, SectionBody},
        settings,
        snapshot::{Contribution, Item, Snapshot},
        trust::{Trust, TrustMode},
        turn::{Tool, Turn},
        variable::{RecordedVariables, VariableKey},
    },
    host::{
        places::Places,
        provider::{self, context::ProviderContext},
        trust::{
            RootRecord,
            bounds::Bounds,
            gate::{Consent, Gate},
        },
    },
};
use serde_json::Value;
use std::{cell::RefCell, collections::BTreeMap, path::PathBuf, sync::Arc};

/// The directory that the profile is loaded in; inputs name their own.
const HERE: &str = "/w";

/// Builds prompts from builder inputs, with one profile.
#[derive(Debug)]
pub struct PiBuilder {
    snapshot: Snapshot,
    places: Places,
    system: MemorySystem,
}

/// A profile that is wrong on purpose: who does not notice it would notice nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileFault {
    /// Parts are separated by one byte more.
    Separator,
    /// Skills are before the context files.
    Order,
}

impl PiBuilder {
    /// Loads a variant of the preset with options, at an instant (RFC 3339) in a time zone.
    ///
    /// # Errors
    /// The error of the engine.
    pub fn new(variant: &str, options: &PiOptions, now: &str, zone: &str) -> Result<Self, String> {
        let system = MemorySystem::new().with_bundle(ASSETS).with_home("/home/user").with_dir(HERE);
        let request = BuildOptions {
            preset: Some("pi".to_owned()),
            now: Some(now.to_owned()),
            zone: Some(zone.to_owned()),
            sets: options.sets(variant),
            trust: TrustChoice::Once,
            ..BuildOptions::in_dir(HERE)
        };
        let built = Engine::new(&system).build(&request).map_err(|error| error.to_string())?;
        Ok(PiBuilder { snapshot: built.snapshot, places: built.places, system })
    }

    /// Makes the profile wrong.
    pub fn plant(&mut self, plant: ProfileFault) {
        let profile = Arc::make_mut(&mut self.snapshot.profile);
        match plant {
            ProfileFault::Separator => profile.join.text.push('\n'),
            ProfileFault::Order => {
                let filled = |section: &Section, by: &str| match &section.body {
                    SectionBody::Fill(provider) => provider.as_str() == by,
                    _ => false,
                };
                let at = |by| profile.sections.iter().position(|section| filled(section, by));
                if let (Some(files), Some(skills)) = (at("instructions"), at("skills")) {
                    profile.sections.swap(files, skills);
                }
            }
        }
    }

    /// Builds the prompt of an input.
    ///
    /// # Errors
    /// A section's name that cannot be a tag, and the error of the pipeline.
    pub fn prompt(&self, input: &BuilderInput) -> Result<String, String> {
        let mut snapshot = self.snapshot_of(input);
        if let Some(sections) = &input.sections {
            let included = self.run(&mut snapshot.clone())?;
            let included: Vec<&str> = included.parts.iter().map(|part| part.section.as_str()).collect();
            override_sections(&mut snapshot, sections, &included)?;
        }
        // Not among the overrides above: it leaves nothing to override.
        snapshot.system_prompt.custom =
            input.force_system_prompt.as_deref().map(|text| piece(text, "forceSystemPrompt"));
        let prompt = self.run(&mut snapshot)?;
        prompt.check_tiling()?;
        Ok(prompt.text)
    }

    /// Walks the line, with variables of the turn and the clock.
    fn run(&self, snapshot: &mut Snapshot) -> Result<Prompt, String> {
        let turn = snapshot.turn.clone();
        let gate =
            Gate::new(TrustMode::None, Consent::Once, PathBuf::from(HERE), RootRecord::default(), true);
        let context = ProviderContext {
            system: &self.system,
            turn: &turn,
            places: &self.places,
            bundle: None,
            gate: &gate,
            given: &self.snapshot.given,
            roots: None,
            bounds: &Bounds::default(),
            settings: &settings::merge(Vec::new(), &mut Diagnostics::new()),
            confirm: &Headless,
            granted: None,
            diagnostics: RefCell::default(),
            skill_paths: &[],
            sections: &[],
            servers: &[],
            bom: ByteOrderMark::Keep,
            file_room: Default::default(),
        };
        pipeline::run(snapshot, &mut |key: &VariableKey| Some(provider::resolve(key, &context)))
            .map_err(|error| error.to_string())
    }

    fn snapshot_of(&self, input: &BuilderInput) -> Snapshot {
        let mut snapshot = self.snapshot.clone();
        snapshot.variables = RecordedVariables::default();
        snapshot.diagnostics = Diagnostics::new();
        snapshot.turn = turn(&snapshot.turn, input);
        snapshot.stack = stack(input);
        snapshot.contributions = contributions(&snapshot.profile.sections, input);
        snapshot
    }
}

/// Gives sections a text. The builder knows the sections that are included in this build and no others: the name of one that is
/// absent is the name of a new one, at the end. So an absent section leaves the profile first.
fn override_sections(
    snapshot: &mut Snapshot,
    sections: &serde_json::Map<String, Value>,
    included: &[&str],
) -> Result<(), String> {
    for (id, text) in sections {
        SectionFrame::check(id)?;
        // An empty text does not change its section.
        let Some(text) = text.as_str().filter(|text| !text.is_empty()) else { continue };
        if !included.contains(&id.as_str()) {
            let profile = Arc::make_mut(&mut snapshot.profile);
            profile.sections.retain(|section| section.id.as_str() != id);
            for group in &mut profile.groups {
                group.members.retain(|member| member.as_str() != id);
            }
        }
        snapshot.overrides.push(Override {
            id: id.clone(),
            source: "sections".to_owned(),
            text: Some(vec![piece(text, "sections")]),
            language: Some(Language::Verbatim),
            ..Override::default()
        });
    }
    Ok(())
}

/// Puts directory, tools and guidelines of the input into the turn.
fn turn(turn: &Turn, input: &BuilderInput) -> Turn {
    let tool = |name: String| Tool {
        snippet: input.snippet(&name).map(str::to_owned),
        guidelines: input.guidelines(&name),
        name,
        ..Tool::default()
    };
    Turn {
        cwd: input.cwd.clone(),
        tools: input.tools().into_iter().map(tool).collect(),
        guidelines: input.prompt_guidelines.clone().unwrap_or_default(),
        ..turn.clone()
    }
}

/// A custom base is the project's SYSTEM.md; an empty one counts as absent.
fn stack(input: &BuilderInput) -> Stack {
    let text = input.custom_prompt.as_deref().filter(|text| !text.is_empty());
    Stack(vec![Layer {
        scope: Scope::Project,
        path: HERE.to_owned(),
        trust: Trust::Once,
        files: text
            .map(|text| ("SYSTEM.md".to_owned(), vec![piece(text, "customPrompt")]))
            .into_iter()
            .collect(),
        sections: BTreeMap::new(),
    }])
}

/// Says for each provider of the profile what it would have found.
fn contributions(sections: &[Section], input: &BuilderInput) -> Vec<Contribution> {
    let mut all = Vec::new();
    for section in sections {
        let SectionBody::Fill(provider) = &section.body else { continue };
        let items = match provider.as_str() {
            "layer-files" => append(input),
            "instructions" => context(input),
            "skills" => skills(input),
            _ => continue,
        };
        all.push(contribution(section, provider, items));
    }
    all
}

fn contribution(section: &Section, provider: &ProviderName, items: Vec<Item>) -> Contribution {
    Contribution {
        provider: provider.clone(),
        id: None,
        section: section.id.clone(),
        unread: 0,
        silent: items.is_empty().then(|| "the input has none".to_owned()),
        items,
        priority: None,
        max_tokens: None,
        stability: None,
    }
}

fn append(input: &BuilderInput) -> Vec<Item> {
    let text = input.append_system_prompt.iter().filter(|text| !text.is_empty());
    text.map(|text| item(&[], text, "appendSystemPrompt")).collect()
}

fn context(input: &BuilderInput) -> Vec<Item> {
    let files = input.context_files.iter().flatten();
    files
        .map(|file| item(&[("absolute", &file.path), ("path", &file.path)], &file.content, "contextFiles"))
        .collect()
}

fn skills(input: &BuilderInput) -> Vec<Item> {
    let visible = input.skills.iter().flatten().filter(|skill| !skill.disable_model_invocation);
    visible
        .map(|skill| {
            let (name, place) = (escape(&skill.name), escape(&skill.file_path));
            item(&[("name", &name), ("location", &place)], &escape(&skill.description), "skills")
        })
        .collect()
}

fn item(variables: &[(&str, &str)], text: &str, key: &str) -> Item {
    Item {
        variables: variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        pieces: vec![piece(text, key)],
        language: Language::Verbatim,
        rank: Some(0),
    }
}

fn piece(text: &str, key: &str) -> Piece {
    Piece { text: text.to_owned(), origin: Origin::Caller { flag: key.into() } }
}

/// Escapes the five characters, as the provider of skills does.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&apos;",
            c => out.push(c),
        }
    }
    out
}
