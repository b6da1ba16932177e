//! The exchange with a server over any transport: the handshake, the requests of the lists and of the wanted contents.

use crate::{
    QueryLimits,
    http::{HttpError, PostError},
    server_reply::PartialReply,
    text,
};
use preface_core::{
    causes::join_causes,
    diagnostic::DiagnosticCode,
    lint::character::{excerpt, floor_char_boundary},
    mcp_servers::{
        ContentRequest, DescribedArgument, DescribedPrompt, DescribedResource, DescribedTool, FetchedContent,
    },
};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ClientRequest, ClientResult, CustomRequest, ErrorCode,
        Implementation, ProtocolVersion, ServerNotification, ServerRequest,
    },
    service::{
        ClientInitializeError, NotificationContext, Peer, RequestContext, RunningService, Service,
        ServiceError,
    },
    transport::Transport,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

/// The reason why an exchange ended early.
#[derive(Debug)]
pub(crate) enum ExchangeError {
    /// The connection was closed.
    Closed,
    /// The transport failed, with its error message.
    Transport(String),
    /// The same, before the server sent anything.
    Unreached(String),
    /// The server refused a request.
    Refused(String),
    /// The server sent a message that violates the protocol.
    Violation(String),
}

/// The version of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handshake {
    /// In the way of 2026-07-28, or in the older one where the server does not know that.
    Either,
    /// In the way of 2026-07-28.
    Discover,
    /// In the older way.
    Initialize,
}

/// The most pages of a list. Each is a request, so their number is bounded.
const PAGES: usize = 100;

/// The time that a server on the network has to end the session.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// Runs the exchange with a server. Everything that was received is in `partial`, even if this ends early.
pub(crate) async fn run_exchange<T>(
    transport: T,
    handshake: Handshake,
    wants: &[ContentRequest],
    limits: &QueryLimits,
    partial: &mut PartialReply,
) -> Result<(), ExchangeError>
where
    T: Transport<RoleClient> + 'static,
{
    let mut service = shake_hands(transport, handshake).await?;
    let outcome = fetch_all(&service, wants, limits, partial).await;
    let _ = service.close_with_timeout(CLOSE_TIMEOUT).await;
    outcome
}

async fn shake_hands<T>(
    transport: T,
    handshake: Handshake,
) -> Result<RunningService<RoleClient, SilentClient>, ExchangeError>
where
    T: Transport<RoleClient> + 'static,
{
    let preferred_versions = ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .rev()
        .filter(|version| !version.has_initialize())
        .cloned()
        .collect();
    let mode = match handshake {
        Handshake::Either => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        },
        Handshake::Discover => ClientLifecycleMode::Discover { preferred_versions },
        Handshake::Initialize => ClientLifecycleMode::Initialize,
    };
    SilentClient.serve_with_lifecycle(transport, mode).await.map_err(convert_initialize_error)
}

async fn fetch_all(
    peer: &Peer<RoleClient>,
    wants: &[ContentRequest],
    limits: &QueryLimits,
    partial: &mut PartialReply,
) -> Result<(), ExchangeError> {
    let Some(info) = peer.peer_info() else {
        return Err(ExchangeError::Violation("it sent nothing after the handshake".to_owned()));
    };
    partial.protocol = Some(bounded_name(info.protocol_version.as_str()));
    partial.calls_itself =
        info.server_info.as_ref().map(|it| bounded_name(format!("{} {}", it.name, it.version).trim()));
    partial.described.instructions = read_instructions(info.instructions.as_deref(), partial);
    if info.capabilities.tools.is_some() {
        let items = fetch_list(peer, "tools", limits, partial).await?;
        partial.described.tools = read_tools(items, partial);
    }
    if info.capabilities.prompts.is_some() {
        let items = fetch_list(peer, "prompts", limits, partial).await?;
        partial.described.prompts = read_prompts(items, partial);
    }
    if info.capabilities.resources.is_some() {
        let items = fetch_list(peer, "resources", limits, partial).await?;
        partial.described.resources = read_resources(items, partial);
    }
    partial.listed = true;
    for want in wants {
        let answer = match want {
            ContentRequest::Prompt { name, arguments } => {
                request(peer, "prompts/get", json!({ "name": name, "arguments": arguments })).await
            }
            ContentRequest::Resource { uri } => request(peer, "resources/read", json!({ "uri": uri })).await,
        };
        match answer {
            Ok(answer) => {
                let texts = read_texts(want, &answer, limits.fetched, partial);
                if let Some(texts) = texts {
                    partial.described.fetched.push(FetchedContent { want: want.clone(), texts });
                }
            }
            Err(ExchangeError::Refused(why)) => partial.note(
                DiagnosticCode::McpRefused,
                format!("{want} is not given: {why}"),
                "the profile names it; check its name and arguments",
            ),
            Err(broken) => return Err(broken),
        }
    }
    Ok(())
}

