//! The requests of conversations: bodies for a service, recorded by digests, and what the service counted.

use crate::{App, HandlerResult, JsonBody, PathValues, Problem, caller::Caller, options};
use axum::{Json, extract::State, http::StatusCode};
use preface_core::{
    attachment::PlacedAttachment,
    diagnostic::Diagnostics,
    format::{self, CachePlan, PrefixComparison, RequestUsage},
    message::Message,
};
use preface_engine::{
    BuildOptions,
    conversation::{RequestInput, RequestSummary},
    store::ConversationId,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};
use std::sync::Arc;
use utoipa::ToSchema;

/// The most characters of a lifetime.
const NAME: usize = 4096;

/// The next request of a conversation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestBody {
    /// The format of the body: `anthropic`, `openai-responses`, `openai-chat`, `openai-compatible`, `gemini` or
    /// `bedrock-converse`.
    format: String,
    /// The whole history, oldest message first, in the neutral form, Anthropic's or OpenAI's.
    #[schema(value_type = Vec<Object>, max_items = 100_000)]
    messages: Vec<Map<String, Value>>,
    /// The options of this request: `model` and `tools`, those of the stored prompt where they are left out, and `events`, which
    /// can be reminders. All others belong to a turn, a refresh or a compaction.
    #[serde(default, deserialize_with = "preface_engine::json_input::object")]
    options: BuildOptions,
    /// The most tokens of the answer.
    #[serde(default, deserialize_with = "preface_engine::json_input::optional")]
    #[schema(minimum = 1)]
    max_output_tokens: Option<u64>,
    /// The lifetime of the cache marks as the service writes it, such as `1h`; default: that of the model.
    #[schema(max_length = 4096)]
    cache_ttl: Option<String>,
    /// The instructions that a compaction returned. They are behind the prompt in this request alone; `messages` are those
    /// that the model is to summarize. The next request has the summary in their place.
    instructions: Option<String>,
}

/// A request that is ready to be sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct RequestReply {
    /// The conversation.
    #[schema(value_type = String)]
    conversation_id: ConversationId,
    /// The number of the request in the conversation, from 1.
    number: u64,
    /// The revision of the stored prompt.
    revision: u64,
    /// The body to send.
    #[schema(value_type = Object)]
    body: Box<RawValue>,
    /// What the service caches of it.
    cache: Option<CachePlan>,
    /// The attachments that got their place in this request. They are recorded and are in every later request.
    attachments: Vec<PlacedAttachment>,
    /// The comparison with the request before; null for the first one.
    comparison: Option<PrefixComparison>,
    /// Diagnostics.
    #[schema(value_type = Vec<preface_core::diagnostic::Diagnostic>)]
    diagnostics: Diagnostics,
}

/// The recorded requests of a conversation.
#[derive(Debug, Serialize, ToSchema)]
pub struct RequestList {
    /// The requests, the first one first.
    items: Vec<RequestSummary>,
}

