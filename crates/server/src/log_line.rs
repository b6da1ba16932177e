//! The line of the log for one request. It names the address as the router does, so that no id of a conversation is in it.

use crate::{Problem, layers::Outcome};
use axum::http::{Method, StatusCode};
use preface_core::lint::hidden::escape_hidden;
use std::time::Duration;
use tracing::{debug, info, warn};

/// Writes it: reads that went well for those who debug, changes and refusals as news, failures as warnings.
pub(crate) fn write(outcome: &Outcome<'_>, status: StatusCode, took: Duration, failure: Option<&Problem>) {
    let Outcome { method, route, .. } = outcome;
    let (actor, id) = (outcome.identity.name(), outcome.id.to_str().unwrap_or_default());
    let is_read = is_read(method, route, status);
    let (status, ms) = (status.as_u16(), took.as_micros() as f64 / 1000.0);
    let code = failure.map(|failure| failure.code.as_str());
    // The cause of a failure may repeat what a server sent: bounded, and without what a terminal would obey.
    let reason = failure.and_then(|failure| failure.reason.as_deref()).map(|reason| {
        let start: String = reason.chars().take(REASON).collect();
        escape_hidden(&start).into_owned()
    });
    let reason = reason.as_deref();
    if status >= 500 {
        warn!(id, %method, route, status, ms, actor, code, reason, "request");
    } else if code.is_none() && is_read {
        debug!(id, %method, route, status, ms, actor, "request");
    } else {
        info!(id, %method, route, status, ms, actor, code, reason, "request");
    }
}

/// The most characters of a reason.
const REASON: usize = 500;

/// A look at something, or a turn that got the prompt it got before.
fn is_read(method: &Method, route: &str, status: StatusCode) -> bool {
    let looks = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    looks || status == StatusCode::OK && (route.ends_with("/turns") || route.ends_with("/analyze"))
}
