//! `/system-prompt`: the template that new conversations are built from, its versions and labels. It is the
//! template named `main`.

use crate::{
    App, Caller, Problem,
    extract::{JsonBody, PathValues, QueryValues},
    page::{PageQuery, Paged},
    reply::HandlerResult,
    stored::{
        self, DiffQuery, LabelWrite, ReplyShape, TemplateReply, TemplateWrite, VersionInfo, VersionReply,
    },
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use preface_engine::{store::TemplateName, templates::Diff};
use std::sync::Arc;

/// Returns the template of new conversations: the one that was stored last, else the default.
///
/// Where the store does not answer, this is the default template, with the header `Preface-Degraded: store` and without an
/// ETag.
#[utoipa::path(
    get, path = "/system-prompt", tag = "system-prompt",
    operation_id = "system_prompt_get",
    params(("If-None-Match" = Option<String>, Header, description = "The ETag of a cached version.")),
    responses(
        (status = 200, description = "The template.", body = TemplateReply, headers(("ETag" = String, description = "Identifies this version of the text."), ("Preface-Version" = u64, description = "The version; 0 if nothing is stored."), ("Preface-Degraded" = String, description = "`store` where the store does not answer; then there is no ETag."))),
        (status = 304, description = "Not modified: `If-None-Match` has the current ETag."),
    ),
)]
pub async fn get(State(app): State<Arc<App>>, headers: HeaderMap) -> HandlerResult<Response> {
    stored::read(&app, &TemplateName::main(), &headers, ReplyShape::Plain).await
}

/// Stores a text as the next version. Its bytes are not changed; diagnostics never reject it, and a header has them.
///
/// The text that is the current one already, without a note, adds no version.
#[utoipa::path(
    put, path = "/system-prompt", tag = "system-prompt",
    operation_id = "system_prompt_put",
    params(("If-Match" = Option<String>, Header, description = "The ETag of the version that the write is based on; without it the write is unconditional."), ("If-None-Match" = Option<String>, Header, description = "`*`: only if nothing is stored yet.")),
    request_body = TemplateWrite,
    responses(
        (status = 200, description = "Stored.", body = TemplateReply, headers(("ETag" = String, description = "Identifies this version of the text."), ("Preface-Version" = u64, description = "The version; 0 if nothing is stored."), ("Preface-Diagnostics" = String, description = "The errors and warnings about the text, the worst first, ten at most, as a list of RFC 9651; absent if there are none: `template/unbalanced;line=1;column=5`."))),
        (status = 400, description = "The body is no object with a string `template`, or the template breaks a limit.", body = Problem, content_type = "application/problem+json"),
        (status = 412, description = "`If-Match` does not have the ETag of the current version.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn put(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Caller(actor): Caller,
    JsonBody(body): JsonBody<TemplateWrite>,
) -> HandlerResult<Response> {
    stored::write(&app, &TemplateName::main(), body.into(), &headers, &actor, ReplyShape::Plain).await
}

/// Resets to the default, by adding a version. Older versions can be restored.
#[utoipa::path(
    delete, path = "/system-prompt", tag = "system-prompt",
    operation_id = "system_prompt_reset",
    params(("If-Match" = Option<String>, Header, description = "The ETag of the version that the write is based on; without it the write is unconditional.")),
    responses(
        (status = 200, description = "The default template.", body = TemplateReply, headers(("ETag" = String, description = "Identifies this version of the text."), ("Preface-Version" = u64, description = "The version; 0 if nothing is stored."))),
        (status = 412, description = "`If-Match` does not have the ETag of the current version.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn delete(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Caller(actor): Caller,
) -> HandlerResult<Response> {
    stored::reset(&app, &TemplateName::main(), &headers, &actor, ReplyShape::Plain).await
}

/// Lists the versions, the newest first, without their texts.
#[utoipa::path(
    get, path = "/system-prompt/versions", tag = "system-prompt",
    operation_id = "system_prompt_versions",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of versions.", body = Paged<VersionInfo>),
    ),
)]
pub async fn versions(
    State(app): State<Arc<App>>,
    QueryValues(query): QueryValues<PageQuery>,
) -> HandlerResult<Json<Paged<VersionInfo>>> {
    stored::versions(&app, &TemplateName::main(), query).await
}

