//! Health, metrics, and the OpenAPI description.

use crate::{App, HandlerResult, Identity, Problem};
use axum::{
    Json,
    body::Bytes,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use preface_engine::store::TokenRole;
use serde::Serialize;
use std::sync::{Arc, LazyLock};

/// The health of the service.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Health {
    /// `ok`.
    pub status: &'static str,
    /// The kind of store; requires the role `read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<&'static str>,
}

/// Answers as long as the process lives.
#[utoipa::path(get, path = "/healthz", tag = "service", responses((status = 200, body = Health, description = "The process is running")))]
pub async fn healthz() -> Json<Health> {
    Json(Health { status: "ok", store: None })
}

/// Checks that the store responds and accepts writes: the service writes to it every five seconds. The kind of store and the
/// reason of a failure are for those who may read it.
#[utoipa::path(
    get, path = "/readyz", tag = "service",
    responses((status = 200, body = Health, description = "The store responds and accepts writes"), (status = 503, description = "The store does not respond, or the last write to it failed", body = Problem, content_type = "application/problem+json")),
)]
pub async fn readyz(State(app): State<Arc<App>>, identity: Identity) -> HandlerResult<Json<Health>> {
    let may_read = identity.require(TokenRole::Read).is_ok();
    let checked = match app.write_probe.failure() {
        Some(error) => Err(error),
        None => app.store.check().await,
    };
    if let Err(error) = checked {
        // With any fault of the store, no request belongs here.
        let (status, code, reason) =
            (StatusCode::SERVICE_UNAVAILABLE, "store-unavailable", error.to_string());
        let problem = if may_read {
            Problem { help: error.help(), ..Problem::new(status, code, reason.clone()) }
        } else {
            Problem::new(status, code, "the store does not respond or rejects writes")
                .help("see the log of the service")
        };
        return Err(problem.reason(reason));
    }
    Ok(Json(Health { status: "ok", store: may_read.then(|| app.store.kind()) }))
}

/// Returns the numbers of this node, in the text format that Prometheus reads.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses((status = 200, description = "The metrics", body = String, content_type = "application/openmetrics-text")),
)]
pub async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text())
}

/// The description; it does not change while the program runs.
static DOCUMENT: LazyLock<Bytes> =
    LazyLock::new(|| serde_json::to_vec(&crate::api()).unwrap_or_default().into());

/// Describes every operation, in OpenAPI 3.1.
#[utoipa::path(get, path = "/openapi.json", tag = "service", responses((status = 200, body = Object, description = "The document")))]
pub async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.clone())
}
