//! The content of an extension, by category: the fields of its manifest that make it usable.
//!
//! Only id, category and versions are required. An entry that lacks a field which its use requires gives way
//! to a usable entry below it; if there is none, it is active, and reported as incomplete. A field of a wrong
//! type is a failure.

use super::{
    category::Category,
    reading::ManifestFields,
    slot::{Slot, UnknownSlot},
};
use crate::diagnostic::DiagnosticCode;
use crate::{
    scope::Scope,
    settings::{SettingsNode, holds_login, shown},
    suggestion::{did_you_mean, quoted, suggest_or},
    turn::Tool,
    variable::Stability,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, ops::Range, sync::Arc};

/// The content of an extension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ability {
    /// A command that a user types.
    Command(CommandTexts),
    /// Text for the prompt.
    Context(Context),
    /// A program that runs between stages.
    Hook(Hook),
    /// A file for audit events.
    Log(Log),
    /// A model provider.
    Model(ModelProvider),
    /// A store for conversations.
    Sessions(Sessions),
    /// The texts of a tool.
    Tool(ToolTexts),
    /// A category whose content preface does not use yet.
    Other,
}

/// The texts of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolTexts {
    /// The description for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// One line for the list of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_snippet: Option<String>,
    /// The guidelines for its use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompt_guidelines: Vec<String>,
    /// The JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Arc<Value>>,
    /// True if the service is to make sure that arguments fit the schema.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
}

impl ToolTexts {
    /// Returns the tool as the prompt describes it.
    #[must_use]
    pub fn tool(&self, name: &str, source: &str) -> Tool {
        Tool {
            name: name.to_owned(),
            description: self.description.clone(),
            snippet: self.prompt_snippet.clone(),
            guidelines: self.prompt_guidelines.clone(),
            input_schema: self.input_schema.clone(),
            source: Some(source.to_owned()),
            strict: self.strict,
            ..Tool::default()
        }
    }
}

/// The texts of a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommandTexts {
    /// The name that a user types after the slash; the id if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The description of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The text of a context provider, and how it is included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// The source of the text; `None` if the manifest has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<ContextSource>,
    /// The kind of the fragment; only a `system-message` is part of the system prompt.
    pub kind: FragmentKind,
    /// The priority when the budget is tight; the lowest is cut first.
    pub priority: i64,
    /// The limit in tokens.
    pub max_tokens: usize,
    /// The slot of which only one provider, the first, is included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_slot: Option<String>,
    /// The time for which the text stays the same.
    pub stability: Stability,
}

/// The source of a context provider's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ContextSource {
    /// Text in the manifest, with its byte range.
    Markdown(String, Range<usize>),
    /// These files, relative to the manifest's directory; their texts are joined by a blank line.
    Files(Vec<String>),
    /// The output of a program.
    Command(ProgramSpec),
}

/// The kinds of fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FragmentKind {
    /// Part of the system prompt.
    SystemMessage,
    /// Part of a message.
    PromptFragment,
    /// A bound resource.
    ResourceBinding,
    /// Advice for a tool.
    ToolHint,
}

const KINDS: [(&str, FragmentKind); 4] = [
    ("prompt-fragment", FragmentKind::PromptFragment),
    ("resource-binding", FragmentKind::ResourceBinding),
    ("system-message", FragmentKind::SystemMessage),
    ("tool-hint", FragmentKind::ToolHint),
];

/// A program and its arguments, started without a shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgramSpec {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The timeout in milliseconds.
    pub timeout_ms: u64,
}

/// The timeout of a program without one in the manifest, in milliseconds.
const TIMEOUT_MS: u64 = 5_000;
const MOST_TIMEOUT_MS: i64 = 600_000;

/// A hook.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hook {
    /// The slot in which it runs; `None` if the manifest has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Slot>,
    /// The event that it names, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The role, which limits its effect.
    pub role: HookRole,
    /// The program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramSpec>,
}

