//! The role that each address needs.

use super::is_safe;
use axum::http::Method;
use preface_engine::store::TokenRole;

/// Addresses whose response depends on files below the roots, beyond those of a stored template.
const ANALYZE: [&str; 3] = ["/scopes", "/system-prompt/analyze", "/system-prompt/files"];

/// The requests of an agent during a conversation.
const CONVERSE: [&str; 5] = [
    "/conversations/{id}/compactions",
    "/conversations/{id}/refresh",
    "/conversations/{id}/requests",
    "/conversations/{id}/requests/{number}/usage",
    "/conversations/{id}/turns",
];

/// Returns the role that a request needs. `route` is the address as the router names it. A handler may need another for
/// some of its parameters.
pub(crate) fn needed_role(method: &Method, route: &str) -> TokenRole {
    let safe = is_safe(method);
    match route {
        "/metrics" if safe => TokenRole::Metrics,
        _ if ANALYZE.contains(&route) && (safe || *method == Method::POST) => TokenRole::Analyze,
        _ if safe => TokenRole::Read,
        _ if *method == Method::POST && CONVERSE.contains(&route) => TokenRole::Converse,
        _ => TokenRole::Write,
    }
}
