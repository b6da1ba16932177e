//! `/scopes`: what the layers bring for a directory, what of it is active, from where, hiding what.

use crate::{App, Problem, extract::QueryValues, reply::HandlerResult};
use axum::{Json, extract::State};
use preface::{Request, ScopesReport, TrustChoice};
use preface_core::{
    diagnostic::Diagnostics,
    extension::{Extension, Layered, Startup},
    mcp_servers::DeclaredServer,
    trust::{Trust, TrustMode},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// For what is asked.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ScopesQuery {
    /// The working directory, absolute, at or below a root; the first root where it is left out.
    #[param(max_length = 4096, pattern = r"^/[^\x00]*$")]
    pub cwd: Option<String>,
    /// A preset or profile by name; that of the service where it is left out.
    #[param(max_length = 4096, pattern = r"^[^\x00]*$")]
    pub preset: Option<String>,
}

/// What the layers bring.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ScopesReply {
    /// The directory that was looked at.
    pub cwd: String,
    /// The profile's name.
    pub preset: String,
    /// How the profile guards a project.
    pub mode: TrustMode,
    /// Whether the project is trusted. A root of the service is the grant.
    pub trust: Trust,
    /// The directory of the user's own files.
    #[schema(required)]
    pub global: Option<String>,
    /// The project's directory.
    #[schema(required)]
    pub project: Option<String>,
    /// How many entries are active, and which are not.
    pub startup: Startup,
    /// Every extension of every layer: category, name, origin, whether it is active, what it shadows, and why not.
    pub entries: Vec<Layered<Extension>>,
    /// The MCP servers of all layers.
    pub servers: Vec<Layered<DeclaredServer>>,
    /// What came up.
    #[schema(value_type = Vec<preface_core::diagnostic::Diagnostic>)]
    pub diagnostics: Diagnostics,
}

/// Lists what the layers bring for a directory, active or not, and why. Nothing is started.
#[utoipa::path(
    get, path = "/scopes", tag = "scopes", operation_id = "scopes",
    params(ScopesQuery),
    responses(
        (status = 200, description = "What the layers bring.", body = ScopesReply),
        (status = 403, description = "The directory does not lie below a root.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "There is no such preset.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn scopes(
    State(app): State<Arc<App>>,
    QueryValues(query): QueryValues<ScopesQuery>,
) -> HandlerResult<Json<ScopesReply>> {
    let mut request = Request { trust: TrustChoice::Once, ..app.request() };
    if let Some(cwd) = query.cwd {
        request.cwd = Some(app.below_a_root(&cwd).await?);
    }
    request.preset = query.preset.or(request.preset);
    let report = app.work(move |engine| engine.scopes(&request)).await?;
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
