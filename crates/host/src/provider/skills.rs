//! Context provider `skills`: name, description and place of each skill that a model may read by itself.

use super::{ContextProvider, ProvidedTexts};
use crate::{
    provider::context::ProviderContext,
    skills::{
        self, LoadedSkill, SkillEntry, SkillOptions,
        options::{OPTIONS, SkillEscape},
    },
};
use preface_core::{
    lint::forged::escape_line,
    origin::{Origin, Piece},
    section::{Language, Section},
    skill::{command, escape},
    snapshot::Item,
};
use std::{borrow::Cow, collections::BTreeMap};

/// Lists skills.
pub const SKILLS: ContextProvider = ContextProvider {
    follows_hooks: true,
    ..ContextProvider::new(
        "skills",
        "name, description and place of each SKILL.md that a model may read by itself",
        OPTIONS,
        provide,
    )
};

fn provide(section: &Section, context: &ProviderContext<'_>) -> ProvidedTexts {
    let options = SkillOptions::read(section, context);
    let entries = skills::load(&options, context);
    let items = entries
        .iter()
        .filter(|entry| entry.active && !entry.value.hidden)
        .filter_map(|entry| Some(item(entry, entry.value.loaded.as_ref()?, options.escape)));
    let absent = if entries.is_empty() { "there is no skill" } else { "all skills are hidden or left out" };
    ProvidedTexts::of(items.collect(), absent)
}

fn item(entry: &SkillEntry, loaded: &LoadedSkill, escape: SkillEscape) -> Item {
    let location = &entry.value.location;
    let text = escape_text(entry.value.description.as_deref().unwrap_or_default(), escape);
    let as_it_is = loaded.exact && matches!(text, Cow::Borrowed(_));
    let origin =
        Origin::Source { source: loaded.source.clone(), span: loaded.span.clone(), lossy: !as_it_is };
    let variable = |name: &str, text: &str| (name.to_owned(), escape_text(text, escape).into_owned());
    Item {
        variables: BTreeMap::from([
            variable("name", &entry.name),
            variable("location", location),
            variable("path", &entry.origin.path),
            variable("base_dir", command::base_dir(location)),
        ]),
        pieces: vec![Piece { text: text.into_owned(), origin }],
        language: Language::Verbatim,
        rank: Some(entry.origin.scope.entry_rank()),
    }
}

/// The tags of a list of skills.
const LIST_TAGS: &[&str] =
    &["available_skills", "description", "location", "skill", "skills", "system-reminder"];

/// Escapes a text for the tag that it stands in; on one line, what could close that tag, and no quotes.
fn escape_text(text: &str, escape: SkillEscape) -> Cow<'_, str> {
    match escape {
        SkillEscape::Xml => escape::xml(text),
        SkillEscape::Line => escape_line(text, LIST_TAGS),
        SkillEscape::None => Cow::Borrowed(text),
    }
}
