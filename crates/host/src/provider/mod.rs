//! Context providers and variable providers: each reads one thing outside and returns what it found.
//!
//! One more of either is a file here and a line in its list. Nothing else knows their names.

pub mod agent;
pub mod agent_variables;
pub mod commands;
pub mod context;
pub mod environment;
pub mod extension;
pub mod file;
pub mod file_listing;
pub mod git;
pub mod git_variables;
pub mod instructions;
pub mod layer_files;
pub mod mcp_fetched;
pub mod mcp_servers;
pub mod output_style;
mod section_options;
pub mod skills;
pub mod system_prompt_file;
pub mod turn_variables;

pub(crate) use section_options::{SectionOptions, truth};

use crate::provider::context::ProviderContext;
use preface_core::{
    section::{ProviderName, Section},
    snapshot::{Contribution, Item},
    variable::{
        RecordedVariable, Stability, VariableKey,
        info::{REGISTERED, VariableInfo},
        source::turn_variable,
    },
};

/// A provider that looks at the machine and fills a section. It never fails: problems are reported as diagnostics of the context.
#[derive(Debug)]
pub struct ContextProvider {
    /// The name that profiles use: `fill = "instructions"`.
    pub name: &'static str,
    /// One sentence for people.
    pub about: &'static str,
    /// The options that a section may give it, each with one sentence.
    pub options: &'static [(&'static str, &'static str)],
    /// The id that settings and audit events use.
    pub id: &'static str,
    /// True if it looks at the paths that hooks name at `resources_discover`.
    pub follows_hooks: bool,
    /// True if its text depends on which tools are active.
    pub follows_tools: bool,
    provide: fn(&Section, &ProviderContext<'_>) -> ProvidedTexts,
}

/// The texts of a context provider for a section.
#[derive(Debug, Default)]
struct ProvidedTexts {
    items: Vec<Item>,
    /// The reason where there is no text.
    absent: String,
    priority: Option<i64>,
    max_tokens: Option<usize>,
    stability: Option<Stability>,
    unread: u64,
}

impl ProvidedTexts {
    fn of(items: Vec<Item>, absent: impl Into<String>) -> Self {
        ProvidedTexts { items, absent: absent.into(), ..ProvidedTexts::default() }
    }

    fn none(absent: impl Into<String>) -> Self {
        ProvidedTexts::of(Vec::new(), absent)
    }
}

impl ContextProvider {
    const fn new(
        name: &'static str,
        about: &'static str,
        options: &'static [(&'static str, &'static str)],
        provide: fn(&Section, &ProviderContext<'_>) -> ProvidedTexts,
    ) -> Self {
        ContextProvider {
            name,
            about,
            options,
            id: name,
            follows_hooks: false,
            follows_tools: false,
            provide,
        }
    }

    /// Returns the text for a section.
    #[must_use]
    pub fn contribute(&self, section: &Section, context: &ProviderContext<'_>) -> Contribution {
        self.contribution(section, (self.provide)(section, context))
    }

    /// Builds a contribution without anything in it.
    #[must_use]
    pub fn silent(&self, section: &Section, why: &str) -> Contribution {
        self.contribution(section, ProvidedTexts::none(why))
    }

    fn contribution(&self, section: &Section, texts: ProvidedTexts) -> Contribution {
        let ProvidedTexts { items, absent, priority, max_tokens, stability, unread } = texts;
        Contribution {
            provider: ProviderName::new(self.name),
            id: (self.id != self.name).then(|| self.id.to_owned()),
            section: section.id.clone(),
            silent: items.is_empty().then_some(absent),
            items,
            priority,
            max_tokens,
            stability,
            unread,
        }
    }
}

/// Resolves variables of some types.
#[derive(Debug)]
pub struct VariableProvider {
    /// The types that it resolves.
    pub kinds: &'static [&'static str],
    /// Returns one variable of one of its types. A name that it does not know is absent.
    resolve: fn(&VariableKey, &ProviderContext<'_>) -> RecordedVariable,
}

/// The context providers, by name.
pub const CONTEXT_PROVIDERS: &[&ContextProvider] = &[
    &agent::AGENT,
    &commands::COMMANDS,
    &instructions::INSTRUCTIONS,
    &layer_files::LAYER_FILES,
    &mcp_fetched::MCP_PROMPT,
    &mcp_fetched::MCP_RESOURCE,
    &mcp_servers::MCP_SERVERS,
    &output_style::OUTPUT_STYLE,
    &skills::SKILLS,
    &system_prompt_file::SYSTEM_PROMPT_FILE,
];

/// The variable providers.
pub const VARIABLE_PROVIDERS: &[&VariableProvider] = &[
    &environment::ENVIRONMENT,
    &turn_variables::TURN_VARIABLES,
    &git_variables::GIT_VARIABLES,
    &file::FILES,
    &agent_variables::AGENT_VARIABLES,
];

/// Returns the context provider with this name.
#[must_use]
pub fn context_provider(name: &str) -> Option<&'static ContextProvider> {
    CONTEXT_PROVIDERS.iter().copied().find(|provider| provider.name == name)
}

/// Resolves a variable: by the caller's `--variable`, else by the provider of its type, else it is absent.
#[must_use]
pub fn resolve(key: &VariableKey, context: &ProviderContext<'_>) -> RecordedVariable {
    if context.turn.variables.contains_key(key)
        && let Some(given) = turn_variable(key, context.turn)
    {
        return given;
    }
    let is_its = |provider: &&&VariableProvider| provider.kinds.contains(&key.kind());
    let Some(provider) = VARIABLE_PROVIDERS.iter().find(is_its) else {
        return RecordedVariable::absent("no such type");
    };
    let mut variable = (provider.resolve)(key, context);
    if variable.value.is_none() {
        // What is not there now may be there as soon as it could change.
        let known =
            |info: &&VariableInfo| info.kind == key.kind() && (info.dynamic || info.name == key.name());
        let info = REGISTERED.iter().find(known);
        variable.stability = info.map_or(Stability::Static, |info| info.stability);
    }
    variable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_listed_by_name_and_once() {
        assert!(
            CONTEXT_PROVIDERS.windows(2).all(|pair| pair[0].name < pair[1].name),
            "CONTEXT_PROVIDERS is sorted by name, without doubles"
        );
    }

    #[test]
    fn each_fact_type_has_one_provider() {
        let mut kinds: Vec<&str> =
            VARIABLE_PROVIDERS.iter().flat_map(|provider| provider.kinds).copied().collect();
        let mut registered: Vec<&str> = REGISTERED.iter().map(|info| info.kind).collect();
        kinds.sort_unstable();
        registered.sort_unstable();
        registered.dedup();
        assert_eq!(kinds, registered);
    }
}
