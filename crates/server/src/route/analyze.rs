//! `/system-prompt/analyze`: the analysis of a template for an editor. Nothing is stored.

use super::conversations::ToolName;
use crate::{App, Problem, extract::JsonBody, reply::HandlerResult};
use axum::{Json, extract::State, http::StatusCode};
use preface_core::variable::VariableKey;
use preface_engine::{
    Request, ToolChoice,
    analyze::{Analysis, AnalysisRequest},
};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};

/// A template to analyze.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
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
    /// The agent whose prompt it is; default: the main conversation's.
    pub agent: Option<String>,
    /// The active tools, by name; default: those of the profile.
    #[schema(max_items = 1000, value_type = Option<Vec<ToolName>>)]
    pub tools: Option<Vec<String>>,
    /// Values that replace what would be found, by `type:name`; null for a variable that is to be absent.
    #[serde(default)]
    pub variables: BTreeMap<String, Option<String>>,
    /// The instant, RFC 3339; default: now.
    pub now: Option<String>,
    /// The name of the time zone, such as `Europe/Berlin`; default: that of the service.
    pub time_zone: Option<String>,
    /// The profile whose limits and settings apply; default: that of the service.
    pub preset: Option<String>,
    /// Switches of the template language, where they are not as the profile has them.
    #[serde(default, deserialize_with = "preface_engine::json_input::object")]
    pub options: AnalyzeOptions,
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

/// The most tools and the most variables of one request.
const MOST_ENTRIES: usize = 1000;

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
    JsonBody(body): JsonBody<AnalyzeWrite>,
) -> HandlerResult<Json<Analysis>> {
    let cwd = match &body.cwd {
        Some(cwd) => Some(app.below_a_root(cwd).await?),
        None => None,
    };
    let entries = body.tools.as_ref().map_or(0, Vec::len).max(body.variables.len());
    if entries > MOST_ENTRIES {
        let detail = format!("`tools` or `variables` has more than {MOST_ENTRIES} entries");
        return Err(Problem::new(StatusCode::BAD_REQUEST, "field", detail));
    }
    let request = Request {
        cwd,
        model: body.model,
        conversation: body.conversation_id,
        agent: body.agent,
        tools: body.tools.map_or(ToolChoice::Profile, ToolChoice::Named),
        variables: keyed(body.variables)?,
        now: body.now,
        zone: body.time_zone,
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

/// Reads the names of variables.
fn keyed(
    variables: BTreeMap<String, Option<String>>,
) -> HandlerResult<BTreeMap<VariableKey, Option<String>>> {
    let key = |(name, value): (String, _)| match name.parse::<VariableKey>() {
        Ok(key) => Ok((key, value)),
        Err(error) => Err(Problem::new(StatusCode::BAD_REQUEST, "usage", error.to_string())
            .help("name a variable by its type and its name, such as `git:branch`")),
    };
    variables.into_iter().map(key).collect()
}