/// The permitted effect of a hook. The order is that in which the hooks of one slot run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookRole {
    /// A hook that may stop an operation.
    Guard,
    /// A hook that may change an operation.
    #[default]
    Transform,
    /// A hook that changes nothing.
    Observer,
}

const ROLES: [(&str, HookRole); 3] =
    [("guard", HookRole::Guard), ("observer", HookRole::Observer), ("transform", HookRole::Transform)];

/// A model provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelProvider {
    /// The protocol: `anthropic`, `openai`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The address of the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The location of the API key, never the key itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<SecretReference>,
}

/// The location of a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretReference {
    /// `env`, `file` or `keyring`.
    pub kind: String,
    /// The name of the variable, file or keyring entry.
    pub name: String,
}

/// A logger: a file for audit events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Log {
    /// The file, relative to the layer's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// A session store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sessions {
    /// `memory`, `postgres` or `sqlite`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The address or file of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// The action of an entry that needs permission. From a project it needs a grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PrivilegedAction {
    /// The start of a program.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// The environment variables that it is given, with keys blanked.
        env: BTreeMap<String, String>,
    },
    /// A connection to an address.
    Endpoint(String),
    /// The writing of a file.
    Writes(String),
}

impl Ability {
    /// Reads the fields of a manifest of this category. `scope` is that of the manifest: a project's may not
    /// contain keys.
    pub(super) fn read(category: Category, scope: Scope, fields: &mut ManifestFields<'_>) -> Ability {
        match category {
            Category::Commands => Ability::Command(CommandTexts {
                name: fields.full_text("name"),
                description: fields.text("description"),
            }),
            Category::ContextProviders => Ability::Context(context(fields)),
            Category::Hooks => Ability::Hook(hook(fields)),
            Category::Loggers => Ability::Log(Log { path: file(fields, "path") }),
            Category::Providers => Ability::Model(model(fields, scope)),
            Category::SessionStores => {
                let url = fields.full_text("url");
                if url.as_deref().is_some_and(holds_login) {
                    fields.add_failure("url", "`url` must not hold a user name or password").help =
                        Some("let the program that connects take them from its environment".to_owned());
                }
                let kind = fields.word("kind", &["memory", "postgres", "sqlite"]).map(str::to_owned);
                Ability::Sessions(Sessions { kind, url })
            }
            Category::Tools => Ability::Tool(ToolTexts {
                description: fields.text("description"),
                prompt_snippet: fields.text("promptSnippet"),
                prompt_guidelines: fields.texts("promptGuidelines").unwrap_or_default(),
                input_schema: fields.object("inputSchema").map(Arc::new),
                strict: fields.flag("strict").unwrap_or_default(),
            }),
            Category::StateMachines | Category::Ui => Ability::Other,
        }
    }

