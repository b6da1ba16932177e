//! Agents: Markdown files whose body is the prompt of an agent and whose head lists what the agent may use.

use crate::{
    markdown::{self, MarkdownEntry, MarkdownFile, MarkdownKind, ParsedMarkdown, shown},
    provider::context::ProviderContext,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    origin::Piece,
    scope::Scope,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A file of `agents/`, whatever became of it. In JSON it is a row of `preface list agents --format json`.
pub type AgentEntry = MarkdownEntry<Agent>;

/// The head of an agent's file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// The description.
    pub description: String,
    /// The tools that it may use; `None` is all.
    pub tools: Option<Vec<String>>,
    /// The tools that the agent cannot use, even if `tools` has them.
    pub disallowed_tools: Vec<String>,
    /// The model that it wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The skills that it starts with.
    pub skills: Vec<String>,
    /// The reminder of what the agent must not forget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_system_reminder: Option<String>,
    /// Other keys that hosts know; preface does nothing with them.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
    /// The reminder with its place in the file.
    #[serde(skip)]
    pub reminder: Vec<Piece>,
}

impl Agent {
    /// True if it may use a tool of these names. What it may not use is taken away first; a rule about some
    /// uses of a tool, `Bash(git:*)`, gives the tool and takes none away. Case does not matter, and a name that ends in `*`
    /// is all that begin so.
    ///
    /// ```
    /// use preface_host::agents::Agent;
    /// let agent = |tools: &[&str], not: &[&str]| Agent {
    ///     tools: Some(tools.iter().map(|tool| tool.to_string()).collect()),
    ///     disallowed_tools: not.iter().map(|tool| tool.to_string()).collect(),
    ///     ..Agent::default()
    /// };
    /// assert!(agent(&["Read", "Bash(git:*)"], &[]).allows(&["Bash"]));
    /// assert!(!agent(&["Read"], &["FileRead"]).allows(&["Read", "FileRead"]));
    /// assert!(agent(&["Bash"], &["Bash(rm:*)"]).allows(&["Bash"]));
    /// assert!(!agent(&["read"], &["MCP__git__*"]).allows(&["mcp__git__log", "mcp__git"]));
    /// ```
    #[must_use]
    pub fn allows(&self, names: &[&str]) -> bool {
        let gives = |rule: &String| is_named(tool_of(rule), names);
        let takes = |rule: &String| is_named(rule, names);
        !self.disallowed_tools.iter().any(takes)
            && self.tools.as_ref().is_none_or(|tools| tools.iter().any(gives))
    }
}

/// Returns the name in a rule of a list of tools: `Bash` of `Bash(git:*)`.
#[must_use]
pub fn tool_of(rule: &str) -> &str {
    rule.split_once('(').map_or(rule, |(name, _)| name.trim_end())
}

/// True if a name in a list of tools means a tool of these names.
#[must_use]
pub fn is_named(pattern: &str, names: &[&str]) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => names
            .iter()
            .any(|name| name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))),
        None => names.iter().any(|name| name.eq_ignore_ascii_case(pattern)),
    }
}

/// The keys that hosts know and preface has no use for.
const OTHER: [&str; 10] = [
    "background",
    "color",
    "effort",
    "hooks",
    "initialPrompt",
    "isolation",
    "maxTurns",
    "mcpServers",
    "memory",
    "permissionMode",
];
/// The keys that are read.
const READ: [&str; 8] = [
    "criticalSystemReminder",
    "criticalSystemReminder_EXPERIMENTAL",
    "description",
    "disallowedTools",
    "model",
    "name",
    "skills",
    "tools",
];

const AGENTS: MarkdownKind<Agent> = MarkdownKind {
    dir: "agents",
    word: "agent",
    layers: &[Scope::Bundled, Scope::Global, Scope::Project],
    literal: &[],
    is_key,
    key: str::to_lowercase,
    read,
};

/// The same without those that are bundled.
const OWN: MarkdownKind<Agent> = MarkdownKind { layers: &[Scope::Global, Scope::Project], ..AGENTS };

/// Finds, reads and checks the agents of all layers: the weakest layer first, each sorted by path. Nothing fails.
#[must_use]
pub fn load(context: &ProviderContext<'_>) -> Vec<AgentEntry> {
    markdown::load(&AGENTS, context)
}

/// The same for those of the user and the project: one that hides a bundled agent has nothing to hide here.
#[must_use]
pub fn load_own(context: &ProviderContext<'_>) -> Vec<AgentEntry> {
    markdown::load(&OWN, context)
}

