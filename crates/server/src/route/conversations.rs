//! The prompts of conversations: built on the first turn, read on later ones, built again at a compaction.

use crate::{
    App, ConstructOutcome, HandlerResult, JsonBody, MaybeBody, PageQuery, Paged, PathValues, Problem,
    QueryValues,
    caller::Caller,
    options,
    precondition::{if_match, if_none_match, insists},
    prompt_reply::{CachedPrompt, PromptReply, tag, tagged},
    work::aborted,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use jiff::{Timestamp, ToSpan};
use preface_core::{diagnostic::Diagnostics, diff::Difference, document::Document};
use preface_engine::{
    BuildOptions,
    conversation::{ConversationError, Refresh, TurnResult, UsedValue},
    store::{
        ConstructReason, ConversationId, Filter, List, PromptSummary, Revision, TemplateName, TemplateUsed,
        format_instant,
    },
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tracing::Instrument;
use utoipa::{IntoParams, ToSchema};

/// The prompt that a turn asks for. It is used on the first turn, by a compaction and by a refresh.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnBody {
    /// The options of the prompt. `directory` may be left out where the service has one root; `preset` is that of the service
    /// where it is left out.
    #[serde(default, deserialize_with = "preface_engine::json_input::object")]
    options: BuildOptions,
}

/// The changed options of the prompt, and the instructions of the compaction.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompactionBody {
    /// The options of the prompt that change.
    #[serde(default, deserialize_with = "preface_engine::json_input::object")]
    options: BuildOptions,
    /// The instructions for the summary; default: those of the profile.
    instructions: Option<String>,
}

/// The prompt of a compaction.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompactionReply {
    /// `system_prompt` is that of the compaction's own request: the instructions are after the prompt. What later turns
    /// get is the prompt without them.
    #[serde(flatten)]
    prompt: PromptReply,
    /// The instructions alone.
    instructions: String,
}

/// The result of a refresh.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefreshReply {
    /// The stored prompt.
    #[serde(flatten)]
    prompt: PromptReply,
    /// The difference from the earlier prompt.
    difference: Difference,
}

/// The mode of a refresh.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RefreshQuery {
    /// If true, the difference is returned and nothing is stored.
    #[serde(default)]
    dry_run: bool,
}

/// The origins of a stored prompt.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExplainReply {
    /// The prompt.
    prompt: PromptReply,
    /// The parts with the origin of every byte, as printed by `preface explain --format json`.
    document: Document,
    /// The used variables; digests instead of values.
    variables: Vec<UsedValue>,
    /// The request that the prompt was built for.
    options: BuildOptions,
}

/// A conversation, and what its prompt was built for.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationItem {
    /// The id.
    #[schema(value_type = String, min_length = 1, max_length = 255)]
    pub(crate) conversation_id: ConversationId,
    /// Counts from 1 with each prompt of the conversation.
    pub(crate) revision: u64,
    /// The digest of the stored prompt.
    #[schema(pattern = "^blake3:[0-9a-f]+$")]
    fingerprint: String,
    /// The length of the prompt in bytes.
    bytes: u64,
    /// The directory it was built for.
    cwd: String,
    /// The model it was built for.
    #[schema(required)]
    model: Option<String>,
    /// The profile it was built by.
    preset: String,
    /// The template it was built from.
    #[schema(required)]
    template: Option<TemplateUsed>,
    /// The reason for the build.
    reason: ConstructReason,
    /// When the conversation began.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the prompt was built.
    #[schema(format = DateTime)]
    constructed_at: String,
}

impl From<&PromptSummary> for ConversationItem {
    fn from(head: &PromptSummary) -> Self {
        ConversationItem {
            conversation_id: head.id.clone(),
            revision: head.revision.revision,
            fingerprint: head.fingerprint.clone(),
            bytes: head.bytes,
            cwd: head.cwd.clone(),
            model: head.model.clone(),
            preset: head.preset.clone(),
            template: head.template.clone(),
            reason: head.reason,
            created_at: format_instant(head.created_at),
            constructed_at: format_instant(head.constructed_at),
        }
    }
}

