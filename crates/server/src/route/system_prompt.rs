//! `/system-prompt`: the text of the template that new conversations are built from. It is the template named `main`; its
//! versions and labels are there.

use crate::{
    App, Caller, HandlerResult, JsonBody, Problem,
    stored::{self, ReplyShape, TemplateReply, TemplateWrite},
};
use axum::{extract::State, http::HeaderMap, response::Response};
use preface_engine::store::TemplateName;
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
