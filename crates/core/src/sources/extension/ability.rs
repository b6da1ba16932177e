//! The content of an extension, by category: the fields of its manifest that make it usable.
//!
//! Only id, category and versions are required. An entry that lacks a field which its use requires gives way
//! to a usable entry below it; if there is none, it is active, and reported as incomplete. A field of a wrong
//! type is a failure.

use super::{category::Category, manifest::field_failure, slot::Slot};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Remedy},
    hook::HookEvent,
    scope::Scope,
    settings::{SettingsNode, TypeFault, holds_login},
    suggestion::quoted,
    turn::Tool,
    variable::Stability,
};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error},
};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, ops::Range, sync::Arc};

/// The content of an extension.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolTexts {
    /// The description for the model.
    pub description: Option<String>,
    /// One line for the list of tools.
    pub prompt_snippet: Option<String>,
    /// The guidelines for its use.
    pub prompt_guidelines: Vec<String>,
    /// The JSON Schema of its arguments.
    #[serde(deserialize_with = "object")]
    pub input_schema: Option<Arc<Value>>,
    /// True if the service is to make sure that arguments fit the schema.
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
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CommandTexts {
    /// The name that a user types after the slash; the id if absent.
    #[serde(deserialize_with = "not_blank")]
    pub name: Option<String>,
    /// The description of the command.
    pub description: Option<String>,
}

/// The text of a context provider, and how it is included.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The source of the text; `None` if the manifest has none.
    pub from: Option<ContextSource>,
    /// The kind of the fragment; only a `system-message` is part of the system prompt.
    pub kind: FragmentKind,
    /// The priority when the budget is tight; the lowest is cut first.
    pub priority: i64,
    /// The limit in tokens.
    pub max_tokens: usize,
    /// The slot of which only one provider, the first, is included.
    pub exclusive_slot: Option<String>,
    /// The time for which the text stays the same.
    pub stability: Stability,
}

impl Context {
    /// Returns what it lacks to put text into the prompt.
    fn missing(&self) -> Option<&'static str> {
        let has_text = match &self.from {
            None => false,
            Some(ContextSource::Markdown(text, _)) => !text.trim().is_empty(),
            Some(ContextSource::Files(files)) => !files.is_empty(),
            Some(ContextSource::Command(_)) => true,
        };
        match (has_text, self.kind) {
            (false, _) => Some("text in `markdown`, `files` or `command`"),
            (true, FragmentKind::SystemMessage) if self.max_tokens == 0 => Some("a `maxTokens` above 0"),
            (true, FragmentKind::SystemMessage) => None,
            (true, _) => Some("`kind` `system-message`"),
        }
    }
}

const OBJECT_SCHEMA: &str = "an `inputSchema` of type `object`";

/// Returns whether a schema is one of arguments, as every model service takes them.
fn is_object_schema(schema: &Value) -> bool {
    let is = |key: &str, fits: fn(&Value) -> bool| schema.get(key).is_none_or(fits);
    is("type", |kind| kind == "object")
        && is("properties", Value::is_object)
        && is("required", Value::is_array)
}

/// The source of a context provider's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextSource {
    /// Text in the manifest, with its byte range.
    Markdown(String, Range<usize>),
    /// These files, relative to the manifest's directory; their texts are joined by a blank line.
    Files(Vec<String>),
    /// The output of a program.
    Command(ProgramSpec),
}

/// The kinds of fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FragmentKind {
    /// Part of the system prompt.
    #[default]
    SystemMessage,
    /// Part of a message.
    PromptFragment,
    /// A bound resource.
    ResourceBinding,
    /// Advice for a tool.
    ToolHint,
}

/// A program and its arguments, started without a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSpec {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The timeout in milliseconds.
    pub timeout_ms: u64,
}

/// The timeout of a program without one in the manifest, in milliseconds.
const TIMEOUT_MS: u64 = 5_000;
const MOST_TIMEOUT_MS: u64 = 600_000;

