//! The description of the service.

use axum::{
    body::Bytes,
    http::header,
    response::{IntoResponse, Response},
};
use std::sync::LazyLock;

/// Written once: it does not change while the program runs.
static DOCUMENT: LazyLock<Bytes> =
    LazyLock::new(|| serde_json::to_vec(&crate::api()).unwrap_or_default().into());

/// Describes every operation, in OpenAPI 3.1.
#[utoipa::path(get, path = "/openapi.json", tag = "service", responses((status = 200, body = Object, description = "The document")))]
pub async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.clone()).into_response()
}
