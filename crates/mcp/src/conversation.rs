//! The conversation with a server, whichever way it is reached: shake hands, ask for the lists, ask for what is wanted.

use crate::{Limits, http::PostError, nobody::Nobody, reading, story::Story};
use preface_core::mcp_servers::{Fetched, Want};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt, RoleClient,
    model::{ClientRequest, CustomRequest, ErrorCode, ProtocolVersion, ServerResult},
    service::{ClientInitializeError, Peer, RunningService, ServiceError},
    transport::Transport,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

/// Why a conversation ended early.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The connection closed.
    Closed,
    /// The way to the server failed: the words of whoever builds it.
    Way(String),
    /// The same, before it had said anything.
    Unreached(String),
    /// It said no.
    Refused(String),
    /// It said what no server says.
    Lied(String),
}

/// How the handshake is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handshake {
    /// In the way of 2026-07-28, or in the older one where the server does not know that.
    Either,
    /// In the way of 2026-07-28.
    Discover,
    /// In the older way.
    Initialize,
}

/// How many pages a list may have. Each is a question, so that a server that answers few items at a time is not asked for
/// ever.
const PAGES: usize = 100;

/// How long a server that was reached over the network has to say goodbye.
const GOODBYE: Duration = Duration::from_millis(500);

/// Talks to a server. What it says is in the story, also where this ends early.
pub(crate) async fn converse<T>(
    transport: T,
    handshake: Handshake,
    wants: &[Want],
    limits: &Limits,
    story: &mut Story,
) -> Result<(), Broken>
where
    T: Transport<RoleClient> + 'static,
{
    let mut service = shake_hands(transport, handshake).await?;
    let told = ask(&service, wants, limits, story).await;
    let _ = service.close_with_timeout(GOODBYE).await;
    told
}

async fn shake_hands<T>(
    transport: T,
    handshake: Handshake,
) -> Result<RunningService<RoleClient, Nobody>, Broken>
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
    Nobody.serve_with_lifecycle(transport, mode).await.map_err(not_begun)
}

async fn ask(
    peer: &Peer<RoleClient>,
    wants: &[Want],
    limits: &Limits,
    story: &mut Story,
) -> Result<(), Broken> {
    let Some(info) = peer.peer_info() else {
        return Err(Broken::Lied("it shook hands and said nothing".to_owned()));
    };
    story.protocol = Some(reading::bounded_name(info.protocol_version.as_str()));
    story.calls_itself = info
        .server_info
        .as_ref()
        .map(|it| reading::bounded_name(format!("{} {}", it.name, it.version).trim()));
    story.described.instructions = reading::instructions(info.instructions.as_deref(), story);
    if info.capabilities.tools.is_some() {
        let items = list(peer, "tools", limits, story).await?;
        story.described.tools = reading::tools(items, story);
    }
    if info.capabilities.prompts.is_some() {
        let items = list(peer, "prompts", limits, story).await?;
        story.described.prompts = reading::prompts(items, story);
    }
    if info.capabilities.resources.is_some() {
        let items = list(peer, "resources", limits, story).await?;
        story.described.resources = reading::resources(items, story);
    }
    story.listed = true;
    for want in wants {
        let answer = match want {
            Want::Prompt { name, arguments } => {
                request(peer, "prompts/get", json!({ "name": name, "arguments": arguments })).await
            }
            Want::Resource { uri } => request(peer, "resources/read", json!({ "uri": uri })).await,
        };
        match answer {
            Ok(answer) => {
                let texts = reading::texts(want, &answer, limits.fetched, story);
                if let Some(texts) = texts {
                    story.described.fetched.push(Fetched { want: want.clone(), texts });
                }
            }
            Err(Broken::Refused(why)) => story.note(
                "mcp/refused",
                format!("{want} is not given: {why}"),
                "the profile names it; check its name and arguments",
            ),
            Err(broken) => return Err(broken),
        }
    }
    Ok(())
}

