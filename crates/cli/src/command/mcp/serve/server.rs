//! The server: the prompts and tools that it lists, and what each call builds. Nothing is written.

use crate::{CommandFailure, CommandResult, Exit, Subject, call::help_of, files, flags::ToolNames};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Remedy},
    lint::{
        character::excerpt,
        hidden::{HiddenKind, escape_hidden},
    },
    suggestion::{quoted, suggest_or},
};
use preface_engine::{
    BuildOptions, Engine, WriteScope,
    conversation::directory_in_roots,
    host::{
        places::{HomeTrust, normal},
        profile::{self, ProfileChoice},
    },
    preset_names,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode,
        GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, JsonObject,
        ListPromptsResult, ListToolsResult, PaginatedRequestParams, Prompt, PromptArgument, PromptMessage,
        Role, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use utoipa::{PartialSchema, ToSchema};

const INSTRUCTIONS: &str = "\
preface builds the system prompt that an agent gets in a directory, and records where every byte of it came from. Its prompts, \
one for each preset, and the tool `build` give that text; `explain` gives origin, tokens and stability of each part and what \
is absent, and `lint` finds hidden text, secrets, forged structure and tags that do nothing. Nothing is ever written, only \
directories below the server's roots can be named, and text of a project that its user has not trusted is left out and \
reported as a diagnostic.";

/// The sentence at the end of each prompt's description: the protocol has no role for a system prompt.
const ROLE: &str = "The system prompt of a directory, as one message with the role user, because MCP knows no system role: \
give it to a model as its system prompt.";

/// The arguments of a prompt that are listed. All are text.
const OF_PROMPT: [(&str, &str); 4] = [
    ("directory", DIRECTORY),
    ("model", "The model that will read the prompt."),
    ("agent", "Build the prompt of this agent instead of the main conversation's."),
    ("tools", "The active tools, separated by commas, or `none`. Without it the profile decides."),
];

/// A server for the directories below its roots.
#[derive(Clone, Debug)]
pub struct Server {
    /// The directories that may be worked in, as they really are.
    roots: Vec<PathBuf>,
    home_trust: HomeTrust,
    /// The directory for calls that name none.
    here: PathBuf,
    /// The presets, with their descriptions.
    presets: Vec<(String, String)>,
}

impl Server {
    /// Reads the presets. Calls that name no directory work where the process was started, else in the first root.
    pub fn new(roots: Vec<PathBuf>, home_trust: HomeTrust) -> CommandResult<Self> {
        let system = files::system();
        let load = |name: String| {
            let profile = profile::load(system, None, &ProfileChoice::Named(name.clone()), &[])?;
            Ok((name, profile.about))
        };
        let presets = preset_names(system, None).into_iter().map(load);
        let presets = presets.collect::<CommandResult<_>>()?;
        let here = files::absolute(Path::new("."))?;
        let here = match (directory_in_roots(system, &roots, &here), roots.first()) {
            (Err(_), Some(root)) => root.clone(),
            _ => here,
        };
        Ok(Server { roots, home_trust, here, presets })
    }

    /// Runs a call on a thread that may wait.
    async fn run<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Server) -> CommandResult<T> + Send + 'static,
    ) -> Result<CommandResult<T>, ErrorData> {
        let server = self.clone();
        let done = tokio::task::spawn_blocking(move || call(&server)).await;
        done.map_err(|_| ErrorData::internal_error("internal error; please report it", None))
    }

    /// Returns the request of a call, for a directory below the roots.
    fn request(&self, mut arguments: JsonObject) -> CommandResult<BuildOptions> {
        // Forms of clients send an empty text where nothing was given.
        arguments.retain(|_, value| *value != "");
        if let Some((name, why)) = NOT_OVER_MCP.iter().find(|(name, _)| arguments.contains_key(*name)) {
            return Err(CommandFailure::usage(format!("`{name}` cannot be set here: {why}")));
        }
        let mut options: BuildOptions =
            serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
                CommandFailure::usage(escape_hidden(&error.to_string()))
                    .help("tools/list and prompts/list describe the arguments")
            })?;
        let named = options.cwd.take().unwrap_or_default();
        let dir = normal(&self.here, &named);
        if directory_in_roots(files::system(), &self.roots, &dir).is_err() {
            let roots = quoted(self.roots.iter().map(|root| root.display()));
            let help = format!("name one at or below {roots}; `--root DIR` of `preface mcp serve` adds one");
            let what = format!(
                "not a directory below a root of this server: `{}`",
                excerpt(&named.to_string_lossy(), 200)
            );
            return Err(CommandFailure::usage(what).help(help));
        }
        let (home_trust, roots) = (self.home_trust, Some(self.roots.clone()));
        Ok(BuildOptions { cwd: Some(dir), home_trust, roots, ..options })
    }

    fn build(&self, arguments: JsonObject) -> CommandResult<Subject> {
        let request = self.request(arguments)?;
        let built = Engine::new(files::system()).writing(WriteScope::Nothing).build(&request)?;
        let takes_template = built.snapshot.profile.takes_template();
        let mut subject = Subject::of(built, Vec::new());
        if takes_template {
            let what = "this server opens no store: a stored template is not used";
            let diagnostic = Diagnostic::info(DiagnosticCode::TemplateUnused, what)
                .help(Remedy::command("use it", "build"));
            subject.prompt.diagnostics.push(diagnostic);
        }
        Ok(subject)
    }

    /// Returns the text of a preset's prompt.
    fn prompt(&self, preset: &str, mut arguments: JsonObject) -> CommandResult<String> {
        if let Some(Value::String(names)) = arguments.get("tools").filter(|names| **names != "") {
            let ToolNames(names) = ToolNames::parse(names)
                .map_err(|why| CommandFailure::usage(why).help("write `tools` as `read,bash`, or `none`"))?;
            arguments.insert("tools".to_owned(), json!(names));
        }
        arguments.insert("preset".to_owned(), json!(preset));
        Ok(self.build(arguments)?.prompt.text)
    }

    /// Calls a tool.
    fn call(&self, tool: &str, arguments: JsonObject) -> CommandResult<CallToolResult> {
        if tool == "lint" {
            let linted = Engine::new(files::system()).lint(&self.request(arguments)?)?;
            let document = json!({ "diagnostics": linted.findings, "texts": linted.texts });
            return Ok(CallToolResult::structured(for_model(document)));
        }
        let document = self.build(arguments)?.document()?;
        let mut called = CallToolResult::structured(for_model(json!(document)));
        if tool == "build" {
            called.content = vec![ContentBlock::text(document.text)];
            let mut lines: Vec<String> = document.diagnostics.iter().map(finding_text).collect();
            if !lines.is_empty() {
                lines.insert(0, "Diagnostics of this build, not part of the prompt:".to_owned());
                called.content.push(ContentBlock::text(lines.join("\n")));
            }
        }
        Ok(called)
    }
}

