//! The prompts of conversations: built on the first turn, read on later ones, built again at a compaction.

use crate::{
    App, ConstructOutcome, Problem,
    caller::Caller,
    extract::{MaybeBody, PathValues, QueryValues},
    page::{PageQuery, Paged},
    precondition::{if_match, if_none_match, insists},
    prompt_reply::{CachedPrompt, PromptReply, tag, tagged},
    reply::HandlerResult,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use jiff::{Timestamp, ToSpan};
use preface::{
    conversation::{Asked, ConversationError, Refresh, TemplateChoice, UsedValue},
    host::places::HomeTrust,
    store::{
        ConstructReason, ConversationId, Filter, List, PromptSummary, Revision, TemplateName, TemplateUsed,
        format_instant,
    },
};
use preface_core::{diagnostic::Diagnostics, diff::Difference, document::Document};
use serde::{Deserialize, Serialize};
use std::{path::Path, sync::Arc};
use utoipa::{IntoParams, ToSchema};

/// The name of a tool.
#[derive(ToSchema)]
#[schema(max_length = 4096, pattern = r"^[^\x00]*$")]
#[expect(dead_code, reason = "only its description is used")]
struct ToolName(String);

/// Defines a body: the fields of a turn, and more. Flattened into another struct they would take any other field, too.
macro_rules! turn_body {
    ($(#[$about:meta])* $name:ident { $($(#[$more_about:meta])* $more:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Default, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// The directory that is worked in, absolute, at or below a root. May be left out where the service has one root.
            #[schema(max_length = 4096, pattern = r"^/[^\x00]*$")]
            cwd: Option<String>,
            /// The model's name.
            #[schema(max_length = 4096, pattern = r"^[^\x00]*$")]
            model: Option<String>,
            /// A preset or profile by name; that of the service where it is left out.
            #[schema(max_length = 4096, pattern = r"^[^\x00]*$")]
            preset: Option<String>,
            /// The template: `name`, `name@label` or `name@3`; `main` where it is left out.
            #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(@[A-Za-z0-9][A-Za-z0-9._-]{0,63})?$|^$")]
            template: Option<String>,
            /// The agent whose prompt it is; the main conversation's where it is left out.
            #[schema(max_length = 4096, pattern = r"^[^\x00]*$")]
            agent: Option<String>,
            /// The active tools, by name; those of the profile where it is left out.
            #[schema(max_items = 1000, value_type = Option<Vec<ToolName>>)]
            tools: Option<Vec<String>>,
            $($(#[$more_about])* $more: $kind,)*
        }
    };
}

turn_body! {
    /// The prompt that a turn asks for. It is used on the first turn, by a compaction and by a refresh.
    TurnBody {}
}

turn_body! {
    /// What changed since the prompt was built, and the instructions of the compaction.
    CompactionBody {
        /// What the model is told to do; the profile's instructions where it is left out.
        instructions: Option<String>,
    }
}

/// The most characters of one field.
const FIELD: usize = 4096;

impl TurnBody {
    fn asked(self, home_trust: HomeTrust) -> HandlerResult<Asked> {
        let TurnBody { cwd, model, preset, template, agent, tools } = self;
        let fields = [
            ("cwd", &cwd),
            ("model", &model),
            ("preset", &preset),
            ("template", &template),
            ("agent", &agent),
        ];
        let named = fields.into_iter().filter_map(|(name, field)| Some((name, field.as_ref()?)));
        let tool_names = tools.iter().flatten().map(|tool| ("tools", tool));
        for (name, value) in named.chain(tool_names) {
            if value.chars().count() > FIELD || value.contains('\0') {
                let detail = format!("`{name}` is longer than {FIELD} characters, or holds U+0000");
                return Err(Problem::new(StatusCode::BAD_REQUEST, "field", detail));
            }
        }
        if tools.as_ref().is_some_and(|tools| tools.len() > 1000) {
            return Err(Problem::new(StatusCode::BAD_REQUEST, "field", "`tools` names more than 1000"));
        }
        // Refused whether or not this request builds a prompt.
        if cwd.as_ref().is_some_and(|cwd| !Path::new(cwd).is_absolute()) {
            return Err(Problem::new(StatusCode::BAD_REQUEST, "cwd", "`cwd` is not an absolute path")
                .help("write the directory from `/` on"));
        }
        if let Some(template) = &template {
            template.parse::<TemplateChoice>()?;
        }
        Ok(Asked { cwd, model, preset, template, agent, tools, home_trust, ..Asked::default() })
    }
}

impl CompactionBody {
    /// Returns the fields of a turn, and the instructions.
    fn split(self) -> (TurnBody, Option<String>) {
        let CompactionBody { cwd, model, preset, template, agent, tools, instructions } = self;
        (TurnBody { cwd, model, preset, template, agent, tools }, instructions)
    }
}

/// The prompt of a compaction.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompactionReply {
    /// `system_prompt` is that of the compaction's own request: the instructions stand after the prompt. What later turns
    /// get is the prompt without them.
    #[serde(flatten)]
    prompt: PromptReply,
    /// The instructions alone.
    instructions: String,
}

/// What a refresh did.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefreshReply {
    /// The prompt that is kept now.
    #[serde(flatten)]
    prompt: PromptReply,
    /// What the new prompt changes.
    difference: Difference,
}

/// Whether a refresh is done.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RefreshQuery {
    /// True: only show what would change.
    #[serde(default)]
    dry_run: bool,
}

