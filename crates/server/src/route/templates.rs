//! `/templates`: templates by name, which conversations may choose, with their versions and labels. That of new conversations
//! is named `main`.

use crate::{
    App, Caller, HandlerResult, JsonBody, PageQuery, Paged, PathValues, Problem, QueryValues,
    stored::{
        self, DiffQuery, LabelWrite, NamedTemplateReply, NamedTemplateWrite, ReplyShape, TemplateEntry,
        VERSION, VersionInfo, VersionReply, expected_version, parse_name, require_template,
        template_response,
    },
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode},
    response::{IntoResponse, Response},
};
use preface_engine::{
    store::{List, TemplateName, TemplateVersion},
    templates::{self, Diff, EffectiveTemplate, TemplatesError},
};
use std::sync::Arc;

/// Lists the templates by name, each with its current version.
#[utoipa::path(
    get, path = "/templates", tag = "templates",
    operation_id = "templates_list",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of templates.", body = Paged<TemplateEntry>),
    ),
)]
pub async fn list(
    State(app): State<Arc<App>>,
    QueryValues(query): QueryValues<PageQuery>,
) -> HandlerResult<Json<Paged<TemplateEntry>>> {
    let page = app.store.templates(&query.request(List::Templates)?).await?;
    let entry = |current: TemplateVersion| TemplateEntry {
        name: current.name.to_string(),
        current: VersionInfo::from(&current),
    };
    Ok(Json(Paged::of(page, entry)))
}

