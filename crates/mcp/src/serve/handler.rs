//! Answers: lists at once, everything else on threads that may wait, a few at a time.

use super::{Arguments, CallOutput, LONGEST_MESSAGE, Offer, PromptOffer, Refusal, RefusalKind, ToolOffer};
use preface_core::{
    duplicate_key::{self, DuplicateKey},
    lint::hidden::escape_hidden,
    suggestion::did_you_mean,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientJsonRpcMessage, ClientRequest,
        ContentBlock, CustomRequest, CustomResult, ErrorCode, GetMeta, GetPromptRequestParams,
        GetPromptResponse, GetPromptResult, Implementation, JsonRpcMessage, ListPromptsResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt, PromptArgument, PromptMessage,
        PromptsCapability, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, RequestId, Resource, ResourceContents, ResourcesCapability, Role,
        ServerCapabilities, ServerConfig, ServerJsonRpcMessage, Tool, ToolAnnotations, ToolsCapability,
    },
    service::RequestContext,
    transport::Transport,
};
use serde::{Deserialize, de::IgnoredAny};
use std::{io, mem, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{Mutex, Semaphore, watch},
    task::{self, JoinSet},
};

/// The most calls that run at the same time.
const AT_ONCE: usize = 4;
/// The most calls that run or wait; one more is refused.
const IN_ALL: usize = 32;

/// The error message for a cursor in a list of prompts, tools or resources: there is one page.
const ONE_PAGE: &str = "there is one page, and it needs no cursor";

/// The error message for a request before the connection is open.
const NOT_BEGUN: &str = "the connection is not open: send `initialize` with `params` (`protocolVersion`, `capabilities`, \
`clientInfo`) first, or a version of the protocol in `_meta` of each request";

/// The handler of the requests of one client.
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
            let message = format!("too many calls at once: {IN_ALL} are not answered yet");
            return Err(ErrorData::internal_error(message, None));
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

/// Builds a refusal of an unknown name, with the known ones.
fn unknown_name<'n>(kind: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Refusal {
    let known: Vec<&str> = known.collect();
    let remedy = match did_you_mean(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "the list is empty".to_owned(),
        None => format!("there are {}", known.join(", ")),
    };
    // A name of the client's goes back to it, and no longer than a name is.
    let short: String = name.chars().take(80).collect();
    Refusal::arguments(format!("unknown {kind}: `{short}`"), remedy)
}

/// Refuses unknown arguments.
fn check<'n>(arguments: &Arguments, known: impl Iterator<Item = &'n str> + Clone) -> Result<(), Refusal> {
    match arguments.keys().find(|name| !known.clone().any(|one| one == *name)) {
        Some(name) => Err(unknown_name("argument", name, known)),
        None => Ok(()),
    }
}

/// Converts a refusal into an error of the protocol.
fn error_data(refusal: &Refusal) -> ErrorData {
    let code = match refusal.kind {
        RefusalKind::Arguments => ErrorCode::INVALID_PARAMS,
        RefusalKind::Failed => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, refusal.words(), Some(refusal.data()))
}

/// Refuses a cursor: there is one page.
fn first_page(params: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match params.and_then(|params| params.cursor) {
        Some(_) => Err(ErrorData::invalid_params(ONE_PAGE, None)),
        None => Ok(()),
    }
}

fn prompt_entry(prompt: &PromptOffer) -> Prompt {
    let arguments = prompt.arguments.iter().map(|one| {
        PromptArgument::new(one.name.as_str()).with_description(one.about.as_str()).with_required(false)
    });
    Prompt::new(prompt.name.as_str(), Some(prompt.about.as_str()), Some(arguments.collect()))
}

