//! The server: the prompts, tools and resources that it lists, and what each call builds. Nothing is written.

use super::tools::{self, Arguments, Finding, OF_REQUEST};
use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::ToolNames,
    subject::Subject,
};
use preface_engine::{
    Engine, Request, ToolChoice, WriteScope,
    conversation::directory_in_roots,
    core::{
        diagnostic::{Diagnostic, DiagnosticCode},
        lint::{character::excerpt, hidden::escape_hidden},
        suggestion::did_you_mean,
    },
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
        ListPromptsResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt,
        PromptArgument, PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        Resource, ResourceContents, Role, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

const INSTRUCTIONS: &str = "\
preface builds the system prompt that an agent gets in a directory, and records where every byte of it came from. Its prompts, \
one for each preset, and the tool `build` give that text; `explain` tells origin, tokens and stability of each part and what \
is absent, `lint` finds hidden text, secrets, forged structure and tags that do nothing, and `request` makes the body of a \
request to a service. Nothing is ever written, only \
directories below the server's roots can be named, and text of a project that its user has not trusted is held back and \
reported as a diagnostic.";

/// The sentence at the end of each prompt's description: the protocol has no role for a system prompt.
const ROLE: &str = "The system prompt of a directory, as one message with the role user, because MCP knows no system role: \
give it to a model as its system prompt.";

/// The prefix of the addresses of resources.
const ADDRESS: &str = "preface://prompt/";

/// The arguments of a prompt, of those of a tool. All are text.
const OF_PROMPT: [&str; 4] = ["directory", "model", "agent", "tools"];

/// A server for the directories below its roots.
#[derive(Clone, Debug)]
pub struct Server(Arc<ServerState>);

#[derive(Debug)]
struct ServerState {
    /// The directories that may be worked in, as they really are.
    roots: Vec<PathBuf>,
    home_trust: HomeTrust,
    /// The directory for calls that name none.
    here: PathBuf,
    /// The presets, with their descriptions.
    presets: Vec<(String, String)>,
    tools: Vec<Tool>,
}

impl Server {
    /// Reads the presets. Calls that name no directory work where the process was started, else in the first root.
    pub fn new(roots: Vec<PathBuf>, home_trust: HomeTrust) -> Result<Self, CommandFailure> {
        let system = files::system();
        let load = |name: String| {
            let profile = profile::load(&system, None, &ProfileChoice::Named(name.clone()), &[])?;
            Ok((name, profile.about))
        };
        let presets: Vec<_> =
            preset_names(&system, None).into_iter().map(load).collect::<Result<_, CommandFailure>>()?;
        let here = files::absolute(Path::new("."))?;
        let here = match (directory_in_roots(&system, &roots, &here), roots.first()) {
            (Err(_), Some(root)) => root.clone(),
            _ => here,
        };
        let tools = tool_list(&presets);
        Ok(Server(Arc::new(ServerState { roots, home_trust, here, presets, tools })))
    }

    /// Runs a call on a thread that may wait.
    async fn run<T: Send + 'static>(
        &self,
        call: impl FnOnce(&ServerState) -> Result<T, CommandFailure> + Send + 'static,
    ) -> Result<Result<T, CommandFailure>, ErrorData> {
        let state = self.0.clone();
        let done = tokio::task::spawn_blocking(move || call(&state)).await;
        done.map_err(|_| ErrorData::internal_error("internal error; please report it", None))
    }
}

impl ServerState {
    fn request(&self, arguments: &Arguments) -> Result<Request, CommandFailure> {
        // Forms of clients send an empty text where nothing was given.
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let named = given(&arguments.directory).unwrap_or_default();
        let dir = normal(&self.here, Path::new(&named));
        if directory_in_roots(&files::system(), &self.roots, &dir).is_err() {
            let roots: Vec<_> = self.roots.iter().map(|root| format!("`{}`", root.display())).collect();
            let help = format!(
                "name one at or below {}; `--root DIR` of `preface mcp serve` adds one",
                roots.join(", ")
            );
            let named = excerpt(&named, 200);
            return Err(CommandFailure::usage(format!(
                "not a directory below a root of this server: `{named}`"
            ))
            .help(help));
        }
        Ok(Request {
            preset: given(&arguments.preset),
            model: given(&arguments.model),
            agent: given(&arguments.agent),
            tools: arguments.tools.clone().map_or(ToolChoice::Profile, ToolChoice::Named),
            home_trust: self.home_trust,
            roots: Some(self.roots.clone()),
            ..Request::new(dir)
        })
    }