/// Where a kept prompt came from.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExplainReply {
    /// The prompt.
    prompt: PromptReply,
    /// Its parts with the origin of each byte: what `preface explain --format json` prints.
    document: Document,
    /// What was looked up, by name; digests in place of values.
    variables: Vec<UsedValue>,
    /// What was asked.
    asked: Asked,
}

/// A conversation in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationItem {
    /// Its id.
    conversation_id: String,
    /// Counts from 1 with each prompt of the conversation.
    revision: u64,
    /// The digest of the kept prompt.
    #[schema(pattern = "^blake3:[0-9a-f]+$")]
    fingerprint: String,
    /// How long the prompt is, in bytes.
    bytes: u64,
    /// The directory it was built for.
    cwd: String,
    /// The model it was built for.
    #[schema(required)]
    model: Option<String>,
    /// The profile it was built by.
    preset: String,
    /// The template it was built from.
    #[schema(value_type = Option<crate::prompt_reply::Template>, required)]
    template: Option<TemplateUsed>,
    /// Why it was built.
    #[schema(value_type = crate::prompt_reply::ReasonWord)]
    reason: ConstructReason,
    /// When the conversation began.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the prompt was built.
    #[schema(format = DateTime)]
    constructed_at: String,
}

impl From<PromptSummary> for ConversationItem {
    fn from(head: PromptSummary) -> Self {
        ConversationItem {
            conversation_id: head.id.into(),
            revision: head.revision.revision,
            fingerprint: head.fingerprint,
            bytes: head.bytes,
            cwd: head.cwd,
            model: head.model,
            preset: head.preset,
            template: head.template,
            reason: head.reason,
            created_at: format_instant(head.created_at),
            constructed_at: format_instant(head.constructed_at),
        }
    }
}

/// A prompt that was replaced.
#[derive(Debug, Serialize, ToSchema)]
pub struct HistoryItem {
    /// What it was.
    #[serde(flatten)]
    was: ConversationItem,
    /// Its text.
    system_prompt: String,
    /// When it was replaced.
    #[schema(format = DateTime)]
    replaced_at: String,
}

/// Which conversations.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Those whose id starts so.
    prefix: Option<String>,
    /// Those that were built from the template of this name.
    #[param(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    template: Option<String>,
}

/// Which conversations are old.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PurgeBody {
    /// Those whose prompt was built before so many seconds.
    #[serde(deserialize_with = "preface::whole::number")]
    #[schema(format = Int64, maximum = 4_294_967_295u64)]
    older_than_seconds: u32,
}

/// What was forgotten.
#[derive(Debug, Serialize, ToSchema)]
pub struct PurgeReply {
    /// How many conversations.
    purged: u64,
}

