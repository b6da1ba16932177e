//! `/system-prompt/analyze`: the analysis of a template for an editor. Nothing is stored.

use crate::{App, Problem, extract::JsonBody, reply::HandlerResult};
use axum::{Json, extract::State};
use preface::{
    Request,
    analyze::{Analysis, AnalysisRequest},
};
use serde::Deserialize;
use std::sync::Arc;

/// A template to analyze. Fields that are not listed here are ignored.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub struct AnalyzeWrite {
    /// The text.
    pub template: String,
    /// The working directory, absolute, at or below a root. Without it no values of a directory are read.
    #[schema(max_length = 4096, pattern = r"^/[^\x00]*$")]
    pub cwd: Option<String>,
    /// The model's name.
    pub model: Option<String>,
    /// The conversation's id.
    pub conversation_id: Option<String>,
    /// The profile whose limits and settings apply; default: that of the service.
    pub preset: Option<String>,
    /// Switches of the template language, where they are not as the profile has them.
    #[serde(default, deserialize_with = "preface::object::read")]
    pub options: AnalyzeOptions,
}

/// Switches of the template language.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
pub struct AnalyzeOptions {
    /// Keeps the content of `[raw]…[endraw]` verbatim.
    pub raw: Option<bool>,
    /// Removes lines that contain only control tags.
    pub trim_tag_lines: Option<bool>,
}

/// Analyzes a template: tags, diagnostics, a preview with the origin of every byte, and the variables it uses.
///
/// A template that exceeds a hard limit has an error among its diagnostics and no preview. Long lists are truncated; `left` is the
/// number of omitted entries.
#[utoipa::path(
    post, path = "/system-prompt/analyze", tag = "system-prompt",
    operation_id = "analyze",
    request_body = AnalyzeWrite,
    responses(
        (status = 200, description = "The analysis.", body = Analysis),
        (status = 403, description = "The directory is outside of the roots.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The profile does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn analyze(
    State(app): State<Arc<App>>,
    JsonBody(body): JsonBody<AnalyzeWrite>,
) -> HandlerResult<Json<Analysis>> {
    let cwd = match &body.cwd {
        Some(cwd) => Some(app.below_a_root(cwd).await?),
        None => None,
    };
    let request = Request {
        cwd,
        model: body.model,
        conversation: body.conversation_id,
        preset: Some(body.preset.unwrap_or_else(|| app.settings.preset.clone())),
        home_trust: app.settings.home_trust,
        ..Request::default()
    };
    let wanted = AnalysisRequest {
        template: body.template,
        request,
        roots: app.settings.roots.clone(),
        raw: body.options.raw,
        trim_tag_lines: body.options.trim_tag_lines,
    };
    Ok(Json(app.work_at(&app.analyzing, move |engine| engine.analyze(&wanted)).await?))
}