    fn build(&self, arguments: &Arguments) -> Result<Subject, CommandFailure> {
        let request = self.request(arguments)?;
        let system = files::system();
        let built = Engine::new(&system).writing(WriteScope::Nothing).build(&request)?;
        let takes_template = built.snapshot.profile.takes_template();
        let mut subject = Subject::of(built, Vec::new());
        if takes_template {
            let what = "this server opens no store: a stored template is not used";
            let diagnostic =
                Diagnostic::info(DiagnosticCode::McpNoStore, what).help("`preface build` uses it");
            subject.prompt.diagnostics.push(diagnostic);
        }
        Ok(subject)
    }

    /// Returns the text of a preset's prompt.
    fn prompt(&self, preset: &str, mut arguments: JsonObject) -> Result<String, CommandFailure> {
        check(&arguments, OF_PROMPT.into_iter(), &[])?;
        if let Some(Value::String(names)) = arguments.get("tools") {
            let tools = match names.as_str() {
                "" => Value::Null,
                names => ToolNames::parse(names).map(|ToolNames(names)| json!(names)).map_err(|why| {
                    CommandFailure::usage(why).help("write `tools` as `read,bash`, or `none`")
                })?,
            };
            arguments.insert("tools".to_owned(), tools);
        }
        arguments.insert("preset".to_owned(), json!(preset));
        Ok(self.build(&parse(arguments)?)?.prompt.text)
    }

    /// Calls a tool.
    fn call(&self, tool: &Tool, arguments: JsonObject) -> Result<CallToolResult, CommandFailure> {
        let list = |key: &str| tool.input_schema.get(key);
        let known = list("properties").and_then(Value::as_object).into_iter().flat_map(|known| known.keys());
        let required: Vec<_> = list("required").and_then(Value::as_array).into_iter().flatten().collect();
        check(&arguments, known.map(String::as_str), &required)?;
        let arguments = parse(arguments)?;
        let result = match &*tool.name {
            "build" => {
                let built = tools::build(&self.build(&arguments)?)?;
                let mut result = CallToolResult::structured(json!(built));
                result.content = vec![ContentBlock::text(built.text)];
                if !built.diagnostics.is_empty() {
                    let lines: Vec<String> = built.diagnostics.iter().map(Finding::text).collect();
                    let text =
                        format!("Diagnostics of this build, not part of the prompt:\n{}", lines.join("\n"));
                    result.content.push(ContentBlock::text(text));
                }
                return Ok(result);
            }
            "explain" => json!(tools::explain(&self.build(&arguments)?)?),
            "lint" => json!(tools::lint(&Engine::new(&files::system()).lint(&self.request(&arguments)?)?)),
            _ => json!(tools::request(self.build(&arguments)?, &arguments)?),
        };
        Ok(CallToolResult::structured(result))
    }
}

/// Refuses unknown and missing arguments.
fn check<'n>(
    arguments: &JsonObject,
    known: impl Iterator<Item = &'n str> + Clone,
    required: &[&Value],
) -> Result<(), CommandFailure> {
    if let Some(name) = arguments.keys().find(|name| !known.clone().any(|known| known == *name)) {
        return Err(unknown_name("argument", name, known));
    }
    let is_missing = |name: &&str| !arguments.contains_key(*name);
    match required.iter().filter_map(|name| name.as_str()).find(is_missing) {
        Some(name) => Err(CommandFailure::usage(format!("missing argument: `{name}`"))),
        None => Ok(()),
    }
}

/// Reads the arguments of a call.
fn parse(arguments: JsonObject) -> Result<Arguments, CommandFailure> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        CommandFailure::usage(format!("`{}`: {}", error.path(), escape_hidden(&error.inner().to_string())))
            .help("tools/list and prompts/list describe the arguments")
    })
}

/// Builds the error of an unknown name, with the known ones.
fn unknown_name<'n>(kind: &str, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> CommandFailure {
    let help = match did_you_mean(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.collect::<Vec<_>>().join(", ")),
    };
    CommandFailure::usage(format!("unknown {kind}: `{}`", excerpt(name, 80))).help(help)
}

/// Converts a failure into an error of the protocol.
fn error_data(failure: CommandFailure) -> ErrorData {
    let code = match failure.exit_code() {
        Exit::Usage => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, Finding::of_failure(failure).text(), None)
}