/// Returns the prompt of a conversation: the first turn builds and keeps it (201), every later one gets the same bytes
/// (200).
#[utoipa::path(
    post, path = "/conversations/{id}/turns", tag = "conversations", operation_id = "turn",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255)),
    request_body(content = Option<TurnBody>, description = "May be left out"),
    responses(
        (status = 201, body = PromptReply, description = "It was built by this request", headers(("ETag" = String, description = "Tells this state of the conversation from every other"))),
        (status = 200, body = PromptReply, description = "It was kept already", headers(("ETag" = String, description = "Tells this state of the conversation from every other"))),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "It has text of a project that was declined or revoked on this node since (`trust-changed`)"),
        (status = 422, body = Problem, content_type = "application/problem+json", description = "It names a template or preset that is not there, or the prompt cannot be built"),
    ),
)]
pub async fn turn(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    Caller(actor): Caller,
    MaybeBody(body): MaybeBody<TurnBody>,
) -> HandlerResult<Response> {
    let mut asked = body.asked(app.settings.home_trust)?;
    if let Some(at_hand) = read(&app, &id).await? {
        if let Some(turned) = app.service.later_turn(&at_hand.head, &asked, &actor).await? {
            if turned.constructed {
                app.metrics.constructed(ConstructOutcome::Refreshed);
                app.kept.drop(&id);
            }
            let status = if turned.constructed { StatusCode::CREATED } else { StatusCode::OK };
            let reply = PromptReply::of(&turned.head, turned.constructed, turned.notes);
            return Ok(tagged(status, turned.head.revision, &reply));
        }
        let notes = app.service.notes(&at_hand.head, &asked).await?;
        if notes.is_empty() {
            return Ok(at_hand.response());
        }
        let reply = PromptReply::of(&at_hand.head, false, notes);
        return Ok(tagged(StatusCode::OK, at_hand.head.revision, &reply));
    }
    // Clients take these segments out of an address, so what is built here could not be asked for.
    if matches!(id.as_str(), "." | "..") {
        let detail = format!("`{id}` is no id for a new conversation: clients take it out of an address");
        return Err(Problem::new(StatusCode::BAD_REQUEST, "path", detail).help("use another id"));
    }
    asked.preset.get_or_insert_with(|| app.settings.preset.clone());
    let turned = counted(&app, app.service.first_turn(&id, &asked, &actor).await, |turned| {
        match turned.constructed {
            true => Some(ConstructOutcome::Created),
            false => Some(ConstructOutcome::Raced),
        }
    })?;
    let status = if turned.constructed { StatusCode::CREATED } else { StatusCode::OK };
    let reply = PromptReply::of(&turned.head, turned.constructed, turned.notes);
    Ok(tagged(status, turned.head.revision, &reply))
}

/// Returns the prompt that is kept, and builds nothing.
#[utoipa::path(
    get, path = "/conversations/{id}/system-prompt", tag = "conversations", operation_id = "prompt",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255), ("If-None-Match" = Option<String>, Header, description = "The ETag that the reader has")),
    responses(
        (status = 200, body = PromptReply, description = "What is kept", headers(("ETag" = String, description = "Tells this state of the conversation from every other"))),
        (status = 304, description = "The reader has it already (`If-None-Match`)"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "There is no such conversation"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "It has text of a project that was declined or revoked on this node since (`trust-changed`)"),
    ),
)]
pub async fn system_prompt(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let at_hand = read(&app, &id).await?.ok_or(ConversationError::Unknown(id))?;
    app.service.check_trust(&at_hand.head, &Asked::default()).await?;
    if if_none_match(&headers, at_hand.tag()) {
        return Ok(
            (StatusCode::NOT_MODIFIED, [(axum::http::header::ETAG, at_hand.tag().clone())]).into_response()
        );
    }
    Ok(at_hand.response())
}