/// Returns one version with its text.
#[utoipa::path(
    get, path = "/system-prompt/versions/{version}", tag = "system-prompt",
    operation_id = "system_prompt_version",
    params(("version" = u64, Path, description = "The number of the version.")),
    responses(
        (status = 200, description = "The version.", body = VersionReply),
        (status = 404, description = "The version does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn version(
    State(app): State<Arc<App>>,
    PathValues(version): PathValues<u64>,
) -> HandlerResult<Json<VersionReply>> {
    stored::version(&app, &TemplateName::main(), version).await
}

/// Restores an older version as a new version; its note has the older number.
#[utoipa::path(
    post, path = "/system-prompt/versions/{version}/restore", tag = "system-prompt",
    operation_id = "system_prompt_restore",
    params(("version" = u64, Path, description = "The number of the version."), ("If-Match" = Option<String>, Header, description = "The ETag of the version that the write is based on; without it the write is unconditional.")),
    responses(
        (status = 200, description = "The restored version.", body = TemplateReply, headers(("ETag" = String, description = "Identifies this version of the text."), ("Preface-Version" = u64, description = "The version; 0 if nothing is stored."))),
        (status = 404, description = "The version does not exist.", body = Problem, content_type = "application/problem+json"),
        (status = 412, description = "`If-Match` does not have the ETag of the current version.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn restore(
    State(app): State<Arc<App>>,
    PathValues(version): PathValues<u64>,
    headers: HeaderMap,
    Caller(actor): Caller,
) -> HandlerResult<Response> {
    stored::restore(&app, &TemplateName::main(), version, &headers, &actor, ReplyShape::Plain).await
}

/// Compares two versions line by line: as unified text, and as hunks.
#[utoipa::path(
    get, path = "/system-prompt/diff", tag = "system-prompt",
    operation_id = "system_prompt_diff",
    params(DiffQuery),
    responses(
        (status = 200, description = "The difference.", body = Diff),
        (status = 404, description = "The version does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn diff(
    State(app): State<Arc<App>>,
    QueryValues(query): QueryValues<DiffQuery>,
) -> HandlerResult<Json<Diff>> {
    stored::diff(&app, &TemplateName::main(), query).await
}

/// Sets a label on a version. A label belongs to one version at a time.
#[utoipa::path(
    put, path = "/system-prompt/labels/{label}", tag = "system-prompt",
    operation_id = "system_prompt_set_label",
    params(("label" = String, Path, description = "1 to 64 letters, digits, `-`, `_` or `.`; the first is a letter.")),
    request_body = LabelWrite,
    responses(
        (status = 200, description = "The version has the label.", body = LabelWrite),
        (status = 400, description = "Invalid label, or the body cannot be read.", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The version does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn set_label(
    State(app): State<Arc<App>>,
    PathValues(label): PathValues<String>,
    Caller(actor): Caller,
    JsonBody(body): JsonBody<LabelWrite>,
) -> HandlerResult<Json<LabelWrite>> {
    stored::label(&app, &TemplateName::main(), &label, Some(body.version), &actor).await?;
    Ok(Json(body))
}

/// Takes a label away.
#[utoipa::path(
    delete, path = "/system-prompt/labels/{label}", tag = "system-prompt",
    operation_id = "system_prompt_remove_label",
    params(("label" = String, Path, description = "1 to 64 letters, digits, `-`, `_` or `.`; the first is a letter.")),
    responses(
        (status = 204, description = "The label is deleted."),
        (status = 400, description = "Invalid label.", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The label does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn remove_label(
    State(app): State<Arc<App>>,
    PathValues(label): PathValues<String>,
    Caller(actor): Caller,
) -> HandlerResult<StatusCode> {
    stored::label(&app, &TemplateName::main(), &label, None, &actor).await?;
    Ok(StatusCode::NO_CONTENT)
}
