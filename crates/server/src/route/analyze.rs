//! `/system-prompt/analyze`: the analysis of a template for an editor. Nothing is stored.

use crate::{App, HandlerResult, JsonBody, Problem, options};
use axum::{Json, extract::State};
use preface_engine::{
    BuildOptions, TemplateInput,
    analyze::{Analysis, AnalysisRequest},
    core::declaration::{Declarations, VariableDeclaration},
};
use serde::Deserialize;
use std::sync::Arc;

/// A template to analyze.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyzeWrite {
    /// The text.
    pub template: String,
    /// The variables that the template declares, by `type:name`.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, VariableDeclaration>)]
    pub variables: Declarations,
    /// The options of the build. Without `directory` no values of a directory are read.
    #[serde(default, deserialize_with = "preface_engine::json_input::object")]
    pub options: BuildOptions,
    /// Switches of the template language, where they are not as the profile has them.
    #[serde(default, deserialize_with = "preface_engine::json_input::object")]
    pub language: AnalyzeOptions,
}

/// Switches of the template language.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
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
        (status = 400, description = "A variable, the instant, the time zone or the agent cannot be used.", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The directory is outside of the roots.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The profile does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn analyze(
    State(app): State<Arc<App>>,
    JsonBody(mut body): JsonBody<AnalyzeWrite>,
) -> HandlerResult<Json<Analysis>> {
    let conversation = body.options.conversation.take();
    let mut options = options::of_client(body.options, app.settings.home_trust)?;
    options.preset.get_or_insert_with(|| app.settings.preset.clone());
    let cwd = match &options.cwd {
        Some(cwd) => Some(app.below_a_root(&cwd.to_string_lossy()).await?),
        None => None,
    };
    let declared = TemplateInput { variables: body.variables, ..TemplateInput::unsaved("template", "") };
    let request = BuildOptions { cwd, conversation, template_text: Some(declared), ..options };
    let wanted = AnalysisRequest {
        template: body.template,
        request,
        roots: app.settings.roots.clone(),
        raw: body.language.raw,
        trim_tag_lines: body.language.trim_tag_lines,
    };
    Ok(Json(app.work_at(&app.analyzing, move |engine| engine.analyze(&wanted)).await?))
}
