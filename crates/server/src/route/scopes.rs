//! `/scopes`: the entries of all layers for a directory, with state and origin.

use crate::{App, HandlerResult, Problem, QueryValues};
use axum::{Json, extract::State};
use preface_core::{
    diagnostic::Diagnostics,
    extension::{Entry, Extension, Startup},
    mcp_servers::DeclaredServer,
    trust::{Trust, TrustMode},
};
use preface_engine::{BuildOptions, ScopesReport, TrustChoice};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The context of the request.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ScopesQuery {
    /// The working directory, absolute, at or below a root; default: the first root.
    #[param(max_length = 4096, pattern = r"^/[^\x00]*$")]
    pub cwd: Option<String>,
    /// A preset or profile by name; default: that of the service.
    #[param(max_length = 4096, pattern = r"^[^\x00]*$")]
    pub preset: Option<String>,
}

/// The entries of all layers.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ScopesReply {
    /// The directory.
    pub cwd: String,
    /// The profile's name.
    pub preset: String,
    /// The trust mode of the profile.
    pub mode: TrustMode,
    /// The trust of the project. A root of the service is trusted.
    pub trust: Trust,
    /// The directory of the user's own files.
    #[schema(required)]
    pub global: Option<String>,
    /// The project's directory.
    #[schema(required)]
    pub project: Option<String>,
    /// The number of entries by state.
    pub startup: Startup,
    /// Every extension of every layer: category, name, origin, state, and the entries it hides.
    pub entries: Vec<Entry<Extension>>,
    /// The MCP servers of all layers.
    pub servers: Vec<Entry<DeclaredServer>>,
    /// Diagnostics.
    #[schema(value_type = Vec<preface_core::diagnostic::Diagnostic>)]
    pub diagnostics: Diagnostics,
}

/// Lists the entries of all layers for a directory with their states and reasons. Nothing is started.
#[utoipa::path(
    get, path = "/scopes", tag = "scopes", operation_id = "scopes",
    params(ScopesQuery),
    responses(
        (status = 200, description = "The entries of all layers.", body = ScopesReply),
        (status = 403, description = "The directory is outside of the roots.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The preset does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn scopes(
    State(app): State<Arc<App>>,
    QueryValues(query): QueryValues<ScopesQuery>,
) -> HandlerResult<Json<ScopesReply>> {
    let mut request = BuildOptions { trust: TrustChoice::Roots, ..app.request() };
    if let Some(cwd) = query.cwd {
        request.cwd = Some(app.below_a_root(&cwd).await?);
    }
    request.preset = query.preset.or(request.preset);
    let report = app.work(move |engine| engine.look(&request)?.scopes()).await?;
    let ScopesReport { scopes, mcp, mut diagnostics, places, preset, mode, trust, .. } = report;
    let startup = scopes.startup();
    diagnostics.dedup();
    Ok(Json(ScopesReply {
        cwd: places.cwd.display().to_string(),
        preset,
        mode,
        trust,
        global: places.global.as_deref().map(|dir| places.shown(dir)),
        project: places.project.as_deref().map(|dir| places.shown(dir)),
        startup,
        entries: scopes.entries,
        servers: mcp.servers,
        diagnostics,
    }))
}
