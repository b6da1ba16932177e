//! Answers: lists at once, everything else on threads that may wait, a few at a time.

use super::{Arguments, Done, Offer, PromptOffer, Refusal, RefusalKind, ToolOffer};
use preface_core::suggestion::did_you_mean;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
        ErrorCode, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation,
        ListPromptsResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt,
        PromptArgument, PromptMessage, PromptsCapability, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, Resource, ResourceContents, ResourcesCapability, Role, ServerCapabilities,
        ServerConfig, Tool, ToolAnnotations, ToolsCapability,
    },
    service::RequestContext,
};
use std::sync::Arc;
use tokio::{sync::Semaphore, task};

/// How many calls work at the same time.
const AT_ONCE: usize = 4;
/// How many calls may work or wait; one more is refused.
const IN_ALL: usize = 32;

/// What listing prompts, tools and resources share: there is one page.
const ONE_PAGE: &str = "there is one page, and it needs no cursor";

/// Answers the requests of one client.
pub(super) struct Handler {
    offer: Arc<dyn Offer>,
    prompts: Vec<PromptOffer>,
    tools: Vec<ToolOffer>,
    resources: Vec<super::ResourceOffer>,
    working: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

impl Handler {
    pub(super) fn new(offer: Arc<dyn Offer>) -> Self {
        Handler {
            prompts: offer.prompts(),
            tools: offer.tools(),
            resources: offer.resources(),
            offer,
            working: Arc::new(Semaphore::new(AT_ONCE)),
            places: Arc::new(Semaphore::new(IN_ALL)),
        }
    }

    /// Lets the caller work, away from the threads that answer.
    async fn work<T: Send + 'static>(
        &self,
        what: String,
        context: RequestContext<RoleServer>,
        act: impl FnOnce(&dyn Offer) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<Result<T, Refusal>, ErrorData> {
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            let said = format!("too many calls at once: {IN_ALL} are not answered yet");
            return Err(ErrorData::internal_error(said, None));
        };
        let turn = tokio::select! {
            turn = self.working.clone().acquire_owned() => turn,
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
        };
        let Ok(turn) = turn else { return Err(ErrorData::internal_error("the server ends", None)) };
        let offer = self.offer.clone();
        let worked = task::spawn_blocking(move || {
            let _held = (place, turn);
            act(&*offer)
        });
        match worked.await {
            Ok(done) => {
                self.offer.note(&match &done {
                    Ok(_) => format!("{what}: done"),
                    Err(refusal) => format!("{what}: {}", refusal.words()),
                });
                Ok(done)
            }
            Err(_) => {
                self.offer.note(&format!("{what}: a mistake of this server ended it"));
                Err(ErrorData::internal_error("a mistake of this server ended the call", None))
            }
        }
    }
}

/// Refuses a name that is not offered, and says which are.
fn unknown<'n>(kind: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Refusal {
    let known: Vec<&str> = known.collect();
    let remedy = match did_you_mean(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there is none".to_owned(),
        None => format!("there are {}", known.join(", ")),
    };
    // A name of the client's goes back to it, and no longer than a name is.
    let short: String = name.chars().take(80).collect();
    Refusal::arguments(format!("unknown {kind}: `{short}`"), remedy)
}

/// Refuses arguments that nobody reads.
fn check<'n>(arguments: &Arguments, known: impl Iterator<Item = &'n str> + Clone) -> Result<(), Refusal> {
    match arguments.keys().find(|name| !known.clone().any(|one| one == *name)) {
        Some(name) => Err(unknown("argument", name, known)),
        None => Ok(()),
    }
}

/// Says it as an error of the protocol.
fn told(refusal: &Refusal) -> ErrorData {
    let code = match refusal.kind {
        RefusalKind::Arguments => ErrorCode::INVALID_PARAMS,
        RefusalKind::Failed => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, refusal.words(), Some(refusal.data()))
}

/// Refuses a cursor: nobody was given one.
fn first_page(asked: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match asked.and_then(|asked| asked.cursor) {
        Some(_) => Err(ErrorData::invalid_params(ONE_PAGE, None)),
        None => Ok(()),
    }
}

fn listed_prompt(prompt: &PromptOffer) -> Prompt {
    let arguments = prompt.arguments.iter().map(|one| {
        PromptArgument::new(one.name.as_str()).with_description(one.about.as_str()).with_required(false)
    });
    Prompt::new(prompt.name.as_str(), Some(prompt.about.as_str()), Some(arguments.collect()))
}

