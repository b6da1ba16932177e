//! Tool definitions: what a model is told of each tool, beside the system prompt (seed 003 §3.2). The profile's words for
//! a tool are a template like any other text, so that nothing of a template reaches a model unrendered.

mod parameters;

use crate::{
    budget::Bytes4,
    catalog::CatalogBody,
    diagnostic::{Diagnostic, Diagnostics},
    fact::{Fact, FactKey},
    layer::Stack,
    line::{self, LineError},
    origin::{Origin, Piece},
    profile::{Arrange, Budget, Profile},
    section::{Body, CutRule, Section, SectionId, Trim},
    settings::shown,
    turn::Tool,
    world::{OwnPrompt, World},
};
use std::collections::BTreeMap;

/// Returns the active tools of a world with their descriptions worked out. The profile's words take the place of those
/// that ship with preface, and of none; what a layer or the caller says of a tool stays. A text of a catalog is used where the
/// schema can take the names of its parameters. `answer` is asked as in [`line::run`], and its answers become part of the world.
///
/// # Errors
/// See [`LineError`].
pub fn definitions(
    world: &mut World,
    answer: &mut dyn FnMut(&FactKey) -> Option<Fact>,
    notes: &mut Diagnostics,
) -> Result<Vec<Tool>, LineError> {
    let mut tools = world.turn.tools.clone();
    let mut wanted: Vec<usize> = (0..tools.len()).collect();
    let mut use_catalog = true;
    while !wanted.is_empty() {
        let texts = rendered(world, &tools, &wanted, use_catalog, answer)?;
        let mut refused = Vec::new();
        for (at, Description { text, imported }) in texts {
            let tool = &mut tools[at];
            let parameters = world.profile.tool_texts.get(&tool.name).map(|texts| &texts.parameters);
            if let (true, Some(schema), Some(parameters)) = (imported, &tool.input_schema, parameters) {
                match parameters::fitted(schema, parameters, &text) {
                    Ok(None) => {}
                    Ok(Some(schema)) => tool.input_schema = Some(schema.into()),
                    Err(name) => {
                        notes.push(no_parameter(&tool.name, &name));
                        refused.push(at);
                        continue;
                    }
                }
            }
            tool.description = Some(text);
        }
        (wanted, use_catalog) = (refused, false);
    }
    Ok(tools)
}

fn no_parameter(tool: &str, name: &str) -> Diagnostic {
    let what = format!(
        "the catalog's description of the tool `{tool}` names the parameter `{}`, which its schema does not have; the profile's own is used",
        shown(name)
    );
    let help = format!("`[tool_texts.{tool}.parameters]` in a profile says what it stands for");
    Diagnostic::warning("catalog/parameter", what).help(help)
}

/// The description of a tool.
#[derive(Default)]
struct Description {
    text: String,
    /// True where the text before the one behind it is a catalog's.
    imported: bool,
}

/// Works the profile's words for these tools out, in their order.
fn rendered(
    world: &mut World,
    tools: &[Tool],
    wanted: &[usize],
    use_catalog: bool,
    answer: &mut dyn FnMut(&FactKey) -> Option<Fact>,
) -> Result<BTreeMap<usize, Description>, LineError> {
    let mut sections = Vec::new();
    let mut places = BTreeMap::new();
    let mut found: BTreeMap<usize, Description> = BTreeMap::new();
    for &at in wanted {
        for (number, body) in words(&tools[at], &world.profile, use_catalog).into_iter().enumerate() {
            let description = found.entry(at).or_default();
            description.imported |= number == 0 && matches!(body, Body::Catalog(_));
            let id = SectionId::new(format!("tool-{at}-{number}"));
            places.insert(id.clone(), at);
            sections.push((id, body));
        }
    }
    if sections.is_empty() {
        return Ok(found);
    }
    let mut aside = World {
        version: world.version,
        turn: world.turn.clone(),
        profile: only(&world.profile, sections),
        stack: Stack::default(),
        overrides: Vec::new(),
        system_prompt: OwnPrompt::default(),
        given: BTreeMap::new(),
        stored: None,
        contributions: Vec::new(),
        reminders: Vec::new(),
        facts: std::mem::take(&mut world.facts),
        diagnostics: Vec::new(),
        audit: Vec::new(),
    };
    // Nothing is measured here, so any counter will do.
    aside.turn.budget = None;
    aside.turn.counter = Bytes4::NAME.to_owned();
    let rendered = line::run(&mut aside, answer);
    world.facts = aside.facts;
    let prompt = rendered?;
    for part in &prompt.parts {
        let Some(description) = places.get(&part.section).and_then(|at| found.get_mut(at)) else { continue };
        let text = prompt.text_of(part);
        if !description.text.is_empty() && !text.is_empty() {
            description.text.push_str("\n\n");
        }
        description.text.push_str(text);
    }
    Ok(found)
}

/// The profile's words for a tool, where nobody else's count: the description, then the text behind it.
fn words(tool: &Tool, profile: &Profile, use_catalog: bool) -> Vec<Body> {
    let is_bundled = tool.source.as_ref().is_some_and(|source| source.starts_with("bundled/"));
    let texts = profile.tool_texts.get(&tool.name).filter(|_| is_bundled || tool.description.is_none());
    let Some(texts) = texts else { return Vec::new() };
    let body = |imported: &Option<CatalogBody>, own: Option<&Vec<Piece>>| match imported {
        Some(imported) if use_catalog => Some(Body::Catalog(imported.clone())),
        _ => own.cloned().map(Body::Text),
    };
    let Some(description) = body(&texts.imported, texts.description.as_ref()) else { return Vec::new() };
    let after = texts.after.as_ref().and_then(|after| body(&after.imported, Some(&after.text)));
    std::iter::once(description).chain(after).collect()
}

/// The profile with a section for each description and nothing else.
fn only(profile: &Profile, described: Vec<(SectionId, Body)>) -> Profile {
    let section = |(id, words)| {
        let mut section = Section::new(id, words);
        section.keep_blank = true;
        section.trim = if matches!(section.body, Body::Catalog(_)) { Trim::Both } else { Trim::End };
        section.cut = CutRule::Never;
        section.framed = false;
        section
    };
    let join = Origin::Literal { profile: profile.name.as_str().into(), key: "join".into() };
    Profile {
        sections: described.into_iter().map(section).collect(),
        groups: Vec::new(),
        unordered: Vec::new(),
        arrange: Arrange::Listed,
        join: Piece { text: String::new(), origin: join },
        seam: false,
        budget: Budget::default(),
        append_id: None,
        ..profile.clone()
    }
}