/// A prompt that was replaced.
#[derive(Debug, Serialize, ToSchema)]
pub struct HistoryItem {
    /// The text.
    #[serde(flatten)]
    was: ConversationItem,
    /// The text.
    system_prompt: String,
    /// The time of its replacement.
    #[schema(format = DateTime)]
    replaced_at: String,
}

/// Which conversations.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Only conversations whose id has this prefix.
    prefix: Option<String>,
    /// Only conversations built from the template of this name.
    #[param(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    template: Option<String>,
}

/// Which conversations are old.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PurgeBody {
    /// Only conversations without a turn or a request for this number of seconds.
    #[serde(deserialize_with = "preface_engine::json_input::number")]
    #[schema(format = Int64, maximum = 4_294_967_295u64)]
    older_than_seconds: u32,
    /// If true, nothing is deleted.
    #[serde(default)]
    dry_run: bool,
}

/// The result of a deletion.
#[derive(Debug, Serialize, ToSchema)]
pub struct PurgeReply {
    /// The number of conversations.
    purged: u64,
}

/// Returns the prompt of a conversation: the first turn builds and stores it (201), every later one gets the same bytes
/// (200).
#[utoipa::path(
    post, path = "/conversations/{id}/turns", tag = "conversations", operation_id = "turn",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255)),
    request_body(content = Option<TurnBody>, description = "Optional"),
    responses(
        (status = 201, body = PromptReply, description = "Built and stored by this request", headers(("ETag" = String, description = "Identifies this revision of the conversation"))),
        (status = 200, body = PromptReply, description = "The stored prompt", headers(("ETag" = String, description = "Identifies this revision of the conversation"))),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "The stored prompt includes text of a project whose trust was declined or revoked on this node (`trust-changed`)"),
        (status = 422, body = Problem, content_type = "application/problem+json", description = "The template or preset does not exist, or the prompt cannot be built"),
    ),
)]
pub async fn turn(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    Caller(actor): Caller,
    MaybeBody(body): MaybeBody<TurnBody>,
) -> HandlerResult<Response> {
    let mut options = options::of_client(body.options, app.settings.home_trust)?;
    if let Some(at_hand) = read_prompt(&app, &id).await? {
        let turned = app.service.later_turn(&at_hand.head, &options, &actor).await?;
        if turned.constructed {
            app.metrics.count_construction(ConstructOutcome::Refreshed);
            app.prompts.drop(&id);
            return reply_to_turn(&app, turned).await;
        }
        if turned.diagnostics.is_empty() {
            return Ok(at_hand.response());
        }
        return Ok(tagged(StatusCode::OK, at_hand.head.revision, &at_hand.reply(turned.diagnostics)));
    }
    // Clients remove these segments from an address, so a prompt built here could not be requested.
    if matches!(id.as_str(), "." | "..") {
        let detail = format!("invalid conversation id: `{id}`; HTTP clients remove it from a path");
        return Err(Problem::new(StatusCode::BAD_REQUEST, "path", detail).help("use another id"));
    }
    options.preset.get_or_insert_with(|| app.settings.preset.clone());
    // What was begun is stored, also where the client has gone away: its next attempt finds it.
    let service = app.clone();
    let build = async move {
        let turned = service.service.first_turn(&id, &options, &actor).await;
        count_outcome(&service, turned, |turned| match turned.constructed {
            true => Some(ConstructOutcome::Created),
            false => Some(ConstructOutcome::Raced),
        })
    };
    let turned = tokio::spawn(build.in_current_span()).await.map_err(|_| aborted())??;
    reply_to_turn(&app, turned).await
}

async fn reply_to_turn(app: &App, turned: TurnResult) -> HandlerResult<Response> {
    let status = if turned.constructed { StatusCode::CREATED } else { StatusCode::OK };
    let reply = PromptReply::of(&turned.head, turned.constructed, turned.diagnostics);
    let reply = reply.with_attachments(&**app.service.store()).await?;
    Ok(tagged(status, turned.head.revision, &reply))
}