/// Requests all pages of a list.
async fn fetch_list(
    peer: &Peer<RoleClient>,
    what: &'static str,
    limits: &QueryLimits,
    partial: &mut PartialReply,
) -> Result<Vec<Value>, ExchangeError> {
    let method = format!("{what}/list");
    let mut items = Vec::new();
    let mut cursors = BTreeSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES {
        let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let mut page = match request(peer, &method, params).await {
            Ok(page) => page,
            Err(ExchangeError::Refused(why)) => {
                partial.refused.push(what);
                let what = format!("it announces {what} and does not list them: {why}");
                partial.note(DiagnosticCode::McpRefused, what, "ask the server's operator");
                return Ok(items);
            }
            Err(broken) => return Err(broken),
        };
        let Some(Value::Array(more)) = page.get_mut(what).map(Value::take) else {
            return Err(ExchangeError::Violation(format!("`{method}` is answered without a list of {what}")));
        };
        items.extend(more);
        if items.len() > limits.items {
            items.truncate(limits.items);
            let what = format!("it lists more than {} {what}; the rest is left out", limits.items);
            partial.note(
                DiagnosticCode::McpProtocol,
                what,
                "let the server offer less, where it has a setting for that",
            );
            return Ok(items);
        }
        cursor = match page.get("nextCursor") {
            None | Some(Value::Null) => return Ok(items),
            Some(Value::String(next)) if next.is_empty() => return Ok(items),
            Some(Value::String(next)) if cursors.insert(next.clone()) => Some(next.clone()),
            Some(Value::String(_)) => {
                let what = format!("`{method}` leads in a circle: a cursor came twice; the rest is left out");
                partial.note(DiagnosticCode::McpProtocol, what, REMEDY);
                return Ok(items);
            }
            Some(_) => {
                return Err(ExchangeError::Violation(format!("`{method}` gives a cursor that is no text")));
            }
        };
    }
    let what = format!("its {what} have more than {PAGES} pages; the rest is left out");
    partial.note(
        DiagnosticCode::McpProtocol,
        what,
        "let the server offer less, where it has a setting for that",
    );
    Ok(items)
}

async fn request(peer: &Peer<RoleClient>, method: &str, params: Value) -> Result<Value, ExchangeError> {
    let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    match peer.send_request(request).await {
        // As plain JSON: a list is read item by item. One with a bad item is no list to the SDK, and comes as it was sent.
        Ok(result) => {
            serde_json::to_value(result).map_err(|error| ExchangeError::Violation(error.to_string()))
        }
        Err(ServiceError::McpError(error)) => Err(ExchangeError::Refused(refusal(&error))),
        Err(ServiceError::TransportSend(error)) => Err(convert_transport_error(error.error.as_ref())),
        Err(_) => Err(ExchangeError::Closed),
    }
}

fn convert_initialize_error(error: ClientInitializeError) -> ExchangeError {
    match error {
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::Cancelled => {
            ExchangeError::Closed
        }
        ClientInitializeError::TransportError { error, .. } => convert_transport_error(error.error.as_ref()),
        ClientInitializeError::JsonRpcError(error) => ExchangeError::Refused(refusal(&error)),
        // The error of the first attempt is expected; that of the fallback is reported.
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => convert_initialize_error(*fallback),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let theirs: Vec<&str> = server_supported.iter().map(ProtocolVersion::as_str).take(5).collect();
            ExchangeError::Violation(format!(
                "it supports no protocol version that preface supports: {}",
                theirs.join(", ")
            ))
        }
        _ => ExchangeError::Violation("the handshake is answered with something else".to_owned()),
    }
}

