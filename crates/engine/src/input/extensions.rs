//! The effect of the layers' extensions on a build: the tools, and the active context providers.

use crate::{build_options::ToolChoice, input::server_tools};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy},
    extension::{Ability, Category, Context, ExtensionEntry, FragmentKind, Scopes, Status},
    profile::{BuiltinTexts, Profile, SnippetSource},
    scope::Scope,
    section::{Language, ProviderName, Section, SectionBody, SectionId},
    snapshot::Contribution,
    suggestion::did_you_mean,
    turn::{Tool, one_line},
};
use preface_host::provider::{self, context::ProviderContext};
use std::{borrow::Cow, sync::Arc};

/// Returns the active tools: the requested ones, with the texts of the extensions that have their names.
pub(crate) fn tools(
    choice: &ToolChoice,
    profile: &Profile,
    scopes: &Scopes,
    diagnostics: &mut Diagnostics,
) -> Vec<Tool> {
    let names = match choice {
        ToolChoice::Given(tools) => {
            return tools.iter().cloned().map(|tool| registered(tool, profile)).collect();
        }
        ToolChoice::Profile => {
            let mut names = profile.tools.clone();
            if profile.layer_tools {
                names.extend(of_layers(scopes, &names));
            }
            names
        }
        ToolChoice::Named(names) => {
            let canonical = |name: &String| canonical(name, profile, scopes).to_owned();
            // Those of servers join when it is known which servers may run.
            let joins = |name: &&String| profile.mcp.tools && server_tools::is_of_server(name);
            names.iter().filter(|name| !joins(name)).map(canonical).collect()
        }
    };
    let mut tools: Vec<Tool> = Vec::with_capacity(names.len());
    for name in &names {
        if !profile.repeat_tools && tools.iter().any(|tool| tool.name == *name) {
            continue;
        }
        if let Some(entry) = scopes.active(Category::Tools, name) {
            tools.push(entry_tool(entry, profile));
            continue;
        }
        if let Some(diagnostic) = left_out(scopes, name) {
            diagnostics.push(diagnostic);
            continue;
        }
        if let Some(texts) = profile.tool_texts.get(name) {
            tools.push(with_texts(Tool { name: name.clone(), ..Tool::default() }, texts));
            continue;
        }
        let mut diagnostic = Diagnostic::warning(
            DiagnosticCode::ToolUnknown,
            format!("unknown tool `{name}`: the prompt has only its name"),
        );
        let known = scopes.of(Category::Tools).filter(|entry| entry.active).map(|entry| entry.name.as_str());
        if let Some(near) = did_you_mean(name, known) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        diagnostics.push(diagnostic);
        tools.push(Tool { name: name.clone(), ..Tool::default() });
    }
    tools
}

/// Returns the name of the tool that a caller means: other names of a tool of the profile, and its name in another case where
/// no layer of the user or the project has a tool of exactly that name.
fn canonical<'n>(name: &'n str, profile: &'n Profile, scopes: &Scopes) -> &'n str {
    if let Some(named) = profile.tool_aliases.get(name) {
        return named;
    }
    let of_layers = scopes.named(Category::Tools, name).any(|entry| entry.origin.scope != Scope::Bundled);
    if of_layers || profile.tools.iter().chain(profile.tool_texts.keys()).any(|known| known == name) {
        return name;
    }
    let known = profile.tools.iter().map(|tool| (tool, tool)).chain(&profile.tool_aliases);
    known.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map_or(name, |(_, tool)| tool)
}

/// Reports why a tool that some layer has is not part of the prompt: it is switched off, broken, or not trusted.
fn left_out(scopes: &Scopes, name: &str) -> Option<Diagnostic> {
    let entry = scopes.named(Category::Tools, name).next_back()?;
    // The file of one that is not trusted is reported with what helps.
    let (why, help) = match (&entry.disabled_by, entry.status) {
        (Some(by), _) => (format!("`tools.{name}.disable` is set in {}", by.path), None),
        (None, Status::Untrusted) => {
            let help = entry.diagnostics.iter().find_map(|diagnostic| diagnostic.help.clone());
            (format!("{} is not trusted", entry.origin.path), help)
        }
        (None, _) => (format!("{} is not valid", entry.origin.path), None),
    };
    let what = format!("tool `{name}` is left out: {why}");
    let help = help.unwrap_or_else(|| Remedy::why(format_args!("tools/{name}")));
    Some(Diagnostic::warning(DiagnosticCode::ToolLeftOut, what).help(help))
}

/// The active tools that the user and the project bring, beside those that are named already.
pub(crate) fn of_layers(scopes: &Scopes, named: &[String]) -> Vec<String> {
    scopes
        .of(Category::Tools)
        .filter(|entry| entry.active && entry.origin.scope != Scope::Bundled)
        .map(|entry| entry.name.clone())
        .filter(|name| !named.contains(name))
        .collect()
}

/// A tool as an extension brings it; for a bundled one the profile may have texts of its own.
pub(crate) fn entry_tool(entry: &ExtensionEntry, profile: &Profile) -> Tool {
    let mut tool = match &entry.value.ability {
        Some(Ability::Tool(texts)) => texts.tool(&entry.name, &entry.origin.path),
        _ => Tool { name: entry.name.clone(), source: Some(entry.origin.path.clone()), ..Tool::default() },
    };
    tool.scope = Some(entry.origin.scope);
    match profile.tool_texts.get(&entry.name) {
        Some(texts) if entry.origin.scope == Scope::Bundled => with_texts(tool, texts),
        _ => registered(tool, profile),
    }
}

