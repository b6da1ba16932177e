//! The numbers of the service.

use crate::App;
use axum::{extract::State, http::header, response::IntoResponse};
use std::sync::Arc;

/// Tells the numbers of this node, in the text format that Prometheus reads.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses((status = 200, description = "The numbers", body = String, content_type = "application/openmetrics-text")),
)]
pub async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text())
}
