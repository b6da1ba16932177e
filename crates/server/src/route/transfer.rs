//! `/export` and `/import`: all templates with all their versions, from one store to another.

use crate::{App, Caller, HandlerResult, JsonBody, Problem, work::template_refused};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use preface_engine::templates::{self, Document, Imported, TemplatesError};
use std::sync::Arc;

/// Returns all templates with all their versions.
#[utoipa::path(
    get, path = "/export", tag = "templates",
    operation_id = "export",
    responses(
        (status = 200, description = "The document.", body = Document),
    ),
)]
pub async fn export(State(app): State<Arc<App>>) -> HandlerResult<Response> {
    let _place = app.exporting.acquire().await;
    Ok(Json(templates::export(&*app.store).await?).into_response())
}

/// Adds the versions of a document that the store lacks, with their authors, times and notes.
///
/// Versions that are there already, in the document's order, are skipped. Where the store has others than the document
/// knows, the document's are added behind them, and the reply says so. A label that is on another version here stays.
#[utoipa::path(
    post, path = "/import", tag = "templates",
    operation_id = "import",
    request_body = Document,
    responses(
        (status = 200, description = "The added templates and versions.", body = Imported),
        (status = 400, description = "The document cannot be read, or a template breaks a limit; nothing was added.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The document is inconsistent or contains an invalid label, note or author; nothing was added.", body = Problem, content_type = "application/problem+json"),
        (status = 412, description = "Another client changed the same template repeatedly.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn import(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    JsonBody(document): JsonBody<Document>,
) -> HandlerResult<Json<Imported>> {
    let document = Arc::new(document);
    let (request, texts) = (app.request(), document.clone());
    let refused = app
        .work(move |engine| {
            for template in &texts.templates {
                for version in &template.versions {
                    let Some(text) = &version.template else { continue };
                    if let Err(note) = engine.check_template(&request, text)? {
                        return Ok(Some((template.name.clone(), version.version, note)));
                    }
                }
            }
            Ok(None)
        })
        .await?;
    if let Some((name, version, note)) = refused {
        let problem = template_refused(*note);
        let detail = format!("template `{name}`, version {version}: {}", problem.detail);
        return Err(Problem { detail, ..problem });
    }
    let imported = templates::import(&*app.store, &document, &|_| Ok(()), &actor).await;
    Ok(Json(imported.map_err(|error| match error {
        // It has the form, and contradicts itself or another rule than one of form.
        TemplatesError::Invalid(..) => {
            let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", error.to_string());
            Problem { help: error.help().map(|help| help.words), ..problem }
        }
        other => other.into(),
    })?))
}