fn listed_tool(tool: &ToolOffer) -> Tool {
    let annotations = ToolAnnotations::with_title(tool.title.as_str())
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(tool.name.clone(), tool.about.clone(), tool.input.clone())
        .with_title(tool.title.as_str())
        .with_raw_output_schema(Arc::new(tool.output.clone()))
        .with_annotations(annotations)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let about = self.offer.about();
        let mut able = ServerCapabilities::default();
        able.prompts = Some(PromptsCapability::default());
        able.tools = Some(ToolsCapability::default());
        able.resources = Some(ResourcesCapability::default());
        ServerConfig::new(able)
            .with_server_info(Implementation::new(about.name, about.version))
            .with_instructions(about.instructions)
    }

    async fn list_prompts(
        &self,
        asked: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        first_page(asked)?;
        Ok(ListPromptsResult::with_all_items(self.prompts.iter().map(listed_prompt).collect()))
    }

    async fn get_prompt(
        &self,
        asked: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (name, arguments) = (asked.name, asked.arguments.unwrap_or_default());
        let Some(prompt) = self.prompts.iter().find(|prompt| prompt.name == name) else {
            let known = self.prompts.iter().map(|prompt| prompt.name.as_str());
            return Err(told(&unknown("prompt", &name, known)));
        };
        check(&arguments, prompt.arguments.iter().map(|one| one.name.as_str())).map_err(|why| told(&why))?;
        let about = prompt.about.clone();
        let got = self.work(format!("prompt {name}"), context, move |offer| offer.prompt(&name, &arguments));
        let text = got.await?.map_err(|why| told(&why))?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(about).into())
    }

    async fn list_tools(
        &self,
        asked: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        first_page(asked)?;
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(listed_tool).collect()))
    }

    async fn call_tool(
        &self,
        asked: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, arguments) = (asked.name.into_owned(), asked.arguments.unwrap_or_default());
        let Some(tool) = self.tools.iter().find(|tool| tool.name == name) else {
            let known = self.tools.iter().map(|tool| tool.name.as_str());
            return Err(told(&unknown("tool", &name, known)));
        };
        let properties = tool.input.get("properties").and_then(|known| known.as_object());
        let known = properties.into_iter().flat_map(|known| known.keys().map(String::as_str));
        let done = match check(&arguments, known) {
            Ok(()) => {
                let what = format!("tool {name}");
                self.work(what, context, move |offer| offer.call(&name, &arguments)).await?
            }
            Err(refusal) => Err(refusal),
        };
        // What the arguments got wrong is for the model that wrote them: a result, and no error of the protocol.
        let result = match done {
            Ok(Done { texts, structured }) => {
                let mut result = CallToolResult::success(texts.into_iter().map(ContentBlock::text).collect());
                result.structured_content = Some(structured);
                result
            }
            Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.words())]),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        asked: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        first_page(asked)?;
        let resources = self.resources.iter().map(|one| {
            Resource::new(one.address.as_str(), one.name.as_str())
                .with_description(one.about.as_str())
                .with_mime_type(one.media_type.as_str())
        });
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn read_resource(
        &self,
        asked: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let address = asked.uri;
        let Some(resource) = self.resources.iter().find(|one| one.address == address) else {
            let refusal =
                unknown("resource", &address, self.resources.iter().map(|one| one.address.as_str()));
            return Err(ErrorData::resource_not_found(refusal.words(), Some(refusal.data())));
        };
        let media_type = resource.media_type.clone();
        let (what, uri) = (format!("resource {address}"), address.clone());
        let text = self.work(what, context, move |offer| offer.read(&address)).await?;
        let text = text.map_err(|why| told(&why))?;
        let contents = ResourceContents::text(text, uri).with_mime_type(media_type);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn on_custom_request(
        &self,
        asked: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        const OURS: [&str; 6] =
            ["prompts/get", "prompts/list", "resources/list", "resources/read", "tools/call", "tools/list"];
        // A method that is known came here because of its parameters.
        if OURS.contains(&asked.method.as_str()) {
            let what = format!("the parameters of `{}` have another shape", asked.method);
            return Err(ErrorData::invalid_params(what, None));
        }
        let method: String = asked.method.chars().take(80).collect();
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method: `{method}`"), None))
    }
}
