//! What the caller chooses by name among files of the layers: an agent, an output style. It is settled before anything
//! speaks, because tools and other sections depend on it.

use crate::{Error, gather::Gathered, mcp};
use preface_core::{
    diagnostic::{Diagnostic, Diagnostics, Place},
    extension::{Category, EntryOrigin},
    lint::hidden::escape_hidden,
    profile::Profile,
    scope::Scope,
    suggestion::did_you_mean,
    turn::Tool,
};
use preface_host::{
    agents::{self, Agent},
    look::Look,
    styles::{self, StyleEntry},
};
use std::collections::BTreeMap;

/// The option that names an output style.
const STYLE: &str = "outputStyle";
/// The option that is set where a style's file says that it takes the place of the advice for programming.
const STYLE_ONLY: &str = "outputStyle.only";

/// The option that is set where the prompt of an agent is asked for.
const AGENT: &str = "agent";

/// The option that is set for an agent without any tool: nothing but its order reaches it.
const AGENT_WITHOUT_TOOLS: &str = "agent.withoutTools";

/// Returns the options that [`Named::settle`] may set for a profile.
pub(crate) fn options(profile: &Profile) -> impl Iterator<Item = &'static str> {
    let has_styles =
        profile.options.contains_key(STYLE) || profile.unset_options.iter().any(|name| name == STYLE);
    [(AGENT, profile.has_agents), (AGENT_WITHOUT_TOOLS, profile.has_agents), (STYLE_ONLY, has_styles)]
        .into_iter()
        .filter_map(|(name, is_there)| is_there.then_some(name))
}

/// The most notes about the lists of tools of an agent.
const MOST_NOTES: usize = 20;

/// What was found under the names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    agent: Option<agents::AgentEntry>,
    style: Option<Option<StyleEntry>>,
}

/// Looks for what the options name. What else is wrong with such files is told by whoever uses them.
///
/// # Errors
/// An agent that there is not.
pub(crate) fn find(gathered: &Gathered, look: &Look<'_>) -> Result<Named, Error> {
    let mut named = Named::default();
    if let Some(name) = &gathered.turn.agent {
        let entries = agents::load(look);
        named.agent = match agents::find(name, &entries) {
            Some(entry) => Some(entry.clone()),
            None => {
                let near = agents::near(name, &entries)
                    .map(|near| format!("did you mean `{}`?", escape_hidden(near)));
                let is_there = entries.iter().any(|entry| entry.name.eq_ignore_ascii_case(name));
                let help = near.filter(|_| !is_there).unwrap_or_else(|| match is_there {
                    true => "its file was left out; `preface agents --all` says why".to_owned(),
                    false => "`preface agents` lists them".to_owned(),
                });
                return Err(Error::Usage(format!("there is no agent `{}`", escape_hidden(name)), Some(help)));
            }
        };
    }
    if let Some(name) = gathered.profile.options.get(STYLE) {
        let entries = styles::load(look);
        // A style without a text has no part in the prompt, so nothing may refer to one.
        let is_used = |style: &&StyleEntry| !styles::is_default(name) && !style.body.is_empty();
        let chosen = styles::find(name, &entries).filter(is_used);
        named.style = Some(chosen.cloned());
    }
    let _: Diagnostics = look.notes.take();
    Ok(named)
}

impl Named {
    /// Makes them count: an agent has the tools that its file allows, and both go by the name in their file.
    pub(crate) fn settle(self, gathered: &mut Gathered, notes: &mut Diagnostics) {
        if let Some(agent) = self.agent {
            if let Some(what) = &agent.what {
                notes.extend(without_effect(&agent.origin, what, gathered));
                let aliases = &gathered.profile.tool_aliases;
                gathered.turn.tools.retain(|tool| {
                    let names = names(tool, aliases);
                    what.allows(&names.iter().map(String::as_str).collect::<Vec<_>>())
                });
            }
            if gathered.turn.tools.is_empty() {
                gathered.profile.options.insert(AGENT_WITHOUT_TOOLS.to_owned(), "true".to_owned());
            }
            gathered.profile.options.insert(AGENT.to_owned(), agent.name.clone());
            gathered.turn.agent = Some(agent.name);
        }
        match self.style {
            None => {}
            Some(Some(style)) => {
                if style.what.is_some_and(|style| style.keep_coding_instructions == Some(false)) {
                    gathered.profile.options.insert(STYLE_ONLY.to_owned(), "true".to_owned());
                }
                gathered.profile.options.insert(STYLE.to_owned(), style.name);
            }
            // Nothing may speak of a style that there is not.
            Some(None) => {
                gathered.profile.options.remove(STYLE);
                gathered.profile.unset_options.push(STYLE.to_owned());
            }
        }
    }
}

/// Returns all names of a tool: its own, other names of it, and the one of its server's tools.
fn names(tool: &Tool, aliases: &BTreeMap<String, String>) -> Vec<String> {
    let canonical = aliases.get(&tool.name).unwrap_or(&tool.name);
    let others = aliases.iter().filter(|(_, named)| *named == canonical).map(|(alias, _)| alias);
    [canonical].into_iter().chain(others).cloned().chain(mcp::name_of_server(tool)).collect()
}

/// Warns about names in an agent's lists of tools that give or take away nothing.
fn without_effect(origin: &EntryOrigin, agent: &Agent, gathered: &Gathered) -> Diagnostics {
    if origin.scope == Scope::Bundled {
        return Diagnostics::new();
    }
    let profile = &gathered.profile;
    let of_layers = gathered.scopes.of(Category::Tools).filter(|entry| entry.origin.scope != Scope::Bundled);
    let by_name =
        profile.tools.iter().chain(profile.tool_texts.keys()).chain(of_layers.map(|entry| &entry.name));
    let by_name: Vec<Tool> = by_name.map(|name| Tool { name: name.clone(), ..Tool::default() }).collect();
    let known = by_name.iter().chain(&gathered.server_tools).chain(&gathered.turn.tools);
    let known: Vec<String> = known.flat_map(|tool| names(tool, &profile.tool_aliases)).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    if known.is_empty() {
        return Diagnostics::new();
    }

    let lists =
        [("tools", agent.tools.as_deref().unwrap_or_default()), ("disallowedTools", &agent.disallowed_tools)];
    let rules = lists.into_iter().flat_map(|(key, rules)| rules.iter().map(move |rule| (key, rule.as_str())));
    let note = |(key, rule): (&str, &str)| {
        let tool = agents::tool_of(rule);
        let (shown, is_part) = (escape_hidden(rule), tool != rule);
        let (what, help) = if !agents::is_named(tool, &known) {
            if mcp::is_of_unknown(tool, &gathered.mcp.servers) {
                return None;
            }
            let near = did_you_mean(tool, known.iter().copied());
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if tool.contains(char::is_whitespace) => "put commas between the names".to_owned(),
                None => "`preface tools` lists the tools".to_owned(),
            };
            ("matches no tool".to_owned(), help)
        } else if key == "disallowedTools" && is_part {
            let tool = escape_hidden(tool);
            let help = format!("write `{tool}` to take the whole tool away");
            (format!("takes nothing away: `{tool}` stays, and rules about its uses are the host's"), help)
        } else {
            return None;
        };
        let what = format!("{}: `{shown}` in `{key}` {what}", origin.path);
        let place = Place::file(Some(origin.scope), origin.path.clone());
        Some(Diagnostic::warning("agent/tool", what).at(place).help(help))
    };
    rules.filter_map(note).take(MOST_NOTES).collect()
}