/// A hook.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hook {
    /// The slot in which it runs; `None` if the manifest has none.
    pub slot: Option<Slot>,
    /// The event that it names, if it names one.
    pub event: Option<HookEvent>,
    /// The role, which limits its effect.
    pub role: HookRole,
    /// The program.
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

/// A model provider.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelProvider {
    /// The protocol: `anthropic`, `openai`, …
    #[serde(deserialize_with = "not_blank")]
    pub kind: Option<String>,
    /// The address of the API.
    #[serde(deserialize_with = "not_blank")]
    pub base_url: Option<String>,
    /// The location of the API key, never the key itself.
    #[serde(skip)]
    pub key: Option<SecretReference>,
}

/// The location of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretReference {
    /// `env`, `file` or `keyring`.
    pub kind: String,
    /// The name of the variable, file or keyring entry.
    pub name: String,
}

/// A logger: a file for audit events.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Log {
    /// The file, relative to the layer's root.
    #[serde(deserialize_with = "relative_path")]
    pub path: Option<String>,
}

/// A session store.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Sessions {
    /// `memory`, `postgres` or `sqlite`.
    #[serde(deserialize_with = "store_kind")]
    pub kind: Option<String>,
    /// The address or file of the store.
    #[serde(deserialize_with = "not_blank")]
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
    /// Reads the fields of a manifest of this category. `scope` is that of the manifest, `span` the byte range of
    /// its `markdown`.
    pub(super) fn read(
        category: Category,
        scope: Scope,
        manifest: &SettingsNode,
        span: Range<usize>,
    ) -> Result<Ability, Box<Diagnostic>> {
        Ok(match category {
            Category::Commands => Ability::Command(fields(category, manifest)?),
            Category::ContextProviders => Ability::Context(context(fields(category, manifest)?, span)?),
            Category::Hooks => Ability::Hook(hook(fields(category, manifest)?)?),
            Category::Loggers => Ability::Log(fields(category, manifest)?),
            Category::Providers => Ability::Model(model(fields(category, manifest)?, manifest, scope)?),
            Category::SessionStores => {
                let sessions: Sessions = fields(category, manifest)?;
                if sessions.url.as_deref().is_some_and(holds_login) {
                    let failure = fault("url", "`url` must not hold a user name or password");
                    let help = "let the program that connects take them from its environment";
                    return Err(Box::new(failure.help(help)));
                }
                Ability::Sessions(sessions)
            }
            Category::Tools => Ability::Tool(fields(category, manifest)?),
            Category::StateMachines | Category::Ui => Ability::Other,
        })
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
            Ability::Context(context) => context.missing(),
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
            Ability::Tool(tool) if is_blank(tool.description.as_deref()) => Some("`description`"),
            Ability::Tool(tool) => {
                let is_object = |schema: &Arc<Value>| is_object_schema(schema);
                tool.input_schema.as_ref().is_some_and(|schema| !is_object(schema)).then_some(OBJECT_SCHEMA)
            }
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

/// Reads the fields of a manifest.
fn fields<T: DeserializeOwned>(category: Category, manifest: &SettingsNode) -> Result<T, Box<Diagnostic>> {
    TypeFault::read(manifest).map_err(|fault| {
        let node = manifest.at(&fault.keys);
        let code = match (category, fault.keys.first().map(String::as_str)) {
            _ if node.and_then(SettingsNode::as_text).is_none() => DiagnosticCode::ShapeInvalid,
            (Category::ContextProviders, Some("kind")) => DiagnosticCode::FragmentKindInvalid,
            (Category::Hooks, Some("event" | "slot")) => DiagnosticCode::HookInvalidAttachment,
            _ => DiagnosticCode::ShapeInvalid,
        };
        Box::new(field_failure(code, fault))
    })
}

/// Builds the failure of a field.
fn fault(key: &str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(DiagnosticCode::ShapeInvalid, message).about(format_args!("/{key}"))
}

fn checked<'de, D: Deserializer<'de>>(
    from: D,
    fault: fn(&str) -> Option<&'static str>,
) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    match text.as_deref().and_then(fault) {
        Some(fault) => Err(D::Error::custom(fault)),
        None => Ok(text),
    }
}