fn with_texts(tool: Tool, texts: &BuiltinTexts) -> Tool {
    let input_schema = texts.schema.clone().or(tool.input_schema);
    Tool { snippet: texts.snippet.clone(), guidelines: texts.guidelines.clone(), input_schema, ..tool }
}

/// Returns the tool as it is registered, with a snippet of one line from the sources that the profile lists.
pub(crate) fn registered(mut tool: Tool, profile: &Profile) -> Tool {
    let text = profile.snippet_from.iter().find_map(|from| match from {
        SnippetSource::Snippet => tool.snippet.as_deref(),
        SnippetSource::Description => tool.description.as_deref(),
    });
    tool.snippet = text.map(one_line).filter(|line| !line.is_empty()).map(Cow::into_owned);
    tool
}

/// Adds a section for each context provider of a layer and runs the provider. One with the name of a built-in
/// provider replaces that one.
pub(crate) fn contribute(
    shared: &mut Arc<Profile>,
    scopes: &Scopes,
    context: &ProviderContext<'_>,
) -> Vec<Contribution> {
    let mut contributions = Vec::new();
    let providers = active_context_providers(scopes, context);
    if providers.is_empty() {
        return contributions;
    }
    let profile = Arc::make_mut(shared);
    let anchor = profile
        .added_after
        .as_ref()
        .and_then(|after| profile.sections.iter().position(|section| section.id == *after));
    let mut at = anchor.map_or(profile.sections.len(), |anchor| anchor + 1);
    for (entry, ability) in providers {
        if let Some(section) = filled_by(profile, &entry.name) {
            let id = section.id.clone();
            section.body = SectionBody::Fill(ProviderName::new(&entry.name));
            section.language = Language::Verbatim;
            // The frame of an item needs the values of the built-in one.
            section.item = None;
            contributions.push(provider::extension::contribute(entry, ability, &id, context));
            continue;
        }
        let taken = |id: &str| profile.sections.iter().any(|section| section.id.as_str() == id);
        let id =
            if taken(&entry.name) { format!("contextProviders.{}", entry.name) } else { entry.name.clone() };
        let mut section = Section::new(SectionId::new(id), SectionBody::Fill(ProviderName::new(&entry.name)));
        section.language = Language::Verbatim;
        section.seam = true;
        section.prefix = profile.added_prefix.clone().filter(|_| profile.frame.is_none());
        section.between = profile.sections.iter().find_map(|section| {
            section.between.clone().filter(|_| section.seam && matches!(section.body, SectionBody::Fill(_)))
        });
        section.project = entry.origin.scope == Scope::Project;
        contributions.push(provider::extension::contribute(entry, ability, &section.id, context));
        profile.sections.insert(at, section);
        at += 1;
    }
    contributions
}

/// The section that a built-in provider of this id fills.
fn filled_by<'p>(profile: &'p mut Profile, id: &str) -> Option<&'p mut Section> {
    let builtin = provider::CONTEXT_PROVIDERS.iter().find(|provider| provider.id == id)?;
    profile
        .sections
        .iter_mut()
        .find(|section| matches!(&section.body, SectionBody::Fill(name) if name.as_str() == builtin.name))
}

/// The active context providers of the layers in order: priority, then layer, then id. Of those
/// that share an exclusive slot only the first is active.
fn active_context_providers<'s>(
    scopes: &'s Scopes,
    context: &ProviderContext<'_>,
) -> Vec<(&'s ExtensionEntry, &'s Context)> {
    let mut all: Vec<(&ExtensionEntry, &Context)> = scopes
        .of(Category::ContextProviders)
        .filter(|entry| entry.active)
        .filter_map(|entry| match &entry.value.ability {
            Some(Ability::Context(ability)) => Some((entry, ability)),
            _ => None,
        })
        .collect();
    all.sort_by_key(|(entry, ability)| (std::cmp::Reverse(ability.priority), entry.origin.scope));
    let mut slots: Vec<(&str, &str)> = Vec::new();
    all.retain(|(entry, ability)| {
        if ability.kind != FragmentKind::SystemMessage {
            let what =
                format!("`{}` is no `system-message`; it is not part of the system prompt", entry.name);
            context.note(Diagnostic::info(DiagnosticCode::ExtensionOtherKind, what).at(entry.place()));
            return false;
        }
        let Some(slot) = &ability.exclusive_slot else { return true };
        if let Some((_, winner)) = slots.iter().find(|(taken, _)| taken == slot) {
            let what = format!("`{}` stays silent: `{winner}` has the exclusive slot `{slot}`", entry.name);
            context.note(Diagnostic::warning(DiagnosticCode::ExclusiveSlotConflict, what).at(entry.place()));
            return false;
        }
        slots.push((slot, &entry.name));
        true
    });
    all
}

/// Returns the reason why a built-in context provider is disabled, if a layer disabled it.
pub(crate) fn switched_off(scopes: &Scopes, id: &str) -> Option<String> {
    let entry = scopes.named(Category::ContextProviders, id).find(|entry| entry.value.ability.is_none())?;
    let by = entry.disabled_by.as_ref().filter(|_| entry.status == Status::Disabled)?;
    Some(format!("switched off by {by}"))
}
