//! Files of the layers that the caller chooses by name: an agent, an output style. It is decided before any
//! text is collected, because tools and sections depend on it.

use crate::{
    Error,
    input::{resolve::ResolvedEntries, server_tools},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy},
    extension::{Category, EntryOrigin},
    lint::hidden::escape_hidden,
    origin::Piece,
    profile::{AGENT, AGENT_WITHOUT_TOOLS, APPEND_OWN, Profile, STYLE, STYLE_ONLY},
    scope::Scope,
    suggestion::did_you_mean,
    turn::Tool,
};
use preface_host::{
    agents::{self, Agent, AgentEntry},
    markdown,
    styles::{self, StyleEntry},
};
use std::{collections::BTreeMap, sync::Arc};

/// Sets the option for a text that the user appends: what a project appends has not the user's authority.
pub(crate) fn apply_append(append: Option<&Piece>, profile: &mut Arc<Profile>) {
    let is_own = append.is_some_and(|text| text.origin.scope() != Some(Scope::Project));
    if is_own && profile.append_id.is_some() {
        Arc::make_mut(profile).options.insert(APPEND_OWN.to_owned(), "true".to_owned());
    }
}

/// The most diagnostics about the lists of tools of an agent.
const MOST_NOTES: usize = 20;

/// The agent and the output style that were found by name.
#[derive(Debug, Default)]
pub(crate) struct NamedEntries {
    agent: Option<AgentEntry>,
    style: Option<Option<StyleEntry>>,
}

/// Finds what the options name among the files of the layers.
///
/// # Errors
/// An agent that there is not.
pub(crate) fn find(
    agent: Option<&str>,
    profile: &Profile,
    agents: &[AgentEntry],
    styles: &[StyleEntry],
) -> Result<NamedEntries, Error> {
    let mut named = NamedEntries::default();
    if let Some(name) = agent {
        let Some(entry) = agents::find(name, agents) else { return Err(unknown_agent(name, agents)) };
        named.agent = Some(entry.clone());
    }
    if let Some(name) = profile.options.get(STYLE) {
        // A style without a text has no part in the prompt, so nothing may refer to one.
        let is_used = |style: &&StyleEntry| !styles::is_default(name) && !style.value.body.is_empty();
        let chosen = styles::find(name, styles).filter(is_used);
        named.style = Some(chosen.cloned());
    }
    Ok(named)
}

fn unknown_agent(name: &str, agents: &[AgentEntry]) -> Error {
    let help = if agents.iter().any(|entry| entry.name.eq_ignore_ascii_case(name)) {
        Remedy::command("its file was left out; see why", "list agents")
    } else {
        markdown::help_for_unknown(name, agents, "agents")
    };
    Error::Usage(format!("there is no agent `{}`", escape_hidden(name)), Some(help))
}

impl NamedEntries {
    /// Returns the name of the agent if its file ships with the profile and has a prompt.
    pub(crate) fn bundled_agent(&self) -> Option<&str> {
        let agent = self.agent.as_ref().filter(|agent| !agent.value.body.is_empty())?;
        (agent.origin.scope == Scope::Bundled).then_some(agent.name.as_str())
    }

