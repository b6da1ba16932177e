//! What is known of each agent, from `agents.toml`.

use crate::{repository::ReadRule, source::Mark};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::LazyLock};

// A test reads the file.
static FILE: LazyLock<AgentsFile> =
    LazyLock::new(|| toml::from_str(include_str!("../agents.toml")).unwrap_or_default());

#[derive(Default, Deserialize)]
struct AgentsFile {
    additions: String,
    wide: Vec<String>,
    agent: Vec<Agent>,
    reader: Vec<Reader>,
    unread: Vec<UnreadRule>,
}

/// Returns the preset for what is added to an agent.
#[must_use]
pub fn additions() -> &'static str {
    &FILE.additions
}

/// Returns the agents, in the order of the file.
#[must_use]
pub fn agents() -> &'static [Agent] {
    &FILE.agent
}

/// Returns the values of [`ConfigRule::allows`] that allow without a limit.
pub(crate) fn wide() -> &'static [String] {
    &FILE.wide
}

/// Returns the agents that preface does not start, but whose files are known.
pub(crate) fn readers() -> &'static [Reader] {
    &FILE.reader
}

/// Returns the files that no agent reads.
pub(crate) fn unread() -> &'static [UnreadRule] {
    &FILE.unread
}

/// An agent of which only the files are known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reader {
    /// The name; readers of one name are one agent.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Where the rules are from.
    #[cfg_attr(not(test), expect(dead_code, reason = "it is for who changes the file"))]
    pub source: String,
    /// The texts that it reads in a repository.
    pub reads: Vec<ReadRule>,
    /// The files that make it start programs or connect.
    #[serde(default)]
    pub config: Vec<ConfigRule>,
}

/// A file that no agent reads, though its name looks as if one did.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UnreadRule {
    /// A pattern from the root of the work tree.
    pub file: String,
    /// What is read in its place, for people.
    pub instead: String,
}

/// An agent: the ways in which it takes a prompt, and how its requests are captured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
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
    /// The way to replace its prompt.
    pub replace: Option<PromptPassing>,
    /// The way to append to its prompt.
    pub append: Option<PromptPassing>,
    /// The texts that it reads in a repository.
    #[serde(default)]
    pub reads: Vec<ReadRule>,
    /// The way to capture its requests.
    pub capture: Option<CaptureRules>,
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

/// How the requests of an agent are captured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureRules {
    /// The version with which it was tried.
    pub measured: String,
    /// The arguments that set the address, in front of those of the user.
    #[serde(default)]
    pub args: Vec<String>,
    /// The arguments behind those of the user, for one message without a terminal.
    pub print: Vec<String>,
    /// The arguments behind those of the user on a terminal; `None` if it cannot be given a message there.
    pub terminal: Option<Vec<String>>,
    /// The variables that are set.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The variables that are removed: they choose another service or another key.
    #[serde(default)]
    pub unset: Vec<String>,
    /// Private files, which `[dir]` in arguments and variables is the directory of.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The arguments that could send requests elsewhere.
    #[serde(default)]
    pub refuse_args: Vec<String>,
    /// The files that could send requests elsewhere, because they win over arguments.
    #[serde(default)]
    pub refuse: Vec<RefuseRule>,
    /// The variables that move a directory of the user's: `CODEX_HOME = "~/.codex"`.
    #[serde(default)]
    pub directories: BTreeMap<String, String>,
    /// The instruction files, below each directory from the working directory up; with `~/` those of the user.
    #[serde(default)]
    pub instructions: Vec<String>,
    /// Skills, commands and subagents.
    #[serde(default)]
    pub skills: Vec<String>,
    /// The files that make it start programs or connect. Those without `~/` are the project's, and need consent.
    #[serde(default)]
    pub config: Vec<ConfigRule>,
    /// What it writes in its own directories.
    #[serde(default)]
    pub writes: Vec<String>,
    /// What differs from an ordinary session, or was not measured.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The role of the messages that hooks add, where such a message has nothing but their text.
    pub hook_role: Option<String>,
    /// The texts that begin what is not its own.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// The servers of MCP that are its own.
    #[serde(default)]
    pub own_servers: Vec<String>,
    /// The texts in front of what it makes up for each request, beside UUIDs and long hexadecimal numbers: a comparison ignores
    /// the word behind them, and `--redact` replaces it. The name of a setting is about the whole of it.
    #[serde(default)]
    pub ids: Vec<String>,
}

/// A file that could send requests elsewhere.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefuseRule {
    /// The file.
    pub file: String,
    /// The words that do so.
    pub words: Vec<String>,
}

/// A file with keys that start programs or connect.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigRule {
    /// The file, or a pattern with `*` and `**`.
    pub file: String,
    /// The keys. Without any, the file itself is run.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The keys that let it act without a question.
    #[serde(default)]
    pub allows: Vec<String>,
    /// True for a file of variables of the environment.
    #[serde(default)]
    pub environment: bool,
}

/// Returns the agent of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Agent> {
    agents().iter().find(|agent| agent.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_agents_can_be_read() {
        let names: Vec<&str> = agents().iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["claude", "codex", "gemini", "opencode", "pi", "copilot", "aider", "goose"]);
        for agent in agents() {
            assert!(agent.limits.ends_with('.') && !agent.install.is_empty(), "{}", agent.name);
            let Some(rules) = &agent.capture else { continue };
            let set: String =
                rules.args.iter().chain(rules.env.values()).chain(rules.files.values()).cloned().collect();
            assert!(set.contains("[address]"), "`{}` gets the address", agent.name);
            for words in rules.terminal.iter().chain([&rules.print]) {
                assert!(
                    words.iter().any(|word| word.contains("[message]")),
                    "`{}` gets the message",
                    agent.name
                );
            }
            assert!(rules.notes.iter().all(|note| note.ends_with('.')), "{}", agent.name);
        }
    }
}