fn refusal(error: &ErrorData) -> String {
    let words = text::shown(error.message.as_bytes(), 200);
    if error.code == ErrorCode::METHOD_NOT_FOUND && words.is_empty() {
        return "it does not know the method".to_owned();
    }
    format!("{words} ({})", error.code.0)
}

/// Converts an error of the transport; a violation of the protocol is the server's.
fn convert_transport_error(error: &(dyn std::error::Error + 'static)) -> ExchangeError {
    match error.downcast_ref() {
        Some(HttpError::Client(PostError::Violation(what))) => ExchangeError::Violation(what.clone()),
        Some(HttpError::Io(error)) => ExchangeError::Transport(excerpt(join_causes(error).trim(), 300)),
        Some(HttpError::Client(error)) => ExchangeError::Transport(excerpt(error.to_string().trim(), 300)),
        _ => ExchangeError::Transport(excerpt(join_causes(error).trim(), 300)),
    }
}

// Requests of a server are refused, and nothing of the machine goes into the answer.

/// A client that offers nothing and ignores notifications.
pub(crate) struct SilentClient;

impl Service<RoleClient> for SilentClient {
    async fn handle_request(
        &self,
        request: ServerRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        match request {
            // A ping is answered: the connection is no secret.
            ServerRequest::PingRequest(_) => Ok(ClientResult::empty(())),
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, REFUSAL, None)),
        }
    }

    async fn handle_notification(
        &self,
        _: ServerNotification,
        _: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("preface", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
    }
}

/// The reply to every request of a server.
pub(crate) const REFUSAL: &str = "this client answers no requests";

// Reads what a server lists, item by item: a bad item is left out with a diagnostic and does not cost the others.

/// The longest name of a tool or a prompt, in bytes. Vendors stop at 64 or 128.
const NAME: usize = 256;

/// The longest address of a resource, in bytes.
const URI: usize = 4 << 10;

/// The longest description and the longest instructions, in bytes. A prompt takes less.
const TEXT: usize = 64 << 10;

const REMEDY: &str = "report it to the server's maintainers";

/// Returns a name for messages: short, without hidden characters.
pub(crate) fn bounded_name(name: &str) -> String {
    text::shown(name.as_bytes(), NAME / 2)
}

/// Reads the instructions.
pub(crate) fn read_instructions(text: Option<&str>, partial: &mut PartialReply) -> Option<String> {
    let text = text.filter(|text| !text.trim().is_empty())?;
    Some(bound_text(text, "its instructions are", partial))
}

/// Reads the tools.
pub(crate) fn read_tools(items: Vec<Value>, partial: &mut PartialReply) -> Vec<DescribedTool> {
    let mut names = BTreeSet::new();
    let mut read = |mut item: Value| {
        let name = read_name("tool", &item, "name", NAME, &mut names, partial)?;
        let input_schema = match item.get_mut("inputSchema").map(Value::take) {
            None | Some(Value::Null) => None,
            Some(schema @ Value::Object(_)) => Some(schema),
            Some(_) => {
                let what = format!("the tool `{}` is left out: its schema is no object", shown(&name));
                partial.note(DiagnosticCode::McpProtocol, what, REMEDY);
                return None;
            }
        };
        let description = read_description("tool", &name, &item, partial);
        Some(DescribedTool { name, description, input_schema })
    };
    items.into_iter().filter_map(&mut read).collect()
}

/// Reads the prompts.
pub(crate) fn read_prompts(items: Vec<Value>, partial: &mut PartialReply) -> Vec<DescribedPrompt> {
    let mut names = BTreeSet::new();
    let mut read = |item: Value| {
        let name = read_name("prompt", &item, "name", NAME, &mut names, partial)?;
        let description = read_description("prompt", &name, &item, partial);
        let mut taken = BTreeSet::new();
        let arguments = item.get("arguments").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let arguments = arguments
            .iter()
            .filter_map(|argument| {
                let what = format!("argument of the prompt `{}`", shown(&name));
                let name = read_name(&what, argument, "name", NAME, &mut taken, partial)?;
                let description = read_description(&what, &name, argument, partial);
                let required = argument.get("required").and_then(Value::as_bool).unwrap_or(false);
                Some(DescribedArgument { name, description, required })
            })
            .collect();
        Some(DescribedPrompt { name, description, arguments })
    };
    items.into_iter().filter_map(&mut read).collect()
}