fn not_blank<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, |text| text.trim().is_empty().then_some("it must not be blank"))
}

fn store_kind<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, |kind| {
        (!["memory", "postgres", "sqlite"].contains(&kind))
            .then_some("it must be `memory`, `postgres` or `sqlite`")
    })
}

fn relative_path<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, path_fault)
}

fn object<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Arc<Value>>, D::Error> {
    Ok(Option::<Map<String, Value>>::deserialize(from)?.map(|fields| Arc::new(Value::Object(fields))))
}

/// Returns the fault of a path below the manifest's directory (or the layer's root): it must be relative,
/// without `..`.
fn path_fault(path: &str) -> Option<&'static str> {
    if path.trim().is_empty() {
        return Some("it must not be blank");
    }
    if path.contains('\0') {
        return Some("it must not hold NUL characters");
    }
    if path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':') {
        return Some("it must be relative");
    }
    if path.split(['/', '\\']).any(|part| part == "..") {
        return Some("it must not contain `..`");
    }
    None
}

/// A path of a list.
#[derive(Deserialize)]
struct RelativePath(#[serde(deserialize_with = "relative_path")] Option<String>);

/// The fields of a context provider's manifest.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ContextFields {
    markdown: Option<String>,
    files: Option<Vec<RelativePath>>,
    command: Option<Vec<String>>,
    timeout_ms: Option<u64>,
    kind: FragmentKind,
    priority: Option<i64>,
    max_tokens: Option<i64>,
    #[serde(deserialize_with = "not_blank")]
    exclusive_slot: Option<String>,
    stability: Option<Stability>,
}

fn context(fields: ContextFields, span: Range<usize>) -> Result<Context, Box<Diagnostic>> {
    let given = [
        ("markdown", fields.markdown.is_some()),
        ("files", fields.files.is_some()),
        ("command", fields.command.is_some()),
    ];
    let given: Vec<&str> = given.into_iter().filter_map(|(key, given)| given.then_some(key)).collect();
    if let [_, second, ..] = given.as_slice() {
        let message = format!("`{}` are both set; only one can be the text", given.join("`, `"));
        return Err(Box::new(fault(second, message).help("leave out the others")));
    }
    let program = program(fields.command, fields.timeout_ms)?;
    let from = match (fields.markdown, fields.files) {
        (Some(text), _) => Some(ContextSource::Markdown(text, span)),
        (None, Some(files)) => {
            Some(ContextSource::Files(files.into_iter().filter_map(|RelativePath(path)| path).collect()))
        }
        (None, None) => program.map(ContextSource::Command),
    };
    let max_tokens = fields.max_tokens.unwrap_or(4096);
    let max_tokens = usize::try_from(max_tokens).map_err(|_| {
        let message = format!("`maxTokens` must not be negative, and is {max_tokens}");
        Diagnostic::error(DiagnosticCode::FragmentBudgetNegative, message).about("/maxTokens")
    })?;
    // The output of a program may change each time.
    let usual = match from {
        Some(ContextSource::Command(_)) => Stability::Turn,
        _ => Stability::Static,
    };
    Ok(Context {
        from,
        kind: fields.kind,
        priority: fields.priority.unwrap_or(crate::section::DEFAULT_PRIORITY),
        max_tokens,
        exclusive_slot: fields.exclusive_slot,
        stability: fields.stability.unwrap_or(usual),
    })
}

