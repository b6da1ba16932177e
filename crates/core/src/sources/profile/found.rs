//! Options that are set by what is found, and not by a caller.

use super::Profile;

/// The option that names an output style.
pub const STYLE: &str = "outputStyle";

/// The option that is set if a style's file replaces the advice for programming.
pub const STYLE_ONLY: &str = "outputStyle.only";

/// The option that is set for the prompt of an agent.
pub const AGENT: &str = "agent";

/// The option that is set for an agent without any tool: nothing but its order reaches it.
pub const AGENT_WITHOUT_TOOLS: &str = "agent.withoutTools";

/// The option that is set where the user or the caller appends a text to the prompt, and no project does.
pub const APPEND_OWN: &str = "append.own";

impl Profile {
    /// Returns the options that may be set by what is found.
    pub fn found_options(&self) -> impl Iterator<Item = &'static str> {
        let has_styles =
            self.options.contains_key(STYLE) || self.unset_options.iter().any(|name| name == STYLE);
        [
            (AGENT, self.has_agents),
            (AGENT_WITHOUT_TOOLS, self.has_agents),
            (APPEND_OWN, self.append_id.is_some()),
            (STYLE_ONLY, has_styles),
        ]
        .into_iter()
        .filter_map(|(name, is_there)| is_there.then_some(name))
    }
}