/// Returns the stored prompt, without building one.
#[utoipa::path(
    get, path = "/conversations/{id}/system-prompt", tag = "conversations", operation_id = "prompt",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255), ("If-None-Match" = Option<String>, Header, description = "The ETag of a cached revision")),
    responses(
        (status = 200, body = PromptReply, description = "The stored prompt", headers(("ETag" = String, description = "Identifies this revision of the conversation"))),
        (status = 304, description = "Not modified: `If-None-Match` has the current ETag"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "The conversation does not exist"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "The stored prompt includes text of a project whose trust was declined or revoked on this node (`trust-changed`)"),
    ),
)]
pub async fn system_prompt(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let at_hand = read_prompt(&app, &id).await?.ok_or(ConversationError::Unknown(id))?;
    app.service.check_trust(&at_hand.head, &BuildOptions::default()).await?;
    if if_none_match(&headers, at_hand.tag()) {
        return Ok(
            (StatusCode::NOT_MODIFIED, [(axum::http::header::ETAG, at_hand.tag().clone())]).into_response()
        );
    }
    Ok(at_hand.response())
}

/// Rebuilds the prompt, stores it, and returns it with the compaction's instructions after it.
///
/// Each of several requests at the same time may build one: each answer is a prompt that was stored as a revision of its own,
/// or the one that another request stored meanwhile. With `If-Match` exactly one is done, and the others are refused with 412.
#[utoipa::path(
    post, path = "/conversations/{id}/compactions", tag = "conversations", operation_id = "compact",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255), ("If-Match" = Option<String>, Header, description = "The ETag of the revision that the request is based on; without it the request is unconditional")),
    request_body(content = Option<CompactionBody>, description = "Optional; a value overrides the earlier one"),
    responses(
        (status = 200, body = CompactionReply, description = "The stored prompt, and the instructions of the compaction", headers(("ETag" = String, description = "Identifies this revision of the conversation"))),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "The conversation does not exist"),
        (status = 412, body = Problem, content_type = "application/problem+json", description = "The stored prompt has another revision than `If-Match`"),
        (status = 422, body = Problem, content_type = "application/problem+json", description = "The template or preset does not exist, or the prompt cannot be built"),
    ),
)]
pub async fn compact(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    Caller(actor): Caller,
    headers: HeaderMap,
    MaybeBody(body): MaybeBody<CompactionBody>,
) -> HandlerResult<Response> {
    let CompactionBody { options, instructions } = body;
    let options = options::of_client(options, app.settings.home_trust)?;
    let expected = expected_revision(&app, &id, &headers).await?;
    let compacted = app.service.compact(&id, &options, expected, &actor).await;
    let mut compacted = count_outcome(&app, compacted, |compacted| {
        compacted.constructed.then_some(ConstructOutcome::Compacted)
    })?;
    app.prompts.drop(&id);
    if let Some(instructions) = instructions {
        compacted.instructions = instructions;
    }
    let text = compacted.system_prompt();
    let prompt =
        PromptReply::of(&compacted.head, compacted.constructed, compacted.diagnostics).with_text(text);
    let prompt = prompt.with_attachments(&**app.service.store()).await?;
    let reply = CompactionReply { prompt, instructions: compacted.instructions };
    Ok(tagged(StatusCode::OK, compacted.head.revision, &reply))
}

