//! Context providers and variable providers: each reads one thing outside and returns what it found.
//!
//! One more of either is a file here and a line in its list. Nothing else knows their names.

pub mod agent;
pub mod agent_variables;
pub mod commands;
pub mod environment;
pub mod extension;
pub mod file;
pub mod file_listing;
pub mod git;
pub mod git_variables;
pub mod instructions;
pub mod layer_files;
pub mod mcp_fetched;
pub mod mcp_prompt;
pub mod mcp_resource;
pub mod mcp_servers;
pub mod output_style;
mod section_options;
pub mod skills;
pub mod system_prompt_file;
pub mod turn_variables;

pub(crate) use section_options::{SectionOptions, truth};

use crate::provider_context::ProviderContext;
use preface_core::{
    section::Section,
    snapshot::Contribution,
    variable::{RecordedVariable, Stability, VariableKey},
    variable_info::{REGISTERED, VariableInfo},
    variable_source::turn_variable,
};

/// Looks at the machine and fills a section.
pub trait ContextProvider: Sync {
    /// The name that profiles use: `fill = "instructions"`.
    fn name(&self) -> &'static str;

    /// One sentence for people.
    fn about(&self) -> &'static str;

    /// The options that a section may give it, each with one sentence.
    fn options(&self) -> &'static [(&'static str, &'static str)];

    /// The id that settings and audit events use.
    fn id(&self) -> &'static str {
        self.name()
    }

    /// True if it looks at the paths that hooks name at `resources_discover`.
    fn follows_hooks(&self) -> bool {
        false
    }

    /// True if its text depends on which tools are active.
    fn follows_tools(&self) -> bool {
        false
    }

    /// Returns the text for a section. It never fails: problems are reported as diagnostics of `context`.
    fn contribute(&self, section: &Section, context: &ProviderContext<'_>) -> Contribution;
}

/// Resolves variables of some types.
pub trait VariableProvider: Sync {
    /// The types that it resolves.
    fn kinds(&self) -> &'static [&'static str];

    /// True if the value follows from files and nothing else of the turn than where it is.
    fn is_of_files(&self) -> bool {
        false
    }

    /// Returns one variable of one of its types. A name that it does not know is absent.
    fn resolve(&self, key: &VariableKey, context: &ProviderContext<'_>) -> RecordedVariable;
}

/// The context providers, by name.
pub const CONTEXT_PROVIDERS: &[&dyn ContextProvider] = &[
    &agent::AgentSection,
    &commands::Commands,
    &instructions::Instructions,
    &layer_files::LayerFiles,
    &mcp_prompt::McpPrompt,
    &mcp_resource::McpResource,
    &mcp_servers::McpServersSection,
    &output_style::OutputStyle,
    &skills::Skills,
    &system_prompt_file::SystemPromptFileSection,
];

/// The variable providers.
pub const VARIABLE_PROVIDERS: &[&dyn VariableProvider] = &[
    &environment::Environment,
    &turn_variables::TurnVariables,
    &git_variables::GitVariables,
    &file::FileProvider,
    &agent_variables::AgentVariables,
];

/// Returns the context provider with this name.
#[must_use]
pub fn context_provider(name: &str) -> Option<&'static dyn ContextProvider> {
    CONTEXT_PROVIDERS.iter().copied().find(|provider| provider.name() == name)
}

/// Returns the provider of variables of this type.
#[must_use]
pub fn variable_provider(key: &VariableKey) -> Option<&'static dyn VariableProvider> {
    VARIABLE_PROVIDERS.iter().copied().find(|provider| provider.kinds().contains(&key.kind()))
}

/// Resolves a variable: by the caller's `--variable`, else by the provider of its type, else it is absent.
#[must_use]
pub fn resolve(key: &VariableKey, context: &ProviderContext<'_>) -> RecordedVariable {
    if context.turn.variables.contains_key(key)
        && let Some(given) = turn_variable(key, context.turn)
    {
        return given;
    }
    let Some(provider) = variable_provider(key) else { return RecordedVariable::absent("no such type") };
    let mut variable = provider.resolve(key, context);
    if variable.value.is_none() {
        // What is not there now may be there as soon as it could change.
        let known =
            |info: &&VariableInfo| info.kind == key.kind() && (info.dynamic || info.name == key.name());
        let info = REGISTERED.iter().find(known);
        variable.stability = info.map_or(Stability::Static, |info| info.stability);
    }
    variable
}

/// Builds a contribution without anything in it.
#[must_use]
pub fn silent(provider: &dyn ContextProvider, section: &Section, why: impl Into<String>) -> Contribution {
    Contribution {
        provider: preface_core::section::ProviderName::new(provider.name()),
        id: (provider.id() != provider.name()).then(|| provider.id().to_owned()),
        section: section.id.clone(),
        items: Vec::new(),
        priority: None,
        max_tokens: None,
        stability: None,
        unread: 0,
        silent: Some(why.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_listed_by_name_and_once() {
        assert!(
            CONTEXT_PROVIDERS.windows(2).all(|pair| pair[0].name() < pair[1].name()),
            "CONTEXT_PROVIDERS is sorted by name, without doubles"
        );
    }

    #[test]
    fn each_fact_type_has_one_provider() {
        let mut kinds: Vec<&str> =
            VARIABLE_PROVIDERS.iter().flat_map(|provider| provider.kinds()).copied().collect();
        let mut registered: Vec<&str> = REGISTERED.iter().map(|info| info.kind).collect();
        kinds.sort_unstable();
        registered.sort_unstable();
        registered.dedup();
        assert_eq!(kinds, registered);
    }
}
