//! Unsaved texts of the editor. Each owner sees its own: the holder of an access token, or a browser where none is needed.

use crate::{App, HandlerResult, Identity, JsonBody, PathValues, Problem, stored::parse_name};
use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::{StatusCode, request::Parts},
};
use preface_engine::store::{DraftId, DraftKey, StoredDraft, TemplateName, format_instant};
use serde::{Deserialize, Serialize};
use std::{convert::Infallible, sync::Arc};
use utoipa::ToSchema;

/// The header with the id of a browser.
const BROWSER: &str = "x-preface-browser";

/// An unsaved text to be stored.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftWrite {
    /// The text; stored byte for byte.
    template: String,
    /// The version that it is based on; 0 if nothing was stored.
    #[serde(default, deserialize_with = "preface_engine::json_input::number")]
    version: u64,
    /// The `ETag` of that version.
    #[schema(max_length = 128, pattern = r"^[\x21-\x7e]*$")]
    etag: Option<String>,
}

/// An unsaved text in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct DraftEntry {
    /// The template.
    #[schema(value_type = String)]
    name: TemplateName,
    /// The id, unique for the template.
    #[schema(value_type = String)]
    id: DraftId,
    /// The version that it is based on; 0 if nothing was stored.
    version: u64,
    /// The `ETag` of that version.
    #[schema(required)]
    etag: Option<String>,
    /// The length of the text in bytes.
    bytes: u64,
    /// When it was last written.
    #[schema(format = DateTime)]
    at: String,
}

/// An unsaved text.
#[derive(Debug, Serialize, ToSchema)]
pub struct DraftReply {
    /// The text.
    template: String,
    /// The metadata.
    #[serde(flatten)]
    entry: DraftEntry,
}

/// The unsaved texts of an owner.
#[derive(Debug, Serialize, ToSchema)]
pub struct DraftList {
    /// The texts, the last written first.
    items: Vec<DraftEntry>,
}

impl From<&StoredDraft> for DraftEntry {
    fn from(draft: &StoredDraft) -> Self {
        DraftEntry {
            name: draft.key.template.clone(),
            id: draft.key.id.clone(),
            version: draft.version,
            etag: draft.etag.as_deref().map(str::to_owned),
            bytes: draft.bytes,
            at: format_instant(draft.at),
        }
    }
}

/// The owner of drafts: the access token, else the browser. Of a token it is the digest, since a later token may have its name.
#[derive(Debug)]
pub struct DraftOwner(Arc<str>);

impl<S: Send + Sync> FromRequestParts<S> for DraftOwner {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        if let Identity::Token { digest, .. } = Identity::from_request_parts(parts, state).await? {
            return Ok(DraftOwner(format!("token:{digest}").into()));
        }
        let browser = parts.headers.get(BROWSER).and_then(|value| value.to_str().ok());
        let browser = browser.and_then(|id| id.parse::<DraftId>().ok());
        Ok(DraftOwner(browser.map_or_else(|| "local".into(), |id| format!("browser:{id}").into())))
    }
}

fn missing() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "no-draft", "no such draft")
        .help("list your drafts with `GET /drafts`")
}

/// Lists your unsaved texts, the last written first.
#[utoipa::path(
    get, path = "/drafts", tag = "drafts", operation_id = "drafts_list",
    params(("X-Preface-Browser" = Option<String>, Header, description = "The id of the browser, which owns drafts where no access token is needed.")),
    responses((status = 200, description = "The drafts, without their texts.", body = DraftList)),
)]
pub async fn list(
    State(app): State<Arc<App>>,
    DraftOwner(owner): DraftOwner,
) -> HandlerResult<Json<DraftList>> {
    let drafts = app.store.drafts(&owner).await?;
    Ok(Json(DraftList { items: drafts.iter().map(DraftEntry::from).collect() }))
}

