//! Whether the service lives, and whether it can do its work.

use crate::{App, Problem, reply::Reply};
use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use std::sync::Arc;

/// How the service is.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Health {
    /// `ok`.
    pub status: &'static str,
    /// The kind of store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<&'static str>,
}

/// Says that the process lives.
#[utoipa::path(get, path = "/healthz", tag = "service", responses((status = 200, body = Health, description = "It lives")))]
pub async fn healthz() -> Json<Health> {
    Json(Health { status: "ok", store: None })
}

/// Says whether the store can be asked.
#[utoipa::path(
    get, path = "/readyz", tag = "service",
    responses((status = 200, body = Health, description = "The store answers"), (status = 503, description = "The store does not answer", body = crate::Problem, content_type = "application/problem+json")),
)]
pub async fn readyz(State(app): State<Arc<App>>) -> Reply<Json<Health>> {
    // Whatever is wrong with the store: this node is not to be asked.
    app.store.check().await.map_err(|error| Problem {
        hint: error.hint(),
        ..Problem::new(StatusCode::SERVICE_UNAVAILABLE, "store-unavailable", error.to_string())
    })?;
    Ok(Json(Health { status: "ok", store: Some(app.store.kind()) }))
}