    /// Returns the fields of a manifest of this category, besides those that every manifest may have.
    pub(super) fn fields(category: Category) -> &'static [&'static str] {
        match category {
            Category::Commands => &["description", "name"],
            Category::ContextProviders => &[
                "command",
                "exclusiveSlot",
                "files",
                "kind",
                "markdown",
                "maxTokens",
                "priority",
                "stability",
                "timeoutMs",
            ],
            Category::Hooks => &["command", "event", "role", "slot", "timeoutMs"],
            Category::Loggers => &["path"],
            Category::Providers => &["apiKey", "baseUrl", "kind"],
            Category::SessionStores => &["kind", "url"],
            Category::StateMachines | Category::Ui => &[],
            Category::Tools => &["description", "inputSchema", "promptGuidelines", "promptSnippet", "strict"],
        }
    }

    /// Returns the fields that settings may change under the entry's name, besides those that it declares
    /// itself.
    pub(super) fn settable(&self) -> &'static [&'static str] {
        match self {
            Ability::Context(_) => &["maxTokens", "priority"],
            Ability::Model(_) => Ability::fields(Category::Providers),
            _ => &[],
        }
    }

    /// Returns the missing fields without which the entry cannot be used, for messages.
    #[must_use]
    pub fn missing(&self) -> Option<&'static str> {
        match self {
            Ability::Command(command) => is_blank(command.description.as_deref()).then_some("`description`"),
            Ability::Context(context) => context.from.is_none().then_some("`markdown`, `files` or `command`"),
            Ability::Hook(hook) => match (hook.slot, &hook.program) {
                (None, None) => Some("`slot` (or `event`) and `command`"),
                (None, _) => Some("`slot` or `event`"),
                (_, None) => Some("`command`"),
                _ => None,
            },
            Ability::Log(log) => log.path.is_none().then_some("`path`"),
            Ability::Model(model) => match (&model.kind, &model.base_url) {
                (None, None) => Some("`kind` and `baseUrl`"),
                (None, _) => Some("`kind`"),
                (_, None) => Some("`baseUrl`"),
                _ => None,
            },
            Ability::Sessions(sessions) => sessions.kind.is_none().then_some("`kind`"),
            Ability::Tool(tool) => is_blank(tool.description.as_deref()).then_some("`description`"),
            Ability::Other => None,
        }
    }

    /// Returns the action that needs permission.
    #[must_use]
    pub fn action(&self) -> Option<PrivilegedAction> {
        match self {
            Ability::Context(Context { from: Some(ContextSource::Command(program)), .. })
            | Ability::Hook(Hook { program: Some(program), .. }) => {
                Some(PrivilegedAction::Command { argv: program.argv.clone(), env: BTreeMap::new() })
            }
            Ability::Model(ModelProvider { base_url: Some(url), .. })
            | Ability::Sessions(Sessions { url: Some(url), .. }) => {
                Some(PrivilegedAction::Endpoint(url.clone()))
            }
            Ability::Log(Log { path: Some(path) }) => Some(PrivilegedAction::Writes(path.clone())),
            _ => None,
        }
    }

    /// Returns a one-line summary for listings.
    #[must_use]
    pub fn about(&self) -> Option<String> {
        match self {
            Ability::Command(command) => command.description.clone(),
            Ability::Context(context) => context.from.as_ref().map(|from| match from {
                ContextSource::Markdown(text, _) => format!("{} bytes of Markdown", text.len()),
                ContextSource::Files(files) => files.join(", "),
                ContextSource::Command(program) => format!("prints `{}`", program.argv.join(" ")),
            }),
            Ability::Hook(hook) => hook.program.as_ref().map(|program| program.argv.join(" ")),
            Ability::Log(log) => log.path.clone(),
            Ability::Model(model) => model.base_url.clone(),
            Ability::Sessions(sessions) => sessions.kind.clone(),
            Ability::Tool(tool) => tool.prompt_snippet.clone().or_else(|| tool.description.clone()),
            Ability::Other => None,
        }
    }
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

