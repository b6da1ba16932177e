//! The agents of `preface exec`, from `assets/agents.toml`.

use clap::{
    ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use preface_engine::core::lint::character::escape_json;
use serde::Deserialize;
use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};

static AGENTS: LazyLock<Vec<AgentAdapter>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        agent: Vec<AgentAdapter>,
    }
    // A test reads the file.
    toml::from_str::<File>(include_str!("../../../assets/agents.toml"))
        .map(|file| file.agent)
        .unwrap_or_default()
});

/// An agent and the ways in which it takes a prompt.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentAdapter {
    /// The name in commands, which is that of its program.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// The command that installs it, or where it is to be had.
    pub install: String,
    /// The version with which it was tried that the model gets the text.
    pub measured: Option<String>,
    /// What it cannot do.
    pub limits: String,
    replace: Option<PromptPassing>,
    append: Option<PromptPassing>,
}

/// The arguments and variables that pass a prompt. Placeholders are in brackets.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptPassing {
    /// The arguments in front of those of the user.
    #[serde(default)]
    pub args: Vec<String>,
    /// The variables of the environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// What becomes of the agent's own prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PromptMode {
    /// The prompt takes the place of the agent's own
    Replace,
    /// The prompt is added to the agent's own
    Append,
}

impl PromptMode {
    /// Returns the word of the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            PromptMode::Replace => "replace",
            PromptMode::Append => "append",
        }
    }
}

impl AgentAdapter {
    /// Reads the name of an agent. Help and completion have what is known of each.
    pub fn parser() -> impl TypedValueParser<Value = &'static AgentAdapter> {
        let values = AGENTS.iter().map(|agent| PossibleValue::new(agent.name.as_str()).help(agent.about()));
        PossibleValuesParser::new(values)
            .try_map(|name| AGENTS.iter().find(|agent| agent.name == name).ok_or("unknown agent"))
    }

    /// Returns its title, the version that was tried, the modes and the limits.
    fn about(&self) -> String {
        let modes: Vec<&str> = self.modes().map(PromptMode::as_str).collect();
        let modes = if modes.is_empty() { "not possible".to_owned() } else { modes.join(" or ") };
        format!("{}: {modes}. {}", self.version(), self.limits)
    }

    /// Returns its title with the version that was tried.
    pub fn version(&self) -> String {
        match &self.measured {
            Some(version) => format!("{} {version}", self.title),
            None => format!("{} (not tried)", self.title),
        }
    }

    /// Returns the modes that it has, the usual one first.
    pub fn modes(&self) -> impl Iterator<Item = PromptMode> {
        [PromptMode::Replace, PromptMode::Append].into_iter().filter(|mode| self.passing(*mode).is_some())
    }

    /// Returns how it takes a prompt in this mode, if it does.
    pub fn passing(&self, mode: PromptMode) -> Option<&PromptPassing> {
        match mode {
            PromptMode::Replace => self.replace.as_ref(),
            PromptMode::Append => self.append.as_ref(),
        }
    }
}

impl PromptPassing {
    /// Returns true if the prompt is passed as a file.
    pub fn takes_file(&self) -> bool {
        self.args.iter().chain(self.env.values()).any(|template| template.contains("[file"))
    }
}

/// Puts the path and the text into a template, in one pass: a placeholder in the text is text.
pub fn fill(template: &str, file: &str, text: &str) -> String {
    let json = |value: &str| {
        let quoted = escape_json(serde_json::Value::from(value).to_string());
        quoted.get(1..quoted.len() - 1).unwrap_or_default().replace('\u{7f}', "\\u007f")
    };
    let mut filled = String::with_capacity(template.len() + file.len());
    let mut rest = template;
    while let Some(at) = rest.find('[') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let (placeholder, value): (&str, Cow<'_, str>) = if rest.starts_with("[file]") {
            ("[file]", file.into())
        } else if rest.starts_with("[text]") {
            ("[text]", text.into())
        } else if rest.starts_with("[file:json]") {
            ("[file:json]", json(file).into())
        } else if rest.starts_with("[text:json]") {
            ("[text:json]", json(text).into())
        } else {
            ("[", "[".into())
        };
        filled.push_str(&value);
        rest = &rest[placeholder.len()..];
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_agents_can_be_read() {
        let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["claude", "codex", "gemini", "opencode", "pi", "copilot", "aider", "goose"]);
        for agent in AGENTS.iter() {
            assert!(agent.limits.ends_with('.') && !agent.install.is_empty(), "{}", agent.name);
            for passing in agent.modes().filter_map(|mode| agent.passing(mode)) {
                let filled: String = passing
                    .args
                    .iter()
                    .chain(passing.env.values())
                    .map(|one| fill(one, "\u{1}", "\u{1}"))
                    .collect();
                assert!(
                    filled.contains('\u{1}') || filled.contains("\\u0001"),
                    "`{}` gets the prompt",
                    agent.name
                );
            }
        }
    }

    #[test]
    fn a_template_is_filled_in_one_pass() {
        assert_eq!(fill("a=[file] b=[text]", "/[text]", "[file]\n\"x\""), "a=/[text] b=[file]\n\"x\"");
        assert_eq!(fill("x=\"[text:json]\"", "", "a\"b\n[file]\u{7f}\\"), r#"x="a\"b\n[file]\u007f\\""#);
        assert_eq!(fill("[a][file:json][", "/p\"", ""), "[a]/p\\\"[");
    }
}