/// Rebuilds the prompt outside of a compaction and returns the difference. An identical prompt is not stored again, unless
/// the directory, model, preset or template of the request changed.
#[utoipa::path(
    post, path = "/conversations/{id}/refresh", tag = "conversations", operation_id = "refresh",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255), ("If-Match" = Option<String>, Header, description = "The ETag of the revision that the request is based on; without it the request is unconditional"), RefreshQuery),
    request_body(content = Option<TurnBody>, description = "Optional; a value overrides the earlier one"),
    responses(
        (status = 200, body = RefreshReply, description = "The stored prompt, and its difference from the earlier one", headers(("ETag" = String, description = "Identifies this revision of the conversation"))),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "The conversation does not exist"),
        (status = 412, body = Problem, content_type = "application/problem+json", description = "The stored prompt has another revision than `If-Match`"),
        (status = 422, body = Problem, content_type = "application/problem+json", description = "The template or preset does not exist, or the prompt cannot be built"),
    ),
)]
pub async fn refresh(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    QueryValues(query): QueryValues<RefreshQuery>,
    Caller(actor): Caller,
    headers: HeaderMap,
    MaybeBody(body): MaybeBody<TurnBody>,
) -> HandlerResult<Response> {
    let options = options::of_client(body.options, app.settings.home_trust)?;
    let expected = expected_revision(&app, &id, &headers).await?;
    let how = if query.dry_run { Refresh::Show } else { Refresh::Keep };
    let refreshed = app.service.refresh(&id, &options, how, expected, &actor).await;
    let refreshed = count_outcome(&app, refreshed, |refreshed| {
        refreshed.constructed.then_some(ConstructOutcome::Refreshed)
    })?;
    app.prompts.drop(&id);
    let prompt = PromptReply::of(&refreshed.head, refreshed.constructed, refreshed.diagnostics);
    let prompt = prompt.with_attachments(&**app.service.store()).await?;
    let reply = RefreshReply { prompt, difference: refreshed.difference };
    Ok(tagged(StatusCode::OK, refreshed.head.revision, &reply))
}

/// Returns the origin of every byte of the stored prompt.
#[utoipa::path(
    get, path = "/conversations/{id}/explain", tag = "conversations", operation_id = "explain",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255)),
    responses(
        (status = 200, body = ExplainReply, description = "The origins of the prompt", headers(("ETag" = String, description = "Identifies this revision of the conversation"))),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "The conversation does not exist"),
    ),
)]
pub async fn explain(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
) -> HandlerResult<Response> {
    let explained = app.service.explain(&id).await?;
    let revision = explained.head.revision;
    let prompt = PromptReply::of(&explained.head, false, Diagnostics::new());
    let prompt = prompt.with_attachments(&**app.service.store()).await?;
    let reply = ExplainReply {
        prompt,
        document: explained.document,
        variables: explained.variables,
        options: explained.options,
    };
    Ok(tagged(StatusCode::OK, revision, &reply))
}

/// Lists the earlier prompts of a conversation, newest first.
#[utoipa::path(
    get, path = "/conversations/{id}/history", tag = "conversations", operation_id = "history",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255), PageQuery),
    responses(
        (status = 200, body = Paged<HistoryItem>, description = "A page of prompts"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "The conversation does not exist"),
    ),
)]
pub async fn history(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    QueryValues(page): QueryValues<PageQuery>,
) -> HandlerResult<Json<Paged<HistoryItem>>> {
    let request = page.request(List::Past)?;
    let history = app.store.history(&id, &request).await?;
    if history.items.is_empty() && app.store.revision(&id).await?.is_none() {
        return Err(ConversationError::Unknown(id).into());
    }
    Ok(Json(Paged::of(history, |history| HistoryItem {
        system_prompt: history.was.head.text.to_string(),
        replaced_at: format_instant(history.replaced_at),
        was: (&history.was.head).into(),
    })))
}

/// Lists conversations, the last begun first.
#[utoipa::path(
    get, path = "/conversations", tag = "conversations", operation_id = "conversations",
    params(ListQuery, PageQuery),
    responses((status = 200, body = Paged<ConversationItem>, description = "A page of conversations")),
)]
pub async fn list(
    State(app): State<Arc<App>>,
    QueryValues(which): QueryValues<ListQuery>,
    QueryValues(page): QueryValues<PageQuery>,
) -> HandlerResult<Json<Paged<ConversationItem>>> {
    let template = which.template.map(|name| name.parse::<TemplateName>()).transpose();
    let template = template
        .map_err(|error| Problem::new(StatusCode::BAD_REQUEST, "template-name", error.to_string()))?;
    let filter = Filter { id_prefix: which.prefix, template };
    let request = page.request(List::Conversations)?;
    let found = app.store.conversations(&filter, &request).await?;
    Ok(Json(Paged::of(found, |head| ConversationItem::from(&head))))
}