/// Returns the active agent of a name; case does not matter.
#[must_use]
pub fn find<'e>(name: &str, entries: &'e [AgentEntry]) -> Option<&'e AgentEntry> {
    let name = name.to_lowercase();
    entries.iter().find(|entry| entry.active && entry.name.to_lowercase() == name)
}

fn read(file: &MarkdownFile) -> Result<ParsedMarkdown<Agent>, Box<Diagnostic>> {
    let wrong = |key: &str, why: &str, help: &str| {
        Box::new(Diagnostic::warning(DiagnosticCode::MarkdownField, why).at(file.place(key)).help(help))
    };
    let name = match (file.text("name"), file.fields.get("name")) {
        (Some(name), _) => name.to_owned(),
        (None, None | Some(Value::Null | Value::String(_))) => {
            return Err(wrong(
                "name",
                "it has no name",
                "start it with `---`, `name: …` and `description: …`",
            ));
        }
        (None, Some(_)) => return Err(wrong("name", "its name is no text", "put the name in quotes")),
    };
    if name.contains(':') || name.starts_with('-') {
        let why = format!("the name `{}` has a `:` or starts with `-`", shown(&name));
        return Err(wrong("name", &why, "choose another name"));
    }
    let description = match (file.text("description"), file.fields.get("description")) {
        (Some(description), _) => description,
        (None, Some(Value::Number(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_))) => {
            return Err(wrong("description", "its description is no text", "put the description in quotes"));
        }
        (None, _) => {
            let help = "describe in `description:` when to use it";
            return Err(wrong("description", "it has no description", help));
        }
    };
    let mut diagnostics = Diagnostics::new();
    let list = |key: &str| match file.fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => names(value).map(Some).ok_or(()),
    };
    let of_tools = |key: &str| {
        let help = "write a list, or names with commas between them";
        list(key).map_err(|()| wrong(key, &format!("`{key}` is no list of names"), help))
    };
    let tools = of_tools("tools")?.filter(|tools| !tools.iter().any(|tool| tool == "*"));
    let disallowed_tools = of_tools("disallowedTools")?.unwrap_or_default();
    let skills = list("skills").unwrap_or_else(|()| {
        let diagnostic = Diagnostic::warning(
            DiagnosticCode::MarkdownField,
            "`skills` is not a list of names and is ignored",
        );
        diagnostics.push(diagnostic.at(file.place("skills")));
        None
    });
    let reminder = ["criticalSystemReminder", "criticalSystemReminder_EXPERIMENTAL"];
    let reminder = reminder.iter().find_map(|key| file.text(key));
    diagnostics.extend(file.unknown_keys("an agent", &[READ.as_slice(), &OTHER].concat()));
    if file.body.is_empty() {
        let what = format!("{}: agent `{}` has no text of its own", file.source.path, shown(&name));
        let help = "write its prompt below the second `---`";
        diagnostics
            .push(Diagnostic::warning(DiagnosticCode::BlankSource, what).at(file.place("name")).help(help));
    }
    let what = Agent {
        description: description.to_owned(),
        tools,
        disallowed_tools,
        model: file.text("model").map(str::to_owned),
        skills: skills.unwrap_or_default(),
        critical_system_reminder: reminder.map(str::to_owned),
        other: OTHER
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), file.fields.get(*key)?.clone())))
            .collect(),
        reminder: reminder.map(|text| file.piece(text)).unwrap_or_default(),
    };
    Ok(ParsedMarkdown { name, what, diagnostics })
}

fn is_key(key: &str) -> bool {
    READ.contains(&key) || OTHER.contains(&key)
}

/// Names as a list, or as a text with commas between them; a comma inside parentheses belongs to a name.
fn names(value: &Value) -> Option<Vec<String>> {
    let mut names: Vec<String> = match value {
        Value::String(text) => {
            let mut depth = 0_usize;
            let apart = |c: char| {
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c == ',' && depth == 0
            };
            text.split(apart).map(|name| unquote(name.trim()).to_owned()).collect()
        }
        Value::Array(list) => list
            .iter()
            .map(|value| match value {
                Value::String(name) => Some(name.trim().to_owned()),
                _ => None,
            })
            .collect::<Option<_>>()?,
        _ => return None,
    };
    names.retain(|name| !name.is_empty());
    Some(names)
}

/// Returns a name without the quotes around it; YAML keeps quotes inside of a text.
fn unquote(name: &str) -> &str {
    let inside = ['"', '\''].iter().find_map(|quote| name.strip_prefix(*quote)?.strip_suffix(*quote));
    inside.map_or(name, str::trim)
}
