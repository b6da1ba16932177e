//! The line of the log for one request. It names the address as the router does, so that no id of a conversation is in it.

use axum::http::{HeaderValue, Method, StatusCode};
use preface_core::lint::hidden::escape_hidden;
use std::time::Duration;
use tracing::{debug, info, warn};

/// The fields of the line.
pub(crate) struct LogLine<'a> {
    pub id: &'a HeaderValue,
    pub method: &'a Method,
    pub route: &'a str,
    pub status: StatusCode,
    pub took: Duration,
    pub actor: &'a str,
    pub code: Option<&'a str>,
    /// The cause of a failure, such as what the store reported.
    pub reason: Option<&'a str>,
}

/// Writes it: reads that went well for those who debug, changes and refusals as news, failures as warnings.
pub(crate) fn write(line: &LogLine<'_>) {
    let LogLine { method, route, actor, code, .. } = line;
    let (status, ms) = (line.status.as_u16(), line.took.as_micros() as f64 / 1000.0);
    let id = line.id.to_str().unwrap_or_default();
    // It may repeat what a server sent: bounded, and without what a terminal would obey.
    let reason = line.reason.map(|reason| {
        let start: String = reason.chars().take(REASON).collect();
        escape_hidden(&start).into_owned()
    });
    let reason = reason.as_deref();
    if status >= 500 {
        warn!(id, %method, route, status, ms, actor, code, reason, "request");
    } else if code.is_none() && is_read(line) {
        debug!(id, %method, route, status, ms, actor, "request");
    } else {
        info!(id, %method, route, status, ms, actor, code, reason, "request");
    }
}

/// The most characters of a reason.
const REASON: usize = 500;

/// A look at something, or a turn that got the prompt it got before.
fn is_read(line: &LogLine<'_>) -> bool {
    let looks = matches!(*line.method, Method::GET | Method::HEAD | Method::OPTIONS);
    let again =
        line.status == StatusCode::OK && (line.route.ends_with("/turns") || line.route.ends_with("/analyze"));
    looks || again
}