/// Builds the prompt afresh, stores it, and returns it with the compaction's instructions after it.
///
/// Each of several requests at the same time may build one: each answer is a prompt that was stored as a revision of its own,
/// or the one that another request stored meanwhile. With `If-Match` exactly one is done, and the others are refused with 412.
#[utoipa::path(
    post, path = "/conversations/{id}/compactions", tag = "conversations", operation_id = "compact",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255), ("If-Match" = Option<String>, Header, description = "The ETag that the caller knows; without it whatever is kept")),
    request_body(content = Option<CompactionBody>, description = "May be left out; a value overrides the earlier one"),
    responses(
        (status = 200, body = CompactionReply, description = "The prompt that is kept now, and the compaction's own", headers(("ETag" = String, description = "Tells this state of the conversation from every other"))),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "There is no such conversation"),
        (status = 412, body = Problem, content_type = "application/problem+json", description = "The stored prompt has another revision than `If-Match`"),
        (status = 422, body = Problem, content_type = "application/problem+json", description = "It names a template or preset that is not there, or the prompt cannot be built"),
    ),
)]
pub async fn compact(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    Caller(actor): Caller,
    headers: HeaderMap,
    MaybeBody(body): MaybeBody<CompactionBody>,
) -> HandlerResult<Response> {
    let (turn, instructions) = body.split();
    let asked = turn.asked(app.settings.home_trust)?;
    let expected = expected(&app, &id, &headers).await?;
    let compacted = app.service.compact(&id, &asked, expected, &actor).await;
    let mut compacted =
        counted(&app, compacted, |compacted| compacted.constructed.then_some(ConstructOutcome::Compacted))?;
    app.kept.drop(&id);
    if let Some(instructions) = instructions {
        compacted.instructions = instructions;
    }
    let text = compacted.system_prompt();
    let prompt = PromptReply::of(&compacted.head, compacted.constructed, compacted.notes).with_text(text);
    let reply = CompactionReply { prompt, instructions: compacted.instructions };
    Ok(tagged(StatusCode::OK, compacted.head.revision, &reply))
}

/// Builds the prompt afresh outside of a compaction, and says what that changes. A prompt that comes out the same stays,
/// unless it was asked for another directory, model, preset or template.
#[utoipa::path(
    post, path = "/conversations/{id}/refresh", tag = "conversations", operation_id = "refresh",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255), ("If-Match" = Option<String>, Header, description = "The ETag that the caller knows; without it whatever is kept"), RefreshQuery),
    request_body(content = Option<TurnBody>, description = "May be left out; a value overrides the earlier one"),
    responses(
        (status = 200, body = RefreshReply, description = "The prompt that is kept now, and what is other than before", headers(("ETag" = String, description = "Tells this state of the conversation from every other"))),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "There is no such conversation"),
        (status = 412, body = Problem, content_type = "application/problem+json", description = "The stored prompt has another revision than `If-Match`"),
        (status = 422, body = Problem, content_type = "application/problem+json", description = "It names a template or preset that is not there, or the prompt cannot be built"),
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
    let asked = body.asked(app.settings.home_trust)?;
    let expected = expected(&app, &id, &headers).await?;
    let how = if query.dry_run { Refresh::Show } else { Refresh::Keep };
    let refreshed = app.service.refresh(&id, &asked, how, expected, &actor).await;
    let refreshed =
        counted(&app, refreshed, |refreshed| refreshed.constructed.then_some(ConstructOutcome::Refreshed))?;
    app.kept.drop(&id);
    let prompt = PromptReply::of(&refreshed.head, refreshed.constructed, refreshed.notes);
    let reply = RefreshReply { prompt, difference: refreshed.difference };
    Ok(tagged(StatusCode::OK, refreshed.head.revision, &reply))
}

/// Tells where each byte of the kept prompt came from.
#[utoipa::path(
    get, path = "/conversations/{id}/explain", tag = "conversations", operation_id = "explain",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255)),
    responses(
        (status = 200, body = ExplainReply, description = "Where it came from", headers(("ETag" = String, description = "Tells this state of the conversation from every other"))),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "There is no such conversation"),
    ),
)]
pub async fn explain(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
) -> HandlerResult<Response> {
    let explained = app.service.explain(&id).await?;
    let revision = explained.head.revision;
    let prompt = PromptReply::of(&explained.head, false, Diagnostics::new());
    let reply = ExplainReply {
        prompt,
        document: explained.document,
        variables: explained.variables,
        asked: explained.asked,
    };
    Ok(tagged(StatusCode::OK, revision, &reply))
}

/// Lists what the conversation was told before, the newest first.
#[utoipa::path(
    get, path = "/conversations/{id}/past", tag = "conversations", operation_id = "past",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255), PageQuery),
    responses(
        (status = 200, body = Paged<HistoryItem>, description = "A page of prompts"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "There is no such conversation"),
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
        was: history.was.head.into(),
    })))
}

