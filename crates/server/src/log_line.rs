//! The line of the log for one request. It names the address as the router does, so that no id of a conversation is in it.

use axum::http::{HeaderValue, Method, StatusCode};
use std::time::Duration;
use tracing::{debug, info, warn};

/// What is told.
pub(crate) struct Line<'a> {
    pub id: &'a HeaderValue,
    pub method: &'a Method,
    pub route: &'a str,
    pub status: StatusCode,
    pub took: Duration,
    pub actor: &'a str,
    pub code: Option<&'a str>,
}

/// Writes it: reads that went well for those who debug, changes and refusals as news, failures as warnings.
pub(crate) fn write(line: &Line<'_>) {
    let Line { method, route, actor, .. } = line;
    let (status, ms) = (line.status.as_u16(), line.took.as_micros() as f64 / 1000.0);
    let id = line.id.to_str().unwrap_or_default();
    match line.code {
        Some(code) if status >= 500 => warn!(id, %method, route, status, ms, actor, code, "request"),
        Some(code) => info!(id, %method, route, status, ms, actor, code, "request"),
        None if status >= 500 => warn!(id, %method, route, status, ms, actor, "request"),
        None if is_read(line) => debug!(id, %method, route, status, ms, actor, "request"),
        None => info!(id, %method, route, status, ms, actor, "request"),
    }
}

/// A look at something, or a turn that got the prompt it got before.
fn is_read(line: &Line<'_>) -> bool {
    let looks = matches!(*line.method, Method::GET | Method::HEAD | Method::OPTIONS);
    let again =
        line.status == StatusCode::OK && (line.route.ends_with("/turns") || line.route.ends_with("/analyze"));
    looks || again
}