/// Returns the program of a manifest: neither the list nor its first item may be empty.
fn program(
    argv: Option<Vec<String>>,
    timeout_ms: Option<u64>,
) -> Result<Option<ProgramSpec>, Box<Diagnostic>> {
    let timeout_ms = timeout_ms.unwrap_or(TIMEOUT_MS);
    if !(1..=MOST_TIMEOUT_MS).contains(&timeout_ms) {
        let message = format!("`timeoutMs` must be an integer from 1 to {MOST_TIMEOUT_MS}");
        return Err(Box::new(fault("timeoutMs", message)));
    }
    let Some(argv) = argv else { return Ok(None) };
    if argv.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(Box::new(fault("command", "`command` must name a program first")));
    }
    if argv.iter().any(|argument| argument.contains('\0')) {
        return Err(Box::new(fault("command", "`command` must not hold NUL characters")));
    }
    Ok(Some(ProgramSpec { argv, timeout_ms }))
}

/// The fields of a hook's manifest.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct HookFields {
    slot: Option<Slot>,
    event: Option<HookEvent>,
    role: HookRole,
    command: Option<Vec<String>>,
    timeout_ms: Option<u64>,
}

fn hook(fields: HookFields) -> Result<Hook, Box<Diagnostic>> {
    let HookFields { slot, event, role, command, timeout_ms } = fields;
    let of_event = event.map(HookEvent::slot);
    if let (Some(slot), Some(of_event)) = (slot, of_event)
        && slot != of_event
    {
        let message = format!("`slot` is {slot}, but `event` belongs to {of_event}");
        let code = DiagnosticCode::HookInvalidAttachment;
        return Err(Box::new(Diagnostic::error(code, message).about("/slot")));
    }
    Ok(Hook { slot: slot.or(of_event), event, role, program: program(command, timeout_ms)? })
}

fn model(
    model: ModelProvider,
    manifest: &SettingsNode,
    scope: Scope,
) -> Result<ModelProvider, Box<Diagnostic>> {
    if let Some((message, help)) = model.base_url.as_deref().and_then(base_url_fault) {
        let failure = fault("baseUrl", format!("`baseUrl` {message}"));
        return Err(Box::new(Diagnostic { help: help.map(Remedy::from), ..failure }));
    }
    let key = manifest.at(&["apiKey"]).map(|node| secret(&node.to_value(), scope)).transpose()?;
    Ok(ModelProvider { key, ..model })
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
    pub(super) fn read(value: &Value) -> Option<SecretReference> {
        let (kind, name) = match value.as_str() {
            Some(text) => ("env", text.strip_prefix("${")?.strip_suffix('}')?),
            None => (value.get("kind")?.as_str()?, value.get("name")?.as_str()?),
        };
        (SECRETS.contains(&kind) && !name.is_empty())
            .then(|| SecretReference { kind: kind.to_owned(), name: name.to_owned() })
    }
}

/// The kinds of places for a secret.
const SECRETS: [&str; 3] = ["env", "file", "keyring"];

/// Reads `apiKey`: the location of a key, as an object or as `${NAME}`. The key itself is refused in the
/// manifest of any layer.
fn secret(value: &Value, scope: Scope) -> Result<SecretReference, Box<Diagnostic>> {
    if let Some(reference) = SecretReference::read(value) {
        return Ok(reference);
    }
    let is_kind = |kind: &Value| kind.as_str().is_some_and(|kind| SECRETS.contains(&kind));
    let failure = if value.is_string() {
        let whose = if scope == Scope::Project { "a project" } else { "a manifest" };
        fault("apiKey", format!("{whose} may not hold a key; set `apiKey` to its location"))
    } else if !value.is_object() {
        fault("apiKey", "`apiKey` must be an object")
    } else if !value.get("kind").is_some_and(is_kind) {
        fault("apiKey/kind", format!("`kind` must be one of {}", quoted(SECRETS)))
    } else {
        fault("apiKey/name", "`name` must be a string that is not empty")
    };
    Err(Box::new(failure.help("write `{\"kind\": \"env\", \"name\": \"…\"}`")))
}
