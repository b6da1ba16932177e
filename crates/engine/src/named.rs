//! What the caller chooses by name among files of the layers: an agent, an output style. It is settled before anything
//! speaks, because tools and other sections depend on it.

use crate::{Error, gather::Gathered};
use preface_core::{diagnostic::Diagnostics, lint::hidden::escape_hidden, profile::Profile};
use preface_host::{
    agents,
    look::Look,
    styles::{self, StyleEntry},
};

/// The option that names an output style.
const STYLE: &str = "outputStyle";
/// The option that is set where a style's file says that it takes the place of the advice for programming.
const STYLE_ONLY: &str = "outputStyle.only";

/// The option that is set where the prompt of an agent is asked for.
const AGENT: &str = "agent";

/// Returns the options that [`Named::settle`] may set for a profile.
pub(crate) fn options(profile: &Profile) -> impl Iterator<Item = &'static str> {
    let has_styles =
        profile.options.contains_key(STYLE) || profile.unset_options.iter().any(|name| name == STYLE);
    [(AGENT, profile.has_agents), (STYLE_ONLY, has_styles)]
        .into_iter()
        .filter_map(|(name, is_there)| is_there.then_some(name))
}

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
    pub(crate) fn settle(self, gathered: &mut Gathered) {
        if let Some(agent) = self.agent {
            if let Some(what) = &agent.what {
                let aliases = &gathered.profile.tool_aliases;
                gathered.turn.tools.retain(|tool| {
                    let canonical = aliases.get(&tool.name).unwrap_or(&tool.name);
                    let others =
                        aliases.iter().filter(|(_, named)| *named == canonical).map(|(alias, _)| alias);
                    let names: Vec<&str> = others.chain([canonical]).map(String::as_str).collect();
                    what.allows(&names)
                });
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
