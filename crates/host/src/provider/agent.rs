//! Context provider `agent`: the selected agent. Its text, its reminder, or the skills that it starts with.

use super::{ContextProvider, ProvidedTexts, SectionOptions};
use crate::{
    agents::{self, AgentEntry},
    markdown::{help_for_unknown, remove_repeated, shown},
    provider::context::ProviderContext,
    skills::{self, SkillEntry, SkillOptions, options::OPTIONS as SKILL_OPTIONS},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    extension::Status,
    lint::hidden::escape_hidden,
    origin::Piece,
    scope::Scope,
    section::{Language, Section, SectionBody},
    snapshot::Item,
};
use std::collections::BTreeMap;

/// The option `part`, then the options for finding skills.
const OPTIONS: [(&str, &str); SKILL_OPTIONS.len() + 1] = {
    let part = "`prompt` (default), `reminder`, or `skills`: those that the agent starts with, looked for as the other \
               options say, else as the section for skills does";
    let mut all = [("part", part); SKILL_OPTIONS.len() + 1];
    let mut at = 0;
    while at < SKILL_OPTIONS.len() {
        all[at + 1] = SKILL_OPTIONS[at];
        at += 1;
    }
    all
};
/// The most skills that an agent starts with.
const MOST_SKILLS: usize = 50;

/// The provider of an agent's prompt, reminder and skills.
pub const AGENT: ContextProvider = ContextProvider {
    follows_hooks: true,
    ..ContextProvider::new(
        "agent",
        "the prompt, the reminder or the skills of the agent that is asked for",
        &OPTIONS,
        provide,
    )
};

fn provide(section: &Section, context: &ProviderContext<'_>) -> ProvidedTexts {
    let options = SectionOptions::new(section, context);
    let part = options.word("part", &["prompt", "reminder", "skills"]);
    let Some(name) = &context.turn.agent else { return ProvidedTexts::none("no agent is selected") };
    let entries = agents::load(context);
    let Some(entry) = agents::find(name, &entries) else {
        let before = context.diagnostics.borrow().len();
        context.note(unknown_diagnostic(name, &entries));
        remove_repeated(before, context);
        return ProvidedTexts::none(format!("there is no agent `{}`", shown(name)));
    };
    let whole = |pieces: Vec<Piece>, language| item(entry, pieces, language).into_iter().collect();
    let (items, why) = match part {
        "reminder" => {
            let pieces = entry.value.what.as_ref().map(|agent| agent.reminder.clone()).unwrap_or_default();
            (whole(pieces, Language::Verbatim), "the agent has no reminder")
        }
        "skills" => (skills_of(entry, section, context), "the agent starts with no skill"),
        _ => (whole(entry.value.body.clone(), entry.value.language), "the agent's file has no text"),
    };
    ProvidedTexts::of(items, why)
}

fn skills_of(entry: &AgentEntry, section: &Section, context: &ProviderContext<'_>) -> Vec<Item> {
    let Some(agent) = entry.value.what.as_ref().filter(|agent| !agent.skills.is_empty()) else {
        return Vec::new();
    };
    let before = context.diagnostics.borrow().len();
    let skills = load_skills(section, context);
    let mut items = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for name in &agent.skills {
        if names.contains(&name.as_str()) {
            continue;
        }
        if names.len() == MOST_SKILLS {
            let more = agent.skills.len() - MOST_SKILLS;
            context.note(skipped_diagnostic(
                entry,
                &format!("{more} more: {MOST_SKILLS} are the most"),
                context,
            ));
            break;
        }
        names.push(name);
        match preload(name, &skills, context) {
            Ok(item) => items.push(item),
            Err(why) => {
                context.note(skipped_diagnostic(entry, &format!("`{}`: {why}", shown(name)), context));
            }
        }
    }
    remove_repeated(before, context);
    items
}

/// The skills that this section's own options find, else those of the section for skills.
fn load_skills(section: &Section, context: &ProviderContext<'_>) -> Vec<SkillEntry> {
    let own = ["roots", "paths"].iter().any(|key| section.options.contains_key(*key));
    let section = section_of_skills(context).filter(|_| !own).unwrap_or(section);
    skills::load(&SkillOptions::read(section, context), context)
}

/// Returns the section that lists the skills of a prompt.
fn section_of_skills<'l>(context: &'l ProviderContext<'_>) -> Option<&'l Section> {
    let is_skills =
        |section: &&Section| matches!(&section.body, SectionBody::Fill(name) if name.as_str() == "skills");
    context.sections.iter().find(is_skills)
}

fn item(entry: &AgentEntry, pieces: Vec<Piece>, language: Language) -> Option<Item> {
    let agent = entry.value.what.as_ref()?;
    let variable = |name: &str, text: &str| (name.to_owned(), escape_hidden(text).into_owned());
    let mut variables = BTreeMap::from([
        variable("name", &entry.name),
        variable("path", &entry.origin.path),
        ("description".to_owned(), agent.description.clone()),
    ]);
    variables.extend(agent.model.as_ref().map(|model| variable("model", model)));
    (!pieces.is_empty()).then_some(Item { variables, pieces, language, rank: None })
}

fn preload(name: &str, skills: &[SkillEntry], context: &ProviderContext<'_>) -> Result<Item, String> {
    // A skill is named by its head, or by its directory.
    let is_directory = |skill: &&SkillEntry| {
        let path = skill.value.loaded.as_ref().and_then(|loaded| loaded.path.parent()?.file_name());
        skill.active && path.is_some_and(|directory| directory == name)
    };
    let by_name = skills.iter().find(|skill| skill.active && skill.name == name);
    let Some(skill) = by_name.or_else(|| skills.iter().find(is_directory)) else {
        let same = skills.iter().find(|skill| skill.name == name);
        return Err(match same.map(|skill| skill.status) {
            Some(Status::Untrusted) => "it waits for trust".to_owned(),
            Some(_) => "it is broken or left out".to_owned(),
            None => "there is no such skill".to_owned(),
        });
    };
    let is_own = |own: &&SkillEntry| {
        own.name == skill.name && own.origin.scope == Scope::Global && own.value.loaded.is_some()
    };
    let own = skills.iter().find(is_own).filter(|own| !skills::may_replace(skill, own, context));
    let skill = own.unwrap_or(skill);
    let pieces = skills::body(skill, context).ok_or("it could not be read")?;
    if pieces.is_empty() {
        return Err("it has no text".to_owned());
    }
    let variable = |name: &str, text: &str| (name.to_owned(), escape_hidden(text).into_owned());
    let variables = BTreeMap::from([variable("name", &skill.name), variable("path", &skill.origin.path)]);
    Ok(Item { variables, pieces, language: Language::Verbatim, rank: Some(skill.origin.scope.entry_rank()) })
}

fn skipped_diagnostic(entry: &AgentEntry, what: &str, context: &ProviderContext<'_>) -> Diagnostic {
    let what = format!("agent `{}` starts without skill {what}", shown(&entry.name));
    let help = match section_of_skills(context) {
        Some(_) => "the list of skills has all that there are",
        None => "take it out of `skills` in the head of the agent's file, or put it there",
    };
    Diagnostic::warning(DiagnosticCode::AgentNoSkill, what)
        .at(Place::file(Some(entry.origin.scope), entry.origin.path.clone()))
        .help(help)
}

fn unknown_diagnostic(name: &str, entries: &[AgentEntry]) -> Diagnostic {
    let diagnostic =
        Diagnostic::warning(DiagnosticCode::ScopeUnknown, format!("there is no agent `{}`", shown(name)));
    diagnostic.help(help_for_unknown(name, entries, "agents"))
}