/// Formats the next request of a conversation and records its digests: the stored prompt, the tools and reminders of this turn,
/// and the messages. Reminders of earlier requests stay in their places.
#[utoipa::path(
    post, path = "/conversations/{id}/requests", tag = "conversations", operation_id = "request",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255)),
    request_body = RequestBody,
    responses(
        (status = 201, body = RequestReply, description = "The body to send, and how it extends the request before"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "The conversation does not exist"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "The stored prompt includes text of a project whose trust was declined or revoked on this node (`trust-changed`)"),
        (status = 422, body = Problem, content_type = "application/problem+json", description = "The format does not exist, a message is not valid, or tools and reminders cannot be built"),
    ),
)]
pub async fn request(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    Caller(actor): Caller,
    JsonBody(body): JsonBody<RequestBody>,
) -> HandlerResult<(StatusCode, Json<RequestReply>)> {
    let RequestBody { format, messages, options, max_output_tokens, cache_ttl, instructions } = body;
    let Some(format) = format::services().find(|service| service.name == format) else {
        let names: Vec<String> = format::services().map(|format| format!("`{}`", format.name)).collect();
        let detail = "`format` is not the format of a service";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "format", detail)
            .help(format!("formats are {}", names.join(", "))));
    };
    let long = |text: &String| text.chars().count() > NAME || text.contains('\0');
    if cache_ttl.as_ref().is_some_and(long) {
        let detail = format!("`cache_ttl` is longer than {NAME} characters or contains U+0000");
        return Err(Problem::new(StatusCode::BAD_REQUEST, "field", detail));
    }
    let messages = messages.into_iter().enumerate().map(|(at, fields)| {
        Message::new(fields).map_err(|fault| {
            let detail = format!("message {at}: {fault}");
            let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "messages", detail);
            match fault.help {
                Some(help) => problem.help(help),
                None => problem,
            }
        })
    });
    let messages = messages.collect::<Result<Vec<Message>, Problem>>()?;
    let mut options = options::of_client(options, app.settings.home_trust)?;
    let (model, events) = (options.model.take(), std::mem::take(&mut options.events));
    let of_request = BuildOptions {
        tools: options.tools.clone(),
        home_trust: options.home_trust,
        ..BuildOptions::default()
    };
    if options != of_request {
        let detail = "a request takes the options `model`, `tools` and `events`";
        return Err(Problem::new(StatusCode::BAD_REQUEST, "option", detail)
            .help("the others belong to a turn, a refresh or a compaction"));
    }
    let input = RequestInput {
        model,
        messages,
        events,
        max_output_tokens,
        cache_ttl,
        instructions,
        ..RequestInput::new(format)
    };
    let result = app.service.request(&id, &options, input, &actor).await?;
    app.metrics.count_format(result.comparison.as_ref().is_none_or(|comparison| comparison.extends));
    let body = RawValue::from_string(result.body).map_err(|error| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "record", format!("the body is not JSON: {error}"))
    })?;
    let reply = RequestReply {
        conversation_id: id,
        number: result.number,
        revision: result.head.revision.revision,
        body,
        cache: result.cache,
        attachments: result.attachments,
        comparison: result.comparison,
        diagnostics: result.diagnostics,
    };
    Ok((StatusCode::CREATED, Json(reply)))
}

/// Lists the recorded requests of a conversation, with how far each extends the one before.
#[utoipa::path(
    get, path = "/conversations/{id}/requests", tag = "conversations", operation_id = "requests",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255)),
    responses(
        (status = 200, body = RequestList, description = "The requests"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "The conversation does not exist"),
    ),
)]
pub async fn list(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
) -> HandlerResult<Json<RequestList>> {
    Ok(Json(RequestList { items: app.service.request_summaries(&id).await? }))
}

/// Adds to a request what the service counted: its `usage` (`usageMetadata` of Gemini) as it is.
#[utoipa::path(
    post, path = "/conversations/{id}/requests/{number}/usage", tag = "conversations", operation_id = "usage",
    params(
        ("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255),
        ("number" = u64, Path, description = "The number of the request"),
    ),
    request_body(content = Object, description = "The numbers of the service"),
    responses(
        (status = 200, body = RequestUsage, description = "The numbers as they are recorded"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "The conversation or the request does not exist"),
        (status = 422, body = Problem, content_type = "application/problem+json", description = "No number of input tokens is in the body"),
    ),
)]
pub async fn usage(
    State(app): State<Arc<App>>,
    PathValues((id, number)): PathValues<(ConversationId, u64)>,
    JsonBody(body): JsonBody<Map<String, Value>>,
) -> HandlerResult<Json<RequestUsage>> {
    let usage = RequestUsage::read(&Value::Object(body)).ok_or_else(|| {
        let detail = "the body has no number of input tokens, or a smaller one than of cached tokens";
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "usage", detail)
            .help("send `usage` of the answer (`usageMetadata` of Gemini) as it is")
    })?;
    app.service.set_usage(&id, number, usage).await?;
    app.metrics.count_usage(usage);
    Ok(Json(usage))
}