fn context(fields: &mut ManifestFields<'_>) -> Context {
    let given: Vec<&str> =
        ["markdown", "files", "command"].into_iter().filter(|key| fields.node(key).is_some()).collect();
    if let [_, second, ..] = given.as_slice() {
        let message = format!("`{}` are both set; only one can be the text", given.join("`, `"));
        fields.add_failure(second, message).help = Some("leave out the others".to_owned());
    }
    let from = match given.first() {
        Some(&"markdown") => {
            let span = fields.node("markdown").map_or(0..0, SettingsNode::span);
            fields.text("markdown").map(|text| ContextSource::Markdown(text, span))
        }
        Some(&"files") => files(fields).map(ContextSource::Files),
        Some(_) => program(fields).map(ContextSource::Command),
        None => None,
    };
    let named = |words: &[(&'static str, FragmentKind)], word: &str| {
        words.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind)
    };
    let kind = match fields.text("kind") {
        None => FragmentKind::SystemMessage,
        Some(word) => named(&KINDS, &word).unwrap_or_else(|| {
            let known = quoted(KINDS.map(|(name, _)| name));
            let message = format!("`kind` must be one of {known}, not `{}`", shown(&word));
            fields.add_failure("kind", message).code = Some(DiagnosticCode::FragmentKindInvalid);
            FragmentKind::SystemMessage
        }),
    };
    let runs = matches!(from, Some(ContextSource::Command(_)));
    let max_tokens = match fields.node("maxTokens").and_then(SettingsNode::as_integer) {
        Some(negative) if negative < 0 => {
            fields
                .add_failure("maxTokens", format!("`maxTokens` must not be negative, and is {negative}"))
                .code = Some(DiagnosticCode::FragmentBudgetNegative);
            None
        }
        _ => fields.integer("maxTokens", 0, i64::MAX),
    };
    Context {
        from,
        kind,
        priority: fields.integer("priority", i64::MIN, i64::MAX).unwrap_or(crate::section::DEFAULT_PRIORITY),
        max_tokens: max_tokens.map_or(4096, |max| usize::try_from(max).unwrap_or(usize::MAX)),
        exclusive_slot: fields.full_text("exclusiveSlot"),
        stability: match fields.word("stability", &["conversation", "static", "turn"]) {
            Some("static") => Stability::Static,
            Some("conversation") => Stability::Conversation,
            Some(_) => Stability::Turn,
            // The output of a program may change each time.
            None if runs => Stability::Turn,
            None => Stability::Static,
        },
    }
}

/// Returns the fault of a path below the manifest's directory (or the layer's root): it must be relative,
/// without `..`.
fn path_fault(path: &str) -> Option<&'static str> {
    if path.trim().is_empty() {
        return Some("must not be blank");
    }
    if path.contains('\0') {
        return Some("must not hold NUL characters");
    }
    if path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':') {
        return Some("must be relative");
    }
    if path.split(['/', '\\']).any(|part| part == "..") {
        return Some("must not contain `..`");
    }
    None
}

fn file(fields: &mut ManifestFields<'_>, key: &str) -> Option<String> {
    let path = fields.text(key)?;
    if let Some(fault) = path_fault(&path) {
        fields.add_failure(key, format!("`{key}` {fault}"));
        return None;
    }
    Some(path)
}

fn files(fields: &mut ManifestFields<'_>) -> Option<Vec<String>> {
    let paths = fields.texts("files")?;
    for (at, path) in paths.iter().enumerate() {
        if let Some(fault) = path_fault(path) {
            let failure = fields.add_failure("files", format!("item {at} of `files` {fault}"));
            failure.pointer.push_str(&format!("/{at}"));
            return None;
        }
    }
    Some(paths)
}

fn program(fields: &mut ManifestFields<'_>) -> Option<ProgramSpec> {
    let timeout = fields.integer("timeoutMs", 1, MOST_TIMEOUT_MS);
    let argv = fields.argv("command")?;
    Some(ProgramSpec { argv, timeout_ms: timeout.map_or(TIMEOUT_MS, i64::unsigned_abs) })
}