/// Builds the error of an unknown name, with the known ones.
fn unknown_name<'n>(kind: &str, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> CommandFailure {
    let all = || format!("there are {}", known.clone().collect::<Vec<_>>().join(", "));
    let help = suggest_or(name, known.clone(), all);
    CommandFailure::usage(format!("unknown {kind}: `{}`", excerpt(name, 80))).help(help)
}

/// Converts a failure into an error of the protocol.
fn error_data(failure: CommandFailure) -> ErrorData {
    let code = match failure.exit_code() {
        Exit::Usage => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, finding_text(&failure.into_diagnostic()), None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let able = ServerCapabilities::builder().enable_prompts().enable_tools().build();
        ServerConfig::new(able)
            .with_server_info(Implementation::new("preface", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let arguments = OF_PROMPT
            .map(|(name, about)| PromptArgument::new(name).with_description(about).with_required(false));
        let prompt = |(name, about): &(String, String)| {
            Prompt::new(name, Some(format!("{about} {ROLE}")), Some(arguments.clone().into()))
        };
        Ok(ListPromptsResult::with_all_items(self.presets.iter().map(prompt).collect()))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let known = self.presets.iter().map(|(name, _)| name.as_str());
        if !known.clone().any(|name| name == params.name) {
            return Err(error_data(unknown_name("prompt", &params.name, known)));
        }
        let arguments = params.arguments.unwrap_or_default();
        let text =
            self.run(move |server| server.prompt(&params.name, arguments)).await?.map_err(error_data)?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools(&self.presets)))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = NAMES.into_iter().find(|name| *name == params.name) else {
            return Err(error_data(unknown_name("tool", &params.name, NAMES.into_iter())));
        };
        let arguments = params.arguments.unwrap_or_default();
        // What is wrong with the arguments is a result, for the model that wrote them, and no error of the protocol.
        let result = self.run(move |server| server.call(tool, arguments)).await?.unwrap_or_else(|failure| {
            CallToolResult::error(vec![ContentBlock::text(finding_text(&failure.into_diagnostic()))])
        });
        Ok(result.into())
    }
}

