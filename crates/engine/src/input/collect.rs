//! The last input stage: the texts of the layers, what context providers contribute, and everything else that the pure half
//! needs, as a [`Snapshot`].

use crate::{
    Engine, Error,
    build_options::{BuildOptions, TemplateInput},
    input::{
        Inputs,
        consent::Ask,
        extensions,
        load_profile::{ProfileSource, UserSettings},
        named,
        source_texts::source_texts,
        variables::declare,
    },
};
use preface_core::{
    condition::{Condition, VariableTest},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    extension::{Category, Scopes},
    layer::Stack,
    lint::template,
    origin::{Origin, Piece},
    profile::Profile,
    section::{Language, Override, SectionBody},
    snapshot::{Contribution, Snapshot},
    suggestion::suggest_or,
    template::TemplateOptions,
    turn::Turn,
    variable::source::{profile_variable, turn_variable},
};
use preface_host::{
    discover,
    places::Places,
    provider::{self, ContextProvider, context::ProviderContext},
    trust::gate::Consent,
};
use std::ops::Range;

/// For which tools texts are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breadth {
    /// The active ones.
    Turn,
    /// All: a section whose condition names a tool is collected, whether or not the tool is active.
    EveryTool,
}

impl Engine<'_> {
    /// Runs the input stages and collects.
    ///
    /// # Errors
    /// Those of the stages.
    pub(crate) fn read_and_collect(
        &self,
        request: &BuildOptions,
        breadth: Breadth,
        consent: Option<Consent>,
        ask: &dyn Ask,
    ) -> Result<(Inputs, Snapshot), Error> {
        let is_build = consent.is_none() && self.starts_programs();
        let inputs = self.read_inputs(request, consent)?;
        let snapshot = self.collect(request, &inputs, breadth, ask)?;
        if is_build {
            snapshot.profile.variables.check_required(&snapshot.turn.variables)?;
        }
        Ok((inputs, snapshot))
    }

    /// Reads the texts that the prompt of a request is made of.
    ///
    /// # Errors
    /// A store of templates that cannot be read, variables that do not fit, and events that call for no reminder.
    pub(crate) fn collect(
        &self,
        request: &BuildOptions,
        inputs: &Inputs,
        breadth: Breadth,
        ask: &dyn Ask,
    ) -> Result<Snapshot, Error> {
        let Inputs { loaded, project, entries, .. } = inputs;
        let mut diagnostics = inputs.diagnostics();
        let stored = self.stored(request, &entries.profile, &mut diagnostics)?;
        let (mut profile, mut turn) = (entries.profile.clone(), entries.turn.clone());
        let declared = stored.as_ref().map(|template| &template.variables);
        declare(request, &loaded.merged, declared, (&mut profile, &mut turn), &mut diagnostics)?;
        let stored = stored.as_ref().map(TemplateInput::pieces);
        let reminders = self.due(&request.events, &entries.profile, inputs.places(), &mut diagnostics)?;
        named::apply_append(project.system_prompt.append.as_ref(), &mut profile);
        let (mut stack, mut overrides, mut contributions) = <_>::default();
        // Where the settings give the whole prompt, nothing else is part of it, and nothing else is looked at.
        if project.system_prompt.custom.is_none() {
            let context = self.context(inputs, &turn, ask);
            stack = discover::layers(&profile, project.access.trust, &context);
            overrides = self.overrides(inputs, &mut stack, &context, &mut diagnostics);
            if !profile.closed {
                contributions = extensions::contribute(&mut profile, &entries.scopes, &context);
            }
            let place_of =
                |section: &str| loaded.source.place_of_value(self.system(), &["section", section, "fill"]);
            let more = contribute(&profile, &contributions, &entries.scopes, breadth, &context, &place_of);
            contributions.extend(more);
            diagnostics.extend(context.diagnostics.take());
        }
        let mut snapshot = Snapshot {
            stack,
            overrides,
            system_prompt: project.system_prompt.clone(),
            stored,
            contributions,
            reminders,
            diagnostics,
            turn,
            ..inputs.snapshot(profile)
        };
        if project.system_prompt.custom.is_none() {
            let broken = self.broken_tags(inputs, &snapshot);
            snapshot.diagnostics.extend(broken);
        }
        Ok(snapshot)
    }

    /// Reports the tags of templates that are text because their structure is broken. An unsaved template is checked where it is
    /// edited.
    fn broken_tags(&self, inputs: &Inputs, snapshot: &Snapshot) -> Diagnostics {
        let options = TemplateOptions::of(&snapshot.profile, &snapshot.turn.variables);
        let is_unsaved = |piece: &Piece| matches!(piece.origin, Origin::Stored { version: None, .. });
        let mut broken = Diagnostics::new();
        for source in source_texts(snapshot) {
            if source.language != Language::Template || source.pieces.iter().any(is_unsaved) {
                continue;
            }
            let text = source.text();
            let found =
                template::lint_structure(&text, &options, source.scope, &source.path, MOST_BROKEN_TAGS);
            broken.extend(found.into_iter().map(|found| {
                let mut diagnostic = found.diagnostic;
                let span = diagnostic.place.as_ref().and_then(|place| place.span.clone());
                let place = match (source.pieces, span) {
                    ([piece], Some(span)) => {
                        self.place_of_literal(&inputs.loaded.source, inputs.places(), piece, &span)
                    }
                    _ => None,
                };
                diagnostic.place = place.or(diagnostic.place);
                diagnostic
            }));
        }
        broken
    }

    /// Finds a part of a text of the profile in the profile's file.
    pub(crate) fn place_of_literal(
        &self,
        source: &ProfileSource,
        places: &Places,
        piece: &Piece,
        part: &Range<usize>,
    ) -> Option<Place> {
        let Origin::Literal { profile, key } = &piece.origin else { return None };
        let place = source.locate(self.system(), (profile.as_ref(), key.as_ref()), &piece.text, part)?;
        Some(Place { path: places.shown(place.path.as_ref()), ..place })
    }

    /// Returns what settings make of single sections, the weakest scope first. Of a closed profile only the texts of an agent
    /// are the user's to change: all else is left out, in the layers too.
    fn overrides(
        &self,
        inputs: &Inputs,
        stack: &mut Stack,
        context: &ProviderContext<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Override> {
        let Inputs { loaded, project, entries, .. } = inputs;
        let UserSettings { bundled, global, sets, .. } = &loaded.settings;
        let profile = &entries.profile;
        let mut overrides = Vec::new();
        for layer in bundled.iter().chain(global).chain(&project.layers) {
            overrides.extend(discover::overrides(layer, layer.by().scope(), context, diagnostics));
        }
        if profile.closed {
            let is_own_text = |id: &str| {
                let section = profile.sections.iter().find(|section| section.id.as_str() == id);
                entries.turn.agent.is_some()
                    && section.is_some_and(|section| matches!(section.body, SectionBody::Text(_)))
            };
            let sections = |stack: &Stack| stack.0.iter().map(|layer| layer.sections.len()).sum::<usize>();
            let before = (overrides.len(), sections(stack));
            overrides.retain(|over| is_own_text(&over.id));
            stack.0.iter_mut().for_each(|layer| layer.sections.retain(|id, _| is_own_text(id)));
            let left_out = discover::system_prompt(&project.settings) != project.system_prompt
                || before != (overrides.len(), sections(stack));
            if left_out {
                let what = format!(
                    "sections and `systemPrompt` of your files are no part of the profile `{}`",
                    profile.name
                );
                diagnostics.push(Diagnostic::info(DiagnosticCode::ProfileClosed, what));
            }
        }
        for layer in sets {
            overrides.extend(discover::overrides(layer, None, context, diagnostics));
        }
        overrides
    }

    /// The template that is used in place of the profile's own: the request's, else that of a store. No store is opened for a
    /// profile that takes none.
    fn stored(
        &self,
        request: &BuildOptions,
        profile: &Profile,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<TemplateInput>, Error> {
        if request.template_text.is_some() {
            return Ok(request.template_text.clone());
        }
        let Some(source) = self.templates() else { return Ok(None) };
        if profile.takes_template() {
            return source.template();
        }
        diagnostics.extend(source.chosen().map(|chosen| {
            Diagnostic::warning(
                DiagnosticCode::TemplateUnused,
                format!("the profile `{}` takes no template: `{chosen}` was not used", profile.name),
            )
        }));
        Ok(None)
    }
}

/// The most findings about the tags of one text.
const MOST_BROKEN_TAGS: usize = 5;

/// Asks each section's context provider, in the profile's order. `place_of` finds the `fill` of a section.
fn contribute(
    profile: &Profile,
    contributed: &[Contribution],
    scopes: &Scopes,
    breadth: Breadth,
    context: &ProviderContext<'_>,
    place_of: &dyn Fn(&str) -> Option<Place>,
) -> Vec<Contribution> {
    profile
        .sections
        .iter()
        .filter_map(|section| {
            let SectionBody::Fill(name) = &section.body else { return None };
            // An extension has taken the place of the built-in one.
            let is_this = |one: &Contribution| one.section == section.id && one.provider == *name;
            if contributed.iter().any(is_this) {
                return None;
            }
            if section.when.as_ref().is_some_and(|when| cannot_hold(when, profile, breadth, context.turn)) {
                return None;
            }
            match provider::context_provider(name.as_str()) {
                Some(provider) => Some(match extensions::switched_off(scopes, provider.id) {
                    Some(why) => provider.silent(section, &why),
                    None => provider.contribute(section, context),
                }),
                // An extension that is no part of this prompt.
                None if scopes.active(Category::ContextProviders, name.as_str()).is_some() => None,
                None => {
                    let names: Vec<&str> =
                        provider::CONTEXT_PROVIDERS.iter().map(|provider| provider.name).collect();
                    let what = format!("section `{}`: unknown context provider: `{name}`", section.id);
                    let help = suggest_or(name.as_str(), names.iter().copied(), || {
                        format!("context providers are {}", names.join(", "))
                    });
                    let diagnostic = Diagnostic::warning(DiagnosticCode::ProfileOption, what).help(help);
                    context.note(Diagnostic { place: place_of(section.id.as_str()), ..diagnostic });
                    None
                }
            }
        })
        .collect()
}

/// Asks those context providers again that `which` names, after what they depend on has changed. `context` has what they depend
/// on.
pub(crate) fn collect_again(
    which: fn(&ContextProvider) -> bool,
    scopes: &Scopes,
    snapshot: &mut Snapshot,
    context: &ProviderContext<'_>,
) {
    let contributions = &mut snapshot.contributions;
    for section in &snapshot.profile.sections {
        let SectionBody::Fill(name) = &section.body else { continue };
        let before = contributions
            .iter_mut()
            .find(|contribution| contribution.section == section.id && contribution.provider == *name);
        if let Some(before) = before
            && let Some(provider) = provider::context_provider(name.as_str())
            && which(provider)
            && extensions::switched_off(scopes, provider.id).is_none()
        {
            *before = provider.contribute(section, context);
        }
    }
    for diagnostic in context.diagnostics.take() {
        if !snapshot.diagnostics.contains(&diagnostic) {
            snapshot.diagnostics.push(diagnostic);
        }
    }
}

/// Returns true if a condition fails by the declared variables, the options that are set and, unless every tool counts, by the
/// active tools.
fn cannot_hold(when: &Condition, profile: &Profile, breadth: Breadth, turn: &Turn) -> bool {
    let holds = &mut |test: &VariableTest| {
        let test = test.read(&profile.variables);
        let key = &test.key;
        let known = match key.kind() {
            "tool" if breadth == Breadth::EveryTool => None,
            "tool" => turn_variable(key, turn),
            _ => profile_variable(key, profile, turn),
        };
        known.map(|variable| test.holds(variable.value.as_deref())).ok_or(())
    };
    when.holds(holds) == Ok(false)
}