/// Deletes a conversation. Its next turn is a first turn.
#[utoipa::path(
    delete, path = "/conversations/{id}", tag = "conversations", operation_id = "forget",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255), ("If-Match" = Option<String>, Header, description = "The ETag of the revision that the request is based on; without it the request is unconditional")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "The conversation does not exist"),
        (status = 412, body = Problem, content_type = "application/problem+json", description = "The stored prompt has another revision than `If-Match`"),
    ),
)]
pub async fn forget(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    Caller(actor): Caller,
    headers: HeaderMap,
) -> HandlerResult<StatusCode> {
    let expected = expected_revision(&app, &id, &headers).await?;
    let there = app.store.delete(&id, expected, &actor).await?;
    app.prompts.drop(&id);
    match (there, expected) {
        (true, _) => Ok(StatusCode::NO_CONTENT),
        (false, None) => Err(ConversationError::Unknown(id).into()),
        (false, Some(_)) => Err(match app.store.head(&id).await? {
            Some(head) => ConversationError::Stale(Box::new(head)).into(),
            None => ConversationError::Unknown(id).into(),
        }),
    }
}

/// The number of conversations deleted in one transaction.
const PURGE_AT_ONCE: u64 = 1000;

/// Deletes the conversations that had neither a turn nor a request for a time.
#[utoipa::path(
    post, path = "/purge", tag = "conversations", operation_id = "purge", request_body = PurgeBody,
    responses((status = 200, body = PurgeReply, description = "The number of deleted conversations")),
)]
pub async fn purge(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    JsonBody(body): JsonBody<PurgeBody>,
) -> HandlerResult<Json<PurgeReply>> {
    let before = actor.at.checked_sub(i64::from(body.older_than_seconds).seconds()).unwrap_or(Timestamp::MIN);
    if body.dry_run {
        return Ok(Json(PurgeReply { purged: app.store.count_unused(before).await? }));
    }
    let mut purged = 0;
    loop {
        let count = app.store.purge(before, PURGE_AT_ONCE, &actor).await?;
        purged += count;
        if count < PURGE_AT_ONCE {
            return Ok(Json(PurgeReply { purged }));
        }
    }
}

/// Counts the outcome of a build. An invalid request is not a failure of the service.
fn count_outcome<T>(
    app: &App,
    done: Result<T, ConversationError>,
    outcome: impl FnOnce(&T) -> Option<ConstructOutcome>,
) -> Result<T, ConversationError> {
    use preface_engine::Error::{Profile, Usage};
    let outcome = match &done {
        Ok(done) => outcome(done),
        Err(ConversationError::Engine(Usage(..) | Profile(_))) => None,
        Err(
            ConversationError::Engine(_)
            | ConversationError::Store(_)
            | ConversationError::Record(_)
            | ConversationError::Overloaded(_),
        ) => Some(ConstructOutcome::Failed),
        Err(_) => None,
    };
    if let Some(outcome) = outcome {
        app.metrics.count_construction(outcome);
    }
    done
}

/// Reads the stored prompt, from memory if that is current.
async fn read_prompt(app: &App, id: &ConversationId) -> HandlerResult<Option<Arc<CachedPrompt>>> {
    let Some((at_hand, answer)) = app.prompts.read(&*app.store, id).await? else { return Ok(None) };
    app.metrics.count_lookup(answer);
    let now = app.system.now();
    if at_hand.is_first_use(now) {
        let (store, id) = (app.store.clone(), id.clone());
        // Nobody waits for it: a store that takes no writes still has the prompt.
        tokio::spawn(async move { store.touch(&id, now).await });
    }
    Ok(Some(at_hand))
}

/// Checks the precondition of a request against the stored revision.
async fn expected_revision(
    app: &App,
    id: &ConversationId,
    headers: &HeaderMap,
) -> HandlerResult<Option<Revision>> {
    if !insists(headers) {
        return Ok(None);
    }
    let head = app.store.head(id).await?.ok_or_else(|| ConversationError::Unknown(id.clone()))?;
    match if_match(headers, &tag(head.revision)) {
        true => Ok(Some(head.revision)),
        false => Err(ConversationError::Stale(Box::new(head)).into()),
    }
}