/// The options that a client may not set, with the reason of each.
const NOT_OVER_MCP: [(&str, &str); 7] = [
    ("conversation", "this server opens no store"),
    ("profile", "it is a file of the machine; `preset` names a profile"),
    ("settings", "they name files and programs of the machine"),
    ("template", "this server opens no store"),
    ("template_text", "it can name every variable of the machine, and a model writes it"),
    ("trust", "a person grants, with `preface trust grant`"),
    ("trust_pins", "a person grants, with `preface trust grant`"),
];

/// The names of the tools.
const NAMES: [&str; 3] = ["build", "explain", "lint"];

/// Returns the tools. The result of each is the document of the command of its name.
fn tools(presets: &[(String, String)]) -> Vec<Tool> {
    let mut named = Vec::new();
    BuildOptions::schemas(&mut named);
    let mut input = json!(BuildOptions::schema());
    input["$defs"] = named.into_iter().map(|(name, schema)| (name, json!(schema))).collect::<Value>();
    let input = input.to_string().replace("#/components/schemas/", "#/$defs/");
    let mut input: JsonObject = serde_json::from_str(&input).unwrap_or_default();
    input.remove("description");
    if let Some(Value::Object(properties)) = input.get_mut("properties") {
        properties.retain(|key, _| !NOT_OVER_MCP.iter().any(|(name, _)| name == key));
        properties["preset"]["examples"] = presets.iter().map(|(name, _)| name.as_str()).collect();
        properties["directory"] = json!({ "type": "string", "description": DIRECTORY });
    }
    let tool = |name: &'static str, title: &'static str, about: &'static str, result: &str| {
        let mut result: JsonObject = serde_json::from_str(result).unwrap_or_default();
        // Clients know one version of the language, not each of its names.
        result.remove("$schema");
        result.insert("type".to_owned(), json!("object"));
        let hints = ToolAnnotations::with_title(title).read_only(true).destructive(false);
        let tool = Tool::new(name, about, input.clone()).with_title(title);
        tool.with_annotations(hints.idempotent(true).open_world(false))
            .with_raw_output_schema(Arc::new(result))
    };
    let document = include_str!("../../../../../../docs/reference/json/build.json");
    let findings = include_str!("../../../../../../docs/reference/json/lint.json");
    vec![
        tool(NAMES[0], "Build a system prompt", BUILD, document),
        tool(NAMES[1], "Explain a system prompt", EXPLAIN, document),
        tool(NAMES[2], "Find trouble in a system prompt", LINT, findings),
    ]
}

const BUILD: &str = "Builds the system prompt that an agent gets in a directory: its text, and what was not trusted, cut or \
left out, with a remedy for each. Changes nothing.";
const EXPLAIN: &str = "Builds the same prompt and lists for each part where its text came from, how many tokens it takes and \
how long its bytes stay the same, and which sections are absent and why. Changes nothing.";
const LINT: &str = "Checks every text that a build of the directory would use, untrusted ones included, for hidden \
characters, secrets, forged structure, tags that do nothing and parts that spoil a prompt cache. Changes nothing.";

/// The description of the argument `directory`.
const DIRECTORY: &str = "The directory that the prompt is for: a path at or below a root of the server, absolute or relative to \
where it was started. Without it, where the server was started.";

/// Completes the document of a command for a model: lines of files are left out, and hidden characters are written out, because
/// untrusted text must not reach it beside the prompt either.
fn for_model(mut document: Value) -> Value {
    match &mut document {
        Value::String(text) => *text = escape_hidden(text).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| *item = for_model(item.take())),
        Value::Object(fields) => {
            fields.retain(|key, _| key != "excerpt" && key != "skipped");
            // A model would read the text that tag characters hide.
            if fields.get("code").is_some_and(|code| *code == HiddenKind::Tag.code().as_str()) {
                fields["message"] = "tag characters hide a text; `preface lint` shows it to a person".into();
            }
            let hidden = fields.iter_mut().filter(|(key, _)| *key != "text");
            hidden.for_each(|(_, value)| *value = for_model(value.take()));
        }
        _ => {}
    }
    document
}

/// Returns the message with the place in one line, and the help in a second one.
fn finding_text(diagnostic: &Diagnostic) -> String {
    let finding = for_model(json!(diagnostic));
    let place = diagnostic.place.as_ref().filter(|place| !place.path.is_empty());
    let place = place.map(|place| format!(" ({})", escape_hidden(&place.to_string()))).unwrap_or_default();
    let help = help_of(diagnostic).map(|help| format!("\nhelp: {}", escape_hidden(&help)));
    let message = finding["message"].as_str().unwrap_or_default();
    format!("{message}{place}{}", help.unwrap_or_default())
}