fn tool_list(presets: &[(String, String)]) -> Vec<Tool> {
    let tool = |name: &'static str, title: &'static str, about: &'static str| {
        let annotations = ToolAnnotations::with_title(title)
            .read_only(true)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        let mut tool = Tool::new(name, about, JsonObject::new())
            .with_title(title)
            .with_annotations(annotations)
            .with_input_schema::<Arguments>();
        let input = Arc::make_mut(&mut tool.input_schema);
        if name == "request" {
            input.insert("required".to_owned(), json!(["format", "messages"]));
        }
        if let Some(Value::Object(properties)) = input.get_mut("properties") {
            properties.retain(|key, _| name == "request" || !OF_REQUEST.contains(&key.as_str()));
            let names: Vec<&String> = presets.iter().map(|(name, _)| name).collect();
            properties["preset"]["examples"] = json!(names);
        }
        tool
    };
    let mut tools = vec![
        tool(
            "build",
            "Build a system prompt",
            "Builds the system prompt that an agent gets in a directory. Answers with its text, its tokens and the \
             diagnostics of the build: what was not trusted, cut or left out, with a remedy for each. Changes nothing.",
        )
        .with_output_schema::<tools::BuildOutput>(),
        tool(
            "explain",
            "Explain a system prompt",
            "Builds the same prompt and lists for each part where its text came from, how many tokens it takes and how long \
             its bytes stay the same, and which sections are absent and why. Changes nothing.",
        )
        .with_output_schema::<tools::ExplainOutput>(),
        tool(
            "lint",
            "Find trouble in a system prompt",
            "Looks at every text that a build of the directory would use, untrusted ones included, for hidden characters, \
             secrets, forged structure, tags that do nothing and parts that spoil a prompt cache. Answers with diagnostics: \
             code, severity, path, line and help. Changes nothing.",
        )
        .with_output_schema::<tools::LintOutput>(),
        tool(
            "request",
            "Make the body of a request",
            "Builds the same prompt and answers with the body of a request to a service that offers models: the prompt, the \
             messages and the active tools in the service's format, with its cache marks. The agent sends it. Changes \
             nothing, and records nothing.",
        )
        .with_output_schema::<tools::RequestOutput>(),
    ];
    for tool in &mut tools {
        strip_formats(Arc::make_mut(&mut tool.input_schema));
        tool.output_schema.iter_mut().for_each(|schema| strip_formats(Arc::make_mut(schema)));
    }
    tools
}

/// Removes the formats of Rust's numbers, such as `uint`: clients do not know them.
fn strip_formats(schema: &mut JsonObject) {
    schema.retain(|key, value| key != "format" || !value.is_string());
    schema.values_mut().filter_map(Value::as_object_mut).for_each(strip_formats);
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let able = ServerCapabilities::builder().enable_prompts().enable_resources().enable_tools().build();
        ServerConfig::new(able)
            .with_server_info(Implementation::new("preface", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = |(name, about): &(String, String)| {
            let described = &self.0.tools[0].input_schema["properties"];
            let arguments = OF_PROMPT.map(|name| {
                let about = match name {
                    "tools" => {
                        "The active tools, separated by commas, or `none`. Without it the profile decides."
                    }
                    name => described[name]["description"].as_str().unwrap_or_default(),
                };
                PromptArgument::new(name).with_description(about).with_required(false)
            });
            Prompt::new(name, Some(format!("{about} {ROLE}")), Some(arguments.into()))
        };
        Ok(ListPromptsResult::with_all_items(self.0.presets.iter().map(prompt).collect()))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some((name, about)) = self.0.presets.iter().find(|(name, _)| *name == params.name).cloned()
        else {
            let known = self.0.presets.iter().map(|(name, _)| name.as_str());
            return Err(error_data(unknown_name("prompt", &params.name, known)));
        };
        let arguments = params.arguments.unwrap_or_default();
        let text = self.run(move |state| state.prompt(&name, arguments)).await?.map_err(error_data)?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(about).into())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.tools.clone()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.0.tools.iter().find(|tool| tool.name == params.name).cloned() else {
            let known = self.0.tools.iter().map(|tool| &*tool.name);
            return Err(error_data(unknown_name("tool", &params.name, known)));
        };
        let arguments = params.arguments.unwrap_or_default();
        // What is wrong with the arguments is a result, for the model that wrote them, and no error of the protocol.
        let result = self.run(move |state| state.call(&tool, arguments)).await?.unwrap_or_else(|failure| {
            CallToolResult::error(vec![ContentBlock::text(Finding::of_failure(failure).text())])
        });
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |(name, _): &(String, String)| {
            let about =
                format!("The system prompt that preset `{name}` builds where the server was started.");
            Resource::new(format!("{ADDRESS}{name}"), format!("{name}.md"))
                .with_description(about)
                .with_mime_type("text/markdown")
        };
        Ok(ListResourcesResult::with_all_items(self.0.presets.iter().map(resource).collect()))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let name = params.uri.strip_prefix(ADDRESS).unwrap_or_default().to_owned();
        if !self.0.presets.iter().any(|(preset, _)| *preset == name) {
            let failure =
                unknown_name("resource", &params.uri, self.0.presets.iter().map(|(name, _)| name.as_str()));
            return Err(ErrorData::resource_not_found(Finding::of_failure(failure).text(), None));
        }
        let text =
            self.run(move |state| state.prompt(&name, JsonObject::new())).await?.map_err(error_data)?;
        let contents = ResourceContents::text(text, params.uri).with_mime_type("text/markdown");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