    /// Applies them: an agent has the tools that its file allows, and both go by the name in their file.
    pub(crate) fn apply(self, mut entries: ResolvedEntries) -> ResolvedEntries {
        if self.agent.is_none() && self.style.is_none() {
            return entries;
        }
        if let Some(agent) = &self.agent
            && let Some(what) = &agent.value.what
        {
            let diagnostics = without_effect(&agent.origin, what, &entries);
            entries.diagnostics.extend(diagnostics);
        }
        let profile = Arc::make_mut(&mut entries.profile);
        if let Some(agent) = self.agent {
            if let Some(what) = &agent.value.what {
                let aliases = &profile.tool_aliases;
                entries.turn.tools.retain(|tool| {
                    let names = names(tool, aliases);
                    what.allows(&names.iter().map(String::as_str).collect::<Vec<_>>())
                });
            }
            if entries.turn.tools.is_empty() {
                profile.options.insert(AGENT_WITHOUT_TOOLS.to_owned(), "true".to_owned());
            }
            profile.options.insert(AGENT.to_owned(), agent.name.clone());
            entries.turn.agent = Some(agent.name);
        }
        match self.style {
            None => {}
            Some(Some(style)) => {
                if style.value.what.is_some_and(|style| style.keep_coding_instructions == Some(false)) {
                    profile.options.insert(STYLE_ONLY.to_owned(), "true".to_owned());
                }
                profile.options.insert(STYLE.to_owned(), style.name);
            }
            // Nothing may refer to a style that there is not.
            Some(None) => {
                profile.options.remove(STYLE);
                profile.unset_options.push(STYLE.to_owned());
            }
        }
        entries
    }
}

/// Returns all names of a tool: its own, other names of it, and the one of its server's tools.
fn names(tool: &Tool, aliases: &BTreeMap<String, String>) -> Vec<String> {
    let canonical = aliases.get(&tool.name).unwrap_or(&tool.name);
    let others = aliases.iter().filter(|(_, named)| *named == canonical).map(|(alias, _)| alias);
    [canonical].into_iter().chain(others).cloned().chain(server_tools::name_of_server(tool)).collect()
}

/// Warns about names in an agent's lists of tools that give or take away nothing.
fn without_effect(origin: &EntryOrigin, agent: &Agent, entries: &ResolvedEntries) -> Diagnostics {
    if origin.scope == Scope::Bundled {
        return Diagnostics::new();
    }
    let profile = &entries.profile;
    let of_layers = entries.scopes.of(Category::Tools).filter(|entry| entry.origin.scope != Scope::Bundled);
    let by_name =
        profile.tools.iter().chain(profile.tool_texts.keys()).chain(of_layers.map(|entry| &entry.name));
    let by_name: Vec<Tool> = by_name.map(|name| Tool { name: name.clone(), ..Tool::default() }).collect();
    let known = by_name.iter().chain(&entries.server_tools).chain(&entries.turn.tools);
    let known: Vec<String> = known.flat_map(|tool| names(tool, &profile.tool_aliases)).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    if known.is_empty() {
        return Diagnostics::new();
    }

    let lists =
        [("tools", agent.tools.as_deref().unwrap_or_default()), ("disallowedTools", &agent.disallowed_tools)];
    let rules = lists.into_iter().flat_map(|(key, rules)| rules.iter().map(move |rule| (key, rule.as_str())));
    let diagnostic = |(key, rule): (&str, &str)| {
        let tool = agents::tool_of(rule);
        let (shown, is_part) = (escape_hidden(rule), tool != rule);
        let (what, help) = if !agents::is_named(tool, &known) {
            if server_tools::is_of_unknown(tool, &entries.mcp.servers) {
                return None;
            }
            let near = did_you_mean(tool, known.iter().copied());
            let help = match near {
                Some(near) => format!("did you mean `{near}`?").into(),
                None if tool.contains(char::is_whitespace) => "put commas between the names".into(),
                None => Remedy::list("tools"),
            };
            ("matches no tool".to_owned(), help)
        } else if key == "disallowedTools" && is_part {
            let tool = escape_hidden(tool);
            let help = format!("write `{tool}` to take the whole tool away").into();
            (format!("takes nothing away: `{tool}` stays, and rules about its uses are the host's"), help)
        } else {
            return None;
        };
        let what = format!("{}: `{shown}` in `{key}` {what}", origin.path);
        let place = Place::file(Some(origin.scope), origin.path.clone());
        Some(Diagnostic::warning(DiagnosticCode::AgentTool, what).at(place).help(help))
    };
    rules.filter_map(diagnostic).take(MOST_NOTES).collect()
}