/// Returns an unsaved text.
#[utoipa::path(
    get, path = "/templates/{name}/drafts/{draft}", tag = "drafts", operation_id = "draft_get",
    params(("name" = String, Path, description = "The name of the template."), ("draft" = String, Path, description = "The id of the draft: 1 to 64 letters, digits, `-`, `_` or `.`."), ("X-Preface-Browser" = Option<String>, Header, description = "The id of the browser, which owns drafts where no access token is needed.")),
    responses(
        (status = 200, description = "The draft.", body = DraftReply),
        (status = 404, description = "The draft does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn get(
    State(app): State<Arc<App>>,
    DraftOwner(owner): DraftOwner,
    PathValues((name, id)): PathValues<(String, DraftId)>,
) -> HandlerResult<Json<DraftReply>> {
    let key = DraftKey { owner, template: parse_name(&name)?, id };
    let draft = app.store.draft(&key).await?.ok_or_else(missing)?;
    Ok(Json(DraftReply { template: draft.text.as_ref().to_owned(), entry: DraftEntry::from(&draft) }))
}

/// Stores an unsaved text, in the place of the one with this id. The template need not exist.
///
/// The number and the bytes of your drafts are limited. A draft is deleted some time after its last write (`preface serve
/// --draft-days`).
#[utoipa::path(
    put, path = "/templates/{name}/drafts/{draft}", tag = "drafts", operation_id = "draft_put",
    params(("name" = String, Path, description = "The name of the template."), ("draft" = String, Path, description = "The id of the draft: 1 to 64 letters, digits, `-`, `_` or `.`."), ("X-Preface-Browser" = Option<String>, Header, description = "The id of the browser, which owns drafts where no access token is needed.")),
    request_body = DraftWrite,
    responses(
        (status = 200, description = "Stored.", body = DraftEntry),
        (status = 400, description = "The body is no object with a string `template`, or `etag` is none.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "You have too many drafts, or too many bytes of them (`drafts-full`).", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn put(
    State(app): State<Arc<App>>,
    DraftOwner(owner): DraftOwner,
    PathValues((name, id)): PathValues<(String, DraftId)>,
    JsonBody(body): JsonBody<DraftWrite>,
) -> HandlerResult<Json<DraftEntry>> {
    let key = DraftKey { owner, template: parse_name(&name)?, id };
    let printable = |etag: &str| etag.len() <= 128 && etag.bytes().all(|byte| byte.is_ascii_graphic());
    if !body.etag.as_deref().is_none_or(printable) {
        let detail = "`etag` is longer than 128 characters or contains other characters than an `ETag`";
        return Err(Problem::new(StatusCode::BAD_REQUEST, "field", detail));
    }
    let draft = StoredDraft {
        key,
        version: body.version,
        etag: body.etag.map(Arc::from),
        bytes: body.template.len() as u64,
        text: body.template.into(),
        at: app.system.now(),
    };
    let entry = DraftEntry::from(&draft);
    let limits = app.limits.drafts;
    if app.store.put_draft(draft, limits).await? {
        return Ok(Json(entry));
    }
    let detail = format!("you have {} drafts or {} bytes of them", limits.count, limits.bytes);
    Err(Problem::new(StatusCode::CONFLICT, "drafts-full", detail)
        .help("save or discard some of your unsaved texts"))
}

/// Deletes an unsaved text.
#[utoipa::path(
    delete, path = "/templates/{name}/drafts/{draft}", tag = "drafts", operation_id = "draft_delete",
    params(("name" = String, Path, description = "The name of the template."), ("draft" = String, Path, description = "The id of the draft: 1 to 64 letters, digits, `-`, `_` or `.`."), ("X-Preface-Browser" = Option<String>, Header, description = "The id of the browser, which owns drafts where no access token is needed.")),
    responses(
        (status = 204, description = "Deleted."),
        (status = 404, description = "The draft does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn delete(
    State(app): State<Arc<App>>,
    DraftOwner(owner): DraftOwner,
    PathValues((name, id)): PathValues<(String, DraftId)>,
) -> HandlerResult<StatusCode> {
    let key = DraftKey { owner, template: parse_name(&name)?, id };
    if app.store.delete_draft(&key).await? { Ok(StatusCode::NO_CONTENT) } else { Err(missing()) }
}