/// Asks for all pages of a list.
async fn list(
    peer: &Peer<RoleClient>,
    what: &str,
    limits: &Limits,
    story: &mut Story,
) -> Result<Vec<Value>, Broken> {
    let method = format!("{what}/list");
    let mut items = Vec::new();
    let mut cursors = BTreeSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES {
        let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let mut page = match request(peer, &method, params).await {
            Ok(page) => page,
            Err(Broken::Refused(why)) => {
                let what = format!("it announces {what} and does not list them: {why}");
                story.note("mcp/refused", what, "ask whoever runs the server");
                return Ok(items);
            }
            Err(broken) => return Err(broken),
        };
        let Some(Value::Array(more)) = page.get_mut(what).map(Value::take) else {
            return Err(Broken::Lied(format!("`{method}` is answered without a list of {what}")));
        };
        items.extend(more);
        if items.len() > limits.items {
            items.truncate(limits.items);
            let what = format!("it lists more than {} {what}; the rest is left out", limits.items);
            story.note("mcp/too-many", what, "let the server offer less, where it has a setting for that");
            return Ok(items);
        }
        cursor = match page.get("nextCursor") {
            None | Some(Value::Null) => return Ok(items),
            Some(Value::String(next)) if cursors.insert(next.clone()) => Some(next.clone()),
            Some(Value::String(_)) => {
                return Err(Broken::Lied(format!("`{method}` leads in a circle: a cursor came twice")));
            }
            Some(_) => return Err(Broken::Lied(format!("`{method}` gives a cursor that is no text"))),
        };
    }
    let what = format!("its {what} have more than {PAGES} pages; the rest is left out");
    story.note("mcp/too-many", what, "let the server offer less, where it has a setting for that");
    Ok(items)
}

async fn request(peer: &Peer<RoleClient>, method: &str, params: Value) -> Result<Value, Broken> {
    let asked = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    match peer.send_request(asked).await {
        Ok(ServerResult::CustomResult(result)) => Ok(result.0),
        Ok(_) => Err(Broken::Lied(format!("`{method}` is answered with something else"))),
        Err(ServiceError::McpError(error)) => Err(Broken::Refused(refusal(&error))),
        Err(ServiceError::TransportSend(error)) => Err(on_the_way(error.error.as_ref())),
        Err(_) => Err(Broken::Closed),
    }
}

fn not_begun(error: ClientInitializeError) -> Broken {
    match error {
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::Cancelled => Broken::Closed,
        ClientInitializeError::TransportError { error, .. } => on_the_way(error.error.as_ref()),
        ClientInitializeError::JsonRpcError(error) => Broken::Refused(refusal(&error)),
        // What the first way said is expected there; the second is what went wrong.
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => not_begun(*fallback),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let theirs: Vec<&str> = server_supported.iter().map(ProtocolVersion::as_str).take(5).collect();
            Broken::Lied(format!("it speaks no version that we do: {}", theirs.join(", ")))
        }
        _ => Broken::Lied("the handshake is answered with something else".to_owned()),
    }
}

fn refusal(error: &rmcp::ErrorData) -> String {
    let words = crate::words::shown(error.message.as_bytes(), 200);
    if error.code == ErrorCode::METHOD_NOT_FOUND && words.is_empty() {
        return "it does not know the method".to_owned();
    }
    format!("{words} ({})", error.code.0)
}

/// What went wrong on the way: what a server sends there that none sends is a lie of its.
fn on_the_way(error: &(dyn std::error::Error + 'static)) -> Broken {
    match error.downcast_ref() {
        Some(PostError::Lie(what)) => Broken::Lied(what.clone()),
        _ => Broken::Way(chain(error)),
    }
}

/// An error with what is behind it, in one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(behind) = source {
        let more = behind.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        source = behind.source();
    }
    crate::words::shown(words.as_bytes(), 300)
}