fn hook(fields: &mut ManifestFields<'_>) -> Hook {
    const INVALID: DiagnosticCode = DiagnosticCode::HookInvalidAttachment;
    let slot = fields.text("slot").and_then(|text| match text.parse::<Slot>() {
        Ok(slot) => Some(slot),
        Err(UnknownSlot) => {
            let names: Vec<String> = Slot::all().map(|slot| slot.to_string()).collect();
            let near = did_you_mean(&text, names.iter().map(String::as_str));
            let help = near.map_or_else(|| UnknownSlot.to_string(), |near| format!("did you mean `{near}`?"));
            let message = format!("unknown slot: `{}`", shown(&text));
            let failure = fields.add_failure("slot", message);
            (failure.code, failure.help) = (Some(INVALID), Some(help));
            None
        }
    });
    let event = fields.text("event");
    let of_event = event.as_deref().and_then(|event| {
        let slot = Slot::of_event(event);
        if slot.is_none() {
            let help = suggest_or(event, Slot::events(), || {
                format!("possible events: {}", Slot::events().collect::<Vec<_>>().join(", "))
            });
            let message = format!("unknown event: `{}`", shown(event));
            let failure = fields.add_failure("event", message);
            (failure.code, failure.help) = (Some(INVALID), Some(help));
        }
        slot
    });
    if let (Some(slot), Some(of_event)) = (slot, of_event)
        && slot != of_event
    {
        let message = format!("`slot` is {slot}, but `event` belongs to {of_event}");
        fields.add_failure("slot", message).code = Some(INVALID);
    }
    let role = match fields.word("role", &ROLES.map(|(name, _)| name)) {
        Some(word) => {
            ROLES.iter().find(|(name, _)| *name == word).map_or_else(HookRole::default, |(_, role)| *role)
        }
        None => HookRole::default(),
    };
    Hook { slot: slot.or(of_event), event, role, program: program(fields) }
}

fn model(fields: &mut ManifestFields<'_>, scope: Scope) -> ModelProvider {
    let base_url = fields.full_text("baseUrl");
    if let Some((fault, help)) = base_url.as_deref().and_then(base_url_fault) {
        fields.add_failure("baseUrl", format!("`baseUrl` {fault}")).help = help.map(str::to_owned);
    }
    ModelProvider { kind: fields.full_text("kind"), base_url, key: secret(fields, scope) }
}

/// Returns the fault of a provider's address, and the help.
pub(super) fn base_url_fault(url: &str) -> Option<(&'static str, Option<&'static str>)> {
    if !(url.starts_with("https://") || url.starts_with("http://")) {
        return Some(("must begin with `https://` or `http://`", None));
    }
    let help = "give the key by reference: `\"apiKey\": {\"kind\": \"env\", \"name\": \"…\"}`";
    holds_login(url).then_some(("must not hold a user name or password", Some(help)))
}

impl SecretReference {
    /// Reads `${NAME}`, or an object with `kind` and `name`; `None` if the value is neither.
    pub(super) fn read(node: &SettingsNode) -> Option<SecretReference> {
        if let Some(text) = node.as_text() {
            let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))?;
            return (!name.is_empty())
                .then(|| SecretReference { kind: "env".to_owned(), name: name.to_owned() });
        }
        let text = |key: &str| node.at(&[key]).and_then(SettingsNode::as_text);
        let kind = text("kind").filter(|kind| SECRETS.contains(kind))?;
        Some(SecretReference { kind: kind.to_owned(), name: text("name")?.to_owned() })
    }
}

/// The kinds of places for a secret.
const SECRETS: [&str; 3] = ["env", "file", "keyring"];

/// Reads `apiKey`: the location of a key, as an object or as `${NAME}`. The key itself is refused in the
/// manifest of any layer.
fn secret(fields: &mut ManifestFields<'_>, scope: Scope) -> Option<SecretReference> {
    let node = fields.node("apiKey")?;
    if node.as_text().is_some() {
        if let Some(reference) = SecretReference::read(node) {
            return Some(reference);
        }
        let whose = if scope == Scope::Project {
            "a project may not hold a key"
        } else {
            "a manifest may not hold a key"
        };
        fields.add_failure("apiKey", format!("{whose}; set `apiKey` to its location")).help =
            Some("write `{\"kind\": \"env\", \"name\": \"…\"}`".to_owned());
        return None;
    }
    fields.below("apiKey", |below| {
        // The first call reports a missing kind, the second an unknown one.
        let kind = below.name("kind").and_then(|_| below.word("kind", &SECRETS));
        let (kind, name) = (kind.map(str::to_owned), below.name("name"));
        Some(SecretReference { kind: kind?, name: name? })
    })?
}