/// Reads the resources.
pub(crate) fn read_resources(items: Vec<Value>, partial: &mut PartialReply) -> Vec<DescribedResource> {
    let mut uris = BTreeSet::new();
    let mut read = |item: Value| {
        let uri = read_name("resource", &item, "uri", URI, &mut uris, partial)?;
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        let name = text("name").unwrap_or_default();
        let name = if name.len() > NAME { bounded_name(name) } else { name.to_owned() };
        let mime_type = text("mimeType").filter(|it| it.len() <= NAME).map(str::to_owned);
        let description = read_description("resource", &uri, &item, partial);
        Some(DescribedResource { uri, name, description, mime_type })
    };
    items.into_iter().filter_map(&mut read).collect()
}

/// Reads the texts of a wanted content. `None` if the answer is of another shape.
pub(crate) fn read_texts(
    want: &ContentRequest,
    answer: &Value,
    at_most: usize,
    partial: &mut PartialReply,
) -> Option<Vec<String>> {
    let (list, part): (&str, fn(&Value) -> Option<&str>) = match want {
        ContentRequest::Prompt { .. } => ("messages", message_text),
        ContentRequest::Resource { .. } => ("contents", |part| part.get("text")?.as_str()),
    };
    let Some(parts) = answer.get(list).and_then(Value::as_array) else {
        partial.note(DiagnosticCode::McpProtocol, format!("{want} is answered without {list}"), REMEDY);
        return None;
    };
    let mut texts = Vec::new();
    let (mut taken, mut other) = (0, 0);
    for each in parts {
        let Some(text) = part(each) else {
            other += 1;
            continue;
        };
        taken += text.len();
        if taken > at_most {
            let what = format!("{want} is longer than {at_most} bytes; it is left out");
            partial.note(DiagnosticCode::McpCut, what, "ask the server for less");
            return None;
        }
        texts.push(text.to_owned());
    }
    if other > 0 {
        let what = format!("{want} has {other} parts that are no text; they are left out");
        partial.note(DiagnosticCode::McpProtocol, what, "only text can be in a prompt");
    }
    Some(texts)
}

/// Returns the text of a message of a prompt, whose content is one part, or a resource that is a text.
fn message_text(message: &Value) -> Option<&str> {
    let content = message.get("content")?;
    content.get("text").or_else(|| content.get("resource")?.get("text"))?.as_str()
}

/// Reads the name of an item. `None`, and a diagnostic, where it is missing, invalid, or a duplicate.
fn read_name(
    what: &str,
    item: &Value,
    key: &str,
    longest: usize,
    seen: &mut BTreeSet<String>,
    partial: &mut PartialReply,
) -> Option<String> {
    let wrong = match item.get(key) {
        Some(Value::String(name)) if name.trim().is_empty() => format!("its {key} is empty"),
        Some(Value::String(name)) if name.len() > longest => {
            format!("its {key} has {} bytes: `{}`", name.len(), shown(name))
        }
        Some(Value::String(name)) if name.chars().any(char::is_control) => {
            format!("its {key} holds control characters: `{}`", shown(name))
        }
        Some(Value::String(name)) if !seen.insert(name.clone()) => {
            let what = format!("the {what} `{}` comes twice; the first is kept", shown(name));
            partial.note(DiagnosticCode::McpProtocol, what, REMEDY);
            return None;
        }
        Some(Value::String(name)) => return Some(name.clone()),
        Some(_) => format!("its {key} is no text"),
        None => format!("it has no {key}"),
    };
    partial.note(DiagnosticCode::McpProtocol, format!("a {what} is left out: {wrong}"), REMEDY);
    None
}

fn read_description(what: &str, name: &str, item: &Value, partial: &mut PartialReply) -> Option<String> {
    let text = item.get("description")?.as_str()?;
    Some(bound_text(text, &format!("the description of the {what} `{}` is", shown(name)), partial))
}

/// Cuts a text that is longer than any useful one.
fn bound_text(text: &str, what_is: &str, partial: &mut PartialReply) -> String {
    if text.len() <= TEXT {
        return text.to_owned();
    }
    let end = floor_char_boundary(text, TEXT);
    let what = format!("{what_is} {} bytes long; {end} are kept", text.len());
    partial.note(DiagnosticCode::McpCut, what, REMEDY);
    text[..end].to_owned()
}

fn shown(name: &str) -> String {
    text::shown(name.as_bytes(), 80)
}