/// Returns the template of this name.
#[utoipa::path(
    get, path = "/templates/{name}", tag = "templates",
    operation_id = "template_get",
    params(("name" = String, Path, description = "The name of the template."), ("If-None-Match" = Option<String>, Header, description = "The ETag of a cached version.")),
    responses(
        (status = 200, description = "The template.", body = NamedTemplateReply, headers(("ETag" = String, description = "Identifies this version of the text."), ("Preface-Version" = u64, description = "The version; 0 if nothing is stored."))),
        (status = 304, description = "Not modified: `If-None-Match` has the current ETag."),
        (status = 404, description = "The template does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn get(
    State(app): State<Arc<App>>,
    PathValues(name): PathValues<String>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    stored::read(&app, &parse_name(&name)?, &headers, ReplyShape::Named).await
}

/// Stores a text as the next version. Its bytes are not changed; diagnostics never reject it, and a header has them.
///
/// The text that is the current one already, without a note, adds no version.
#[utoipa::path(
    put, path = "/templates/{name}", tag = "templates",
    operation_id = "template_put",
    params(("name" = String, Path, description = "The name of the template."), ("If-Match" = Option<String>, Header, description = "The ETag of the version that the write is based on; without it the write is unconditional."), ("If-None-Match" = Option<String>, Header, description = "`*`: only if nothing is stored yet.")),
    request_body = NamedTemplateWrite,
    responses(
        (status = 200, description = "Stored.", body = NamedTemplateReply, headers(("ETag" = String, description = "Identifies this version of the text."), ("Preface-Version" = u64, description = "The version; 0 if nothing is stored."), ("Preface-Diagnostics" = String, description = "The errors and warnings about the text, the worst first, ten at most, as a list of RFC 9651; absent if there are none: `template/unbalanced;line=1;column=5`."))),
        (status = 400, description = "The body is no object with a string `template`, a declaration cannot be used, or the template breaks a limit.", body = Problem, content_type = "application/problem+json"),
        (status = 412, description = "`If-Match` does not have the ETag of the current version.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn put(
    State(app): State<Arc<App>>,
    PathValues(name): PathValues<String>,
    headers: HeaderMap,
    Caller(actor): Caller,
    JsonBody(body): JsonBody<NamedTemplateWrite>,
) -> HandlerResult<Response> {
    stored::write(&app, &parse_name(&name)?, body, &headers, &actor, ReplyShape::Named).await
}

/// Deletes the template, by adding a version. Older versions can be read and restored.
#[utoipa::path(
    delete, path = "/templates/{name}", tag = "templates",
    operation_id = "template_reset",
    params(("name" = String, Path, description = "The name of the template."), ("If-Match" = Option<String>, Header, description = "The ETag of the version that the write is based on; without it the write is unconditional.")),
    responses(
        (status = 200, description = "The default template, where the name is the one of the first template, which always has a text.", body = NamedTemplateReply, headers(("ETag" = String, description = "Identifies this version of the text."), ("Preface-Version" = u64, description = "The version with this text."))),
        (status = 204, description = "It is deleted.", headers(("Preface-Version" = u64, description = "The version with this text."))),
        (status = 412, description = "`If-Match` does not have the ETag of the current version.", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The template does not exist or is deleted.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn delete(
    State(app): State<Arc<App>>,
    PathValues(name): PathValues<String>,
    headers: HeaderMap,
    Caller(actor): Caller,
) -> HandlerResult<Response> {
    let (name, default) = (parse_name(&name)?, app.default_template().await?);
    let is_main = name == TemplateName::main();
    if !is_main && templates::effective(&*app.store, &name, &default).await?.is_none() {
        return Err(TemplatesError::NoTemplate(name).into());
    }
    let expect = expected_version(&app, &name, &default, &headers).await?;
    let stored = templates::reset(&*app.store, &name, expect, &actor).await?;
    let effective = EffectiveTemplate::of(Some(&stored), &default);
    if is_main {
        return Ok(template_response(&effective, ReplyShape::Named));
    }
    Ok((StatusCode::NO_CONTENT, [(VERSION, HeaderValue::from(effective.version))]).into_response())
}

/// Lists the versions, the newest first, without their texts.
#[utoipa::path(
    get, path = "/templates/{name}/versions", tag = "templates",
    operation_id = "template_versions",
    params(("name" = String, Path, description = "The name of the template."), PageQuery),
    responses(
        (status = 200, description = "A page of versions.", body = Paged<VersionInfo>),
        (status = 404, description = "The template does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn versions(
    State(app): State<Arc<App>>,
    PathValues(name): PathValues<String>,
    QueryValues(query): QueryValues<PageQuery>,
) -> HandlerResult<Json<Paged<VersionInfo>>> {
    let (name, request) = (parse_name(&name)?, query.request(List::Versions)?);
    require_template(&app, &name).await?;
    let page = app.store.versions(&name, &request).await?;
    Ok(Json(Paged::of(page, |version| VersionInfo::from(&version))))
}

/// Returns one version with its text.
#[utoipa::path(
    get, path = "/templates/{name}/versions/{version}", tag = "templates",
    operation_id = "template_version",
    params(("name" = String, Path, description = "The name of the template."), ("version" = u64, Path, description = "The number of the version.")),
    responses(
        (status = 200, description = "The version.", body = VersionReply),
        (status = 404, description = "The version does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn version(
    State(app): State<Arc<App>>,
    PathValues((name, version)): PathValues<(String, u64)>,
) -> HandlerResult<Json<VersionReply>> {
    let (name, default) = (parse_name(&name)?, app.default_template().await?);
    let (version, text) = templates::at_version(&*app.store, &name, version, &default).await?;
    let (template, info) = (text.as_ref().to_owned(), VersionInfo::from(&version));
    Ok(Json(VersionReply { template, variables: version.variables, info }))
}

/// Restores an older version as a new version; its note has the older number.
#[utoipa::path(
    post, path = "/templates/{name}/versions/{version}/restore", tag = "templates",
    operation_id = "template_restore",
    params(("name" = String, Path, description = "The name of the template."), ("version" = u64, Path, description = "The number of the version."), ("If-Match" = Option<String>, Header, description = "The ETag of the version that the write is based on; without it the write is unconditional.")),
    responses(
        (status = 200, description = "The restored version.", body = NamedTemplateReply, headers(("ETag" = String, description = "Identifies this version of the text."), ("Preface-Version" = u64, description = "The version; 0 if nothing is stored."))),
        (status = 404, description = "The version does not exist.", body = Problem, content_type = "application/problem+json"),
        (status = 412, description = "`If-Match` does not have the ETag of the current version.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn restore(
    State(app): State<Arc<App>>,
    PathValues((name, version)): PathValues<(String, u64)>,
    headers: HeaderMap,
    Caller(actor): Caller,
) -> HandlerResult<Response> {
    let (name, default) = (parse_name(&name)?, app.default_template().await?);
    let expect = expected_version(&app, &name, &default, &headers).await?;
    let stored = templates::restore(&*app.store, &name, version, expect, &actor).await?;
    Ok(template_response(&EffectiveTemplate::of(Some(&stored), &default), ReplyShape::Named))
}

/// Compares two versions line by line: as unified text, and as hunks.
#[utoipa::path(
    get, path = "/templates/{name}/diff", tag = "templates",
    operation_id = "template_diff",
    params(("name" = String, Path, description = "The name of the template."), DiffQuery),
    responses(
        (status = 200, description = "The difference.", body = Diff),
        (status = 404, description = "The version does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn diff(
    State(app): State<Arc<App>>,
    PathValues(name): PathValues<String>,
    QueryValues(query): QueryValues<DiffQuery>,
) -> HandlerResult<Json<Diff>> {
    let (name, default) = (parse_name(&name)?, app.default_template().await?);
    require_template(&app, &name).await?;
    Ok(Json(templates::diff(&*app.store, &name, query.from, query.to, &default).await?))
}

/// Sets a label on a version. A label belongs to one version at a time.
#[utoipa::path(
    put, path = "/templates/{name}/labels/{label}", tag = "templates",
    operation_id = "template_set_label",
    params(("name" = String, Path, description = "The name of the template."), ("label" = String, Path, description = "1 to 64 letters, digits, `-`, `_` or `.`; the first is a letter.")),
    request_body = LabelWrite,
    responses(
        (status = 200, description = "The version has the label.", body = LabelWrite),
        (status = 400, description = "Invalid label, or the body cannot be read.", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The version does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn set_label(
    State(app): State<Arc<App>>,
    PathValues((name, label)): PathValues<(String, String)>,
    Caller(actor): Caller,
    JsonBody(body): JsonBody<LabelWrite>,
) -> HandlerResult<Json<LabelWrite>> {
    templates::set_label(&*app.store, &parse_name(&name)?, &label, Some(body.version), &actor).await?;
    Ok(Json(body))
}

/// Takes a label away.
#[utoipa::path(
    delete, path = "/templates/{name}/labels/{label}", tag = "templates",
    operation_id = "template_remove_label",
    params(("name" = String, Path, description = "The name of the template."), ("label" = String, Path, description = "1 to 64 letters, digits, `-`, `_` or `.`; the first is a letter.")),
    responses(
        (status = 204, description = "The label is deleted."),
        (status = 400, description = "Invalid label.", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The label does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn remove_label(
    State(app): State<Arc<App>>,
    PathValues((name, label)): PathValues<(String, String)>,
    Caller(actor): Caller,
) -> HandlerResult<StatusCode> {
    templates::set_label(&*app.store, &parse_name(&name)?, &label, None, &actor).await?;
    Ok(StatusCode::NO_CONTENT)
}
