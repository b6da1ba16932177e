//! The agents of `preface exec`.

use clap::{
    Arg, Command,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use preface_capture::agent::{Agent, PromptPassing, agents, find};
use preface_core::lint::character::escape_json;
use std::{borrow::Cow, ffi::OsStr};

/// What becomes of the agent's own prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptMode {
    /// The prompt takes the place of the agent's own.
    Replace,
    /// The prompt is added to the agent's own.
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

/// Reads the name of an agent. Help and completion have what this function says of each. The table of agents is read where a
/// command takes one, and at no other start.
#[derive(Clone, Copy, Debug)]
pub struct AgentName(pub fn(&Agent) -> String);

impl AgentName {
    fn values(self) -> impl Iterator<Item = PossibleValue> {
        agents().iter().map(move |agent| PossibleValue::new(agent.name.as_str()).help((self.0)(agent)))
    }
}

impl TypedValueParser for AgentName {
    type Value = &'static Agent;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<&'static Agent, clap::Error> {
        let names = PossibleValuesParser::new(self.values());
        names.try_map(|name| find(&name).ok_or("unknown agent")).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values()))
    }
}

/// Returns its title, the version that was tried, the modes and the limits.
pub fn about(agent: &Agent) -> String {
    let modes: Vec<&str> = modes(agent).map(PromptMode::as_str).collect();
    let modes = if modes.is_empty() { "not possible".to_owned() } else { modes.join(" or ") };
    let version = match &agent.measured {
        Some(version) => format!("{} {version}", agent.title),
        None => format!("{} (not tried)", agent.title),
    };
    format!("{version}: {modes}. {}", agent.limits)
}

/// Returns the modes that an agent has, the default first.
pub fn modes(agent: &Agent) -> impl Iterator<Item = PromptMode> {
    [PromptMode::Append, PromptMode::Replace].into_iter().filter(|mode| passing(agent, *mode).is_some())
}

/// Returns how an agent takes a prompt in this mode, if it does.
pub fn passing(agent: &Agent, mode: PromptMode) -> Option<&PromptPassing> {
    match mode {
        PromptMode::Replace => agent.replace.as_ref(),
        PromptMode::Append => agent.append.as_ref(),
    }
}

/// Returns true if the prompt is passed as a file.
pub fn takes_file(passing: &PromptPassing) -> bool {
    passing.args.iter().chain(passing.env.values()).any(|template| template.contains("[file"))
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
    fn each_agent_gets_the_prompt() {
        for agent in agents() {
            for passing in modes(agent).filter_map(|mode| passing(agent, mode)) {
                let templates = passing.args.iter().chain(passing.env.values());
                let filled: String = templates.map(|one| fill(one, "\u{1}", "\u{1}")).collect();
                let has_prompt = filled.contains('\u{1}') || filled.contains("\\u0001");
                assert!(has_prompt, "`{}` gets the prompt", agent.name);
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
