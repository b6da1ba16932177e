//! Tool definitions: what a model is told of each tool, beside the system prompt (seed 003 §3.2). The profile's words for
//! a tool are a template like any other text, so that nothing of a template reaches a model unrendered.

use crate::{
    budget::Bytes4,
    fact::{Fact, FactKey},
    layer::Stack,
    line::{self, LineError},
    origin::{Origin, Piece},
    profile::{Arrange, Budget, Profile},
    section::{Body, CutRule, Section, SectionId, Trim},
    turn::Tool,
    world::{OwnPrompt, World},
};
use std::collections::BTreeMap;

/// Returns the active tools of a world with their descriptions worked out. The profile's words take the place of those
/// that ship with preface, and of none; what a layer or the caller says of a tool stays. `answer` is asked as in
/// [`line::run`], and its answers become part of the world.
///
/// # Errors
/// See [`LineError`].
pub fn definitions(
    world: &mut World,
    answer: &mut dyn FnMut(&FactKey) -> Option<Fact>,
) -> Result<Vec<Tool>, LineError> {
    let mut tools = world.turn.tools.clone();
    let described: Vec<(usize, Body)> =
        tools.iter().enumerate().filter_map(|(at, tool)| Some((at, words(tool, &world.profile)?))).collect();
    if described.is_empty() {
        return Ok(tools);
    }
    let places: BTreeMap<SectionId, usize> = described.iter().map(|(at, _)| (section_id(*at), *at)).collect();
    let mut aside = World {
        version: world.version,
        turn: world.turn.clone(),
        profile: only(&world.profile, described),
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
        if let Some(at) = places.get(&part.section) {
            tools[*at].description = Some(prompt.text_of(part).to_owned());
        }
    }
    Ok(tools)
}

/// The profile's words for a tool, where nobody else's count.
fn words(tool: &Tool, profile: &Profile) -> Option<Body> {
    let is_bundled = tool.source.as_ref().is_some_and(|source| source.starts_with("bundled/"));
    let texts = profile.tool_texts.get(&tool.name).filter(|_| is_bundled || tool.description.is_none())?;
    match &texts.imported {
        Some(imported) => Some(Body::Catalog(imported.clone())),
        None => texts.description.clone().map(Body::Text),
    }
}

fn section_id(at: usize) -> SectionId {
    SectionId::new(format!("tool-{at}"))
}

/// The profile with a section for each description and nothing else.
fn only(profile: &Profile, described: Vec<(usize, Body)>) -> Profile {
    let section = |(at, words)| {
        let mut section = Section::new(section_id(at), words);
        section.keep_blank = true;
        section.trim = Trim::End;
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
