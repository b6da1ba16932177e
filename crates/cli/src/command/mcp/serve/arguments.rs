//! Turns the arguments of a client into a request that stays below the roots.

use crate::{failure::CommandFailure, flags::ToolNames, ui::text::listed};
use preface_engine::{
    Request, ToolChoice, TrustChoice,
    core::{
        diagnostic::{Diagnostic, DiagnosticCode},
        format::{self, RequestFormat},
        lint::hidden::escape_hidden,
        message::Message,
    },
    host::{
        places::{HomeTrust, normal},
        system::{FileKind, System},
    },
    mcp_protocol::{Arguments, Refusal},
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The description of the argument `directory`, for clients.
pub const DIRECTORY: &str = "The directory that the prompt is for: a path at or below a root of the server, absolute or \
relative to where it was started. Without it, where the server was started.";

/// The most characters of a directory.
const LONGEST: usize = 4096;

/// Reads arguments, with the directories that clients may name.
#[derive(Debug)]
pub struct ArgumentReader {
    /// The directories that may be worked in, as they really are.
    roots: Vec<PathBuf>,
    home_trust: HomeTrust,
    /// The directory for calls that name none.
    here: PathBuf,
}

impl ArgumentReader {
    /// Takes the roots, real paths. Calls that name no directory work where the process was started, else in the first root.
    pub fn new(
        system: &dyn System,
        roots: Vec<PathBuf>,
        home_trust: HomeTrust,
    ) -> Result<Self, CommandFailure> {
        let is_inside = |dir: &PathBuf| {
            system.canonical(dir).is_ok_and(|real| roots.iter().any(|root| real.starts_with(root)))
        };
        let here = system.current_dir().filter(is_inside).or_else(|| roots.first().cloned());
        let Some(here) = here else { return Err(CommandFailure::usage("there is no directory to work in")) };
        Ok(ArgumentReader { roots, home_trust, here })
    }

    /// Reads the arguments of a prompt: all are text.
    pub fn of_prompt(
        &self,
        system: &dyn System,
        preset: &str,
        arguments: &Arguments,
    ) -> Result<Request, Refusal> {
        let tools = match text(arguments, "tools")? {
            None => ToolChoice::Profile,
            Some(names) => {
                let ToolNames(names) = ToolNames::parse(names)
                    .map_err(|why| Refusal::arguments(why, "write `tools` as `read,bash`, or `none`"))?;
                ToolChoice::Named(names)
            }
        };
        self.request(system, Some(preset), tools, arguments)
    }

    /// Reads the arguments of a tool: `tools` is a list, and `preset` is one of them.
    pub fn of_tool(&self, system: &dyn System, arguments: &Arguments) -> Result<Request, Refusal> {
        let tools = match arguments.get("tools") {
            None | Some(Value::Null) => ToolChoice::Profile,
            Some(value) => ToolChoice::Named(names(value)?),
        };
        self.request(system, text(arguments, "preset")?, tools, arguments)
    }

    fn request(
        &self,
        system: &dyn System,
        preset: Option<&str>,
        tools: ToolChoice,
        arguments: &Arguments,
    ) -> Result<Request, Refusal> {
        Ok(Request {
            preset: preset.map(str::to_owned),
            model: text(arguments, "model")?.map(str::to_owned),
            agent: text(arguments, "agent")?.map(str::to_owned),
            tools,
            // Recorded trust is used, without questions.
            trust: TrustChoice::Ask,
            home_trust: self.home_trust,
            roots: Some(self.roots.clone()),
            ..Request::new(self.directory(system, text(arguments, "directory")?)?)
        })
    }

    /// Refuses a directory that does not really lie below a root, whether it is there or not.
    fn directory(&self, system: &dyn System, named: Option<&str>) -> Result<PathBuf, Refusal> {
        let dir = normal(&self.here, Path::new(named.unwrap_or_default()));
        let is_path = named.is_none_or(|named| !named.contains('\0') && named.chars().count() <= LONGEST);
        let real = system.canonical(&dir).ok().filter(|_| is_path);
        let short: String = named.map_or_else(|| shown(&dir), |named| named.chars().take(200).collect());
        if !real.is_some_and(|real| self.roots.iter().any(|root| real.starts_with(root))) {
            let roots: Vec<String> = self.roots.iter().map(|root| format!("`{}`", shown(root))).collect();
            return Err(Refusal::arguments(
                format!("not a directory below a root of this server: `{}`", escape_hidden(&short)),
                format!(
                    "name one at or below {}; `--root DIR` of `preface mcp serve` adds one",
                    listed(&roots)
                ),
            ));
        }
        match system.stat(&dir) {
            Some(stat) if stat.kind == FileKind::Dir => Ok(dir),
            _ => Err(Refusal::arguments(
                format!("not a directory: `{}`", escape_hidden(&short)),
                "name the directory that holds it",
            )),
        }
    }
}

/// Describes how a reply may differ from the output of `preface build`.
pub fn diagnostics(takes_template: bool) -> Vec<Diagnostic> {
    if !takes_template {
        return Vec::new();
    }
    let what = "this server opens no store: a stored template is not used";
    vec![Diagnostic::info(DiagnosticCode::McpNoStore, what).help("`preface build` uses it")]
}

/// The arguments of the tool `request` besides those of a build.
#[derive(Debug)]
pub struct BodyArguments {
    /// The format of the body.
    pub format: &'static dyn RequestFormat,
    /// The messages so far.
    pub messages: Vec<Message>,
    /// The most tokens of the answer.
    pub max_output_tokens: Option<u64>,
    /// The lifetime of the cache marks.
    pub cache_ttl: Option<String>,
}

impl BodyArguments {
    /// Reads them.
    pub fn read(arguments: &Arguments) -> Result<Self, Refusal> {
        let named = text(arguments, "format")?;
        let Some(format) = named.and_then(|name| format::services().find(|format| format.name() == name))
        else {
            let names: Vec<String> =
                format::services().map(|format| format!("`{}`", format.name())).collect();
            let help = format!("formats are {}", listed(&names));
            return Err(Refusal::arguments("`format` is not the format of a service", help));
        };
        let Some(list) = arguments.get("messages").and_then(Value::as_array) else {
            return Err(Refusal::arguments(
                "`messages` is no list",
                "give the messages so far, oldest first",
            ));
        };
        let message = |(at, value): (usize, &Value)| {
            let fields = value.as_object().cloned().ok_or_else(|| {
                let what = format!("message {at} is {}, not an object", kind(value));
                Refusal::arguments(what, "a message has `role` and `content`")
            })?;
            Message::new(fields).map_err(|fault| {
                let help =
                    fault.help.clone().unwrap_or_else(|| "a message has `role` and `content`".to_owned());
                Refusal::arguments(format!("message {at}: {fault}"), help)
            })
        };
        let max_output_tokens = match arguments.get("max_output_tokens") {
            None | Some(Value::Null) => None,
            Some(value) => Some(value.as_u64().filter(|most| *most > 0).ok_or_else(|| {
                Refusal::arguments("`max_output_tokens` is no number of tokens", "give an integer from 1 on")
            })?),
        };
        let messages = list.iter().enumerate().map(message).collect::<Result<_, _>>()?;
        let cache_ttl = text(arguments, "cache_ttl")?.map(str::to_owned);
        Ok(BodyArguments { format, messages, max_output_tokens, cache_ttl })
    }
}

fn shown(path: &Path) -> String {
    escape_hidden(&path.display().to_string()).into_owned()
}

/// Returns an argument that is text; one that is empty was not given, as forms of clients send it.
fn text<'a>(arguments: &'a Arguments, name: &str) -> Result<Option<&'a str>, Refusal> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
        Some(other) => Err(Refusal::arguments(
            format!("`{name}` is text, not {}", kind(other)),
            "tools/list and prompts/list describe the arguments",
        )),
    }
}

/// The most tools that a call may name.
const MOST_TOOLS: usize = 1000;

fn names(value: &Value) -> Result<Vec<String>, Refusal> {
    let wrong = |what: &str| {
        Refusal::arguments(
            format!("`tools` is a list of names, not {what}"),
            "write `[\"read\", \"bash\"]`; an empty list is no tool",
        )
    };
    let list = value.as_array().ok_or_else(|| wrong(kind(value)))?;
    if list.len() > MOST_TOOLS {
        return Err(wrong(&format!("{} of them: {MOST_TOOLS} are the most", list.len())));
    }
    list.iter()
        .map(|name| name.as_str().map(str::to_owned).ok_or_else(|| wrong("a list of other things")))
        .collect()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