/// Lists conversations, the last built first.
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
    Ok(Json(Paged::of(found, ConversationItem::from)))
}

/// Forgets a conversation. Its next turn is a first turn.
#[utoipa::path(
    delete, path = "/conversations/{id}", tag = "conversations", operation_id = "forget",
    params(("id" = String, Path, description = "The conversation's id", min_length = 1, max_length = 255), ("If-Match" = Option<String>, Header, description = "The ETag that the caller knows; without it whatever is kept")),
    responses(
        (status = 204, description = "It is forgotten"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "There is no such conversation"),
        (status = 412, body = Problem, content_type = "application/problem+json", description = "The stored prompt has another revision than `If-Match`"),
    ),
)]
pub async fn forget(
    State(app): State<Arc<App>>,
    PathValues(id): PathValues<ConversationId>,
    Caller(actor): Caller,
    headers: HeaderMap,
) -> HandlerResult<StatusCode> {
    let expected = expected(&app, &id, &headers).await?;
    let there = app.store.delete(&id, expected, &actor).await?;
    app.kept.drop(&id);
    match (there, expected) {
        (true, _) => Ok(StatusCode::NO_CONTENT),
        (false, None) => Err(ConversationError::Unknown(id).into()),
        (false, Some(_)) => Err(match app.store.head(&id).await? {
            Some(head) => ConversationError::Stale(Box::new(head)).into(),
            None => ConversationError::Unknown(id).into(),
        }),
    }
}

/// How many conversations one transaction forgets.
const PURGE_AT_ONCE: u64 = 1000;

/// Forgets the conversations whose prompt is older than an age.
#[utoipa::path(
    post, path = "/purge", tag = "conversations", operation_id = "purge", request_body = PurgeBody,
    responses((status = 200, body = PurgeReply, description = "They are forgotten")),
)]
pub async fn purge(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    crate::extract::JsonBody(body): crate::extract::JsonBody<PurgeBody>,
) -> HandlerResult<Json<PurgeReply>> {
    let before = actor.at.checked_sub(i64::from(body.older_than_seconds).seconds()).unwrap_or(Timestamp::MIN);
    let mut purged = 0;
    loop {
        let count = app.store.purge(before, PURGE_AT_ONCE, &actor).await?;
        purged += count;
        if count < PURGE_AT_ONCE {
            return Ok(Json(PurgeReply { purged }));
        }
    }
}

/// Counts how a construct ended. What the caller asked wrongly is no failure of the service.
fn counted<T>(
    app: &App,
    done: Result<T, ConversationError>,
    outcome: impl FnOnce(&T) -> Option<ConstructOutcome>,
) -> Result<T, ConversationError> {
    let outcome = match &done {
        Ok(done) => outcome(done),
        Err(ConversationError::Engine(preface::Error::Usage(..) | preface::Error::Profile(_))) => None,
        Err(
            ConversationError::Engine(_)
            | ConversationError::Store(_)
            | ConversationError::Record(_)
            | ConversationError::Overloaded(_),
        ) => Some(ConstructOutcome::Failed),
        Err(_) => None,
    };
    if let Some(outcome) = outcome {
        app.metrics.constructed(outcome);
    }
    done
}

/// Reads what is kept, from memory where that still is what the store keeps.
async fn read(app: &App, id: &ConversationId) -> HandlerResult<Option<Arc<CachedPrompt>>> {
    Ok(app.kept.read(&*app.store, id).await?.map(|(at_hand, answer)| {
        app.metrics.looked_up(answer);
        at_hand
    }))
}

/// Compares what the request knows with what is kept; returns what it insists on.
async fn expected(app: &App, id: &ConversationId, headers: &HeaderMap) -> HandlerResult<Option<Revision>> {
    if !insists(headers) {
        return Ok(None);
    }
    let head = app.store.head(id).await?.ok_or_else(|| ConversationError::Unknown(id.clone()))?;
    match if_match(headers, &tag(head.revision)) {
        true => Ok(Some(head.revision)),
        false => Err(ConversationError::Stale(Box::new(head)).into()),
    }
}