fn tool_entry(tool: &ToolOffer) -> Tool {
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
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        first_page(params)?;
        Ok(ListPromptsResult::with_all_items(self.prompts.iter().map(prompt_entry).collect()))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (name, arguments) = (params.name, params.arguments.unwrap_or_default());
        let Some(prompt) = self.prompts.iter().find(|prompt| prompt.name == name) else {
            let known = self.prompts.iter().map(|prompt| prompt.name.as_str());
            return Err(error_data(&unknown_name("prompt", &name, known)));
        };
        check(&arguments, prompt.arguments.iter().map(|one| one.name.as_str()))
            .map_err(|why| error_data(&why))?;
        let about = prompt.about.clone();
        let got = self.work(format!("prompt {name}"), context, move |offer| offer.prompt(&name, &arguments));
        let text = got.await?.map_err(|why| error_data(&why))?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(about).into())
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        first_page(params)?;
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(tool_entry).collect()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, arguments) = (params.name.into_owned(), params.arguments.unwrap_or_default());
        let Some(tool) = self.tools.iter().find(|tool| tool.name == name) else {
            let known = self.tools.iter().map(|tool| tool.name.as_str());
            return Err(error_data(&unknown_name("tool", &name, known)));
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
            Ok(CallOutput { texts, structured }) => {
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
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        first_page(params)?;
        let resources = self.resources.iter().map(|one| {
            Resource::new(one.address.as_str(), one.name.as_str())
                .with_description(one.about.as_str())
                .with_mime_type(one.media_type.as_str())
        });
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let address = params.uri;
        let Some(resource) = self.resources.iter().find(|one| one.address == address) else {
            let refusal =
                unknown_name("resource", &address, self.resources.iter().map(|one| one.address.as_str()));
            return Err(ErrorData::resource_not_found(refusal.words(), Some(refusal.data())));
        };
        let media_type = resource.media_type.clone();
        let (what, uri) = (format!("resource {address}"), address.clone());
        let text = self.work(what, context, move |offer| offer.read(&address)).await?;
        let text = text.map_err(|why| error_data(&why))?;
        let contents = ResourceContents::text(text, uri).with_mime_type(media_type);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn on_custom_request(
        &self,
        params: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        const OURS: [&str; 6] =
            ["prompts/get", "prompts/list", "resources/list", "resources/read", "tools/call", "tools/list"];
        // A method that is known came here because of its parameters.
        if OURS.contains(&params.method.as_str()) {
            let what = format!("the parameters of `{}` have another shape", params.method);
            return Err(ErrorData::invalid_params(what, None));
        }
        let method: String = params.method.chars().take(80).collect();
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method: `{method}`"), None))
    }
}

// Messages as lines. One that is too long or no message is refused and the next one is read; requests of a client
// that does not read its answers wait.

/// The most unread answers before no more requests are read.
const UNREAD: usize = 64;

/// Both directions of one connection.
pub(super) struct LineTransport<R, W> {
    offer: Arc<dyn Offer>,
    read: BufReader<R>,
    /// The bytes of the current line so far.
    line: Vec<u8>,
    /// True: the current line is too long, and the rest of it is skipped.
    skipping: bool,
    /// True: the client has sent its version of the protocol.
    begun: bool,
    write: Arc<Mutex<W>>,
    /// Places for answers that are not written yet.
    room: Arc<Semaphore>,
    /// True: the client no longer reads.
    gone: watch::Sender<bool>,
    /// Refusals on their way.
    refusals: JoinSet<()>,
}

/// The result of reading a line.
enum LineEvent {
    Line(Vec<u8>),
    TooLong,
    End,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(offer: Arc<dyn Offer>, read: R, write: W) -> Self {
        LineTransport {
            offer,
            read: BufReader::new(read),
            line: Vec::new(),
            skipping: false,
            begun: false,
            write: Arc::new(Mutex::new(write)),
            room: Arc::new(Semaphore::new(UNREAD)),
            gone: watch::Sender::new(false),
            refusals: JoinSet::new(),
        }
    }

    /// Reads the next line. It may be cancelled: received bytes are kept for the next call.
    async fn next(&mut self) -> LineEvent {
        // A client with that many unread answers must read them first.
        drop(self.room.acquire().await);
        loop {
            let bytes = match self.read.fill_buf().await {
                Ok(bytes) => bytes,
                Err(error) => {
                    self.offer.note(&format!("cannot read on: {error}"));
                    return LineEvent::End;
                }
            };
            let is_end = bytes.is_empty();
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let taken = part.len() + usize::from(end.is_some());
            if self.skipping || self.line.len() + part.len() > LONGEST_MESSAGE {
                self.skipping = true;
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            self.read.consume(taken);
            match (end.is_some() || is_end, mem::take(&mut self.line)) {
                (true, _) if mem::take(&mut self.skipping) => return LineEvent::TooLong,
                (true, line) if is_end && line.is_empty() => return LineEvent::End,
                (true, line) => return LineEvent::Line(line),
                (false, line) => self.line = line,
            }
        }
    }

    /// Answers a line that is no message.
    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        self.offer.note(&format!("refused a line: {}", error.message));
        let sent = self.send(ServerJsonRpcMessage::error(error, id));
        while self.refusals.try_join_next().is_some() {}
        self.refusals.spawn(async move {
            // Where it cannot be written, `gone` is set.
            let _ = sent.await;
        });
    }

    /// Returns the id of a request before a beginning that has nothing of one: neither `initialize` nor a version of the protocol.
    fn too_early(&self, message: &ClientJsonRpcMessage) -> Option<RequestId> {
        let JsonRpcMessage::Request(request) = message else { return None };
        let is_early = match &request.request {
            ClientRequest::InitializeRequest(_)
            | ClientRequest::PingRequest(_)
            | ClientRequest::DiscoverRequest(_) => false,
            request => request.get_meta().protocol_version().is_none(),
        };
        (!self.begun && is_early).then(|| request.id.clone())
    }

    /// Returns false for a message that has no meaning before the client has begun.
    fn is_due(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if self.begun {
            return true;
        }
        match message {
            JsonRpcMessage::Request(request) => {
                self.begun = begins(&request.request);
                true
            }
            _ => false,
        }
    }
}

/// True for a request after which the connection is open.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

/// The id of an invalid message, if it is a request.
#[derive(Deserialize)]
struct UnansweredRequest {
    id: RequestId,
}

/// Returns the error response to an invalid message.
fn error_for_line(line: &[u8]) -> (Option<RequestId>, ErrorData) {
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(line) {
        return (None, ErrorData::parse_error(format!("not JSON: {error}"), None));
    }
    let id = serde_json::from_slice(line).ok().map(|UnansweredRequest { id }| id);
    if let Some(DuplicateKey { key, column, .. }) = duplicate_key::find(line) {
        let key: String = key.chars().take(80).collect();
        let what = format!("`{}` is duplicated: column {column}", escape_hidden(&key));
        return (id, ErrorData::invalid_request(what, None));
    }
    (id, ErrorData::invalid_request("not a message of JSON-RPC 2.0, alone on its line", None))
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Without a place it goes out all the same; it is the reading that waits.
        let place = self.room.clone().try_acquire_owned().ok();
        let (write, gone) = (self.write.clone(), self.gone.clone());
        async move {
            let mut bytes = serde_json::to_vec(&message)?;
            bytes.push(b'\n');
            let mut write = write.lock().await;
            let mut written = write.write_all(&bytes).await;
            if written.is_ok() {
                written = write.flush().await;
            }
            if written.is_err() {
                gone.send_replace(true);
            }
            drop(place);
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let mut gone = self.gone.subscribe();
        loop {
            let came = tokio::select! {
                _ = gone.wait_for(|gone| *gone) => {
                    self.offer.note("the client closed the connection");
                    return None;
                }
                came = self.next() => came,
            };
            match came {
                LineEvent::End => {
                    // `close` is not called for a client that never began: its refusals are sent first.
                    while self.refusals.join_next().await.is_some() {}
                    return None;
                }
                LineEvent::TooLong => {
                    let what =
                        format!("a message has at most {LONGEST_MESSAGE} bytes, and this one has more");
                    self.refuse(None, ErrorData::invalid_request(what, None));
                }
                LineEvent::Line(line) if line.trim_ascii().is_empty() => {}
                LineEvent::Line(line) => match serde_json::from_slice(&line) {
                    Ok(message) if duplicate_key::find(&line).is_none() => match self.too_early(&message) {
                        Some(id) => self.refuse(Some(id), ErrorData::invalid_params(NOT_BEGUN, None)),
                        None if self.is_due(&message) => return Some(message),
                        None => self.offer.note("passed over a message from before the beginning"),
                    },
                    _ => {
                        let (id, error) = error_for_line(&line);
                        self.refuse(id, error);
                    }
                },
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        while self.refusals.join_next().await.is_some() {}
        Ok(())
    }
}
