//! What a role may do.

use super::is_safe;
use axum::http::Method;
use preface::store::Role;

/// What an agent asks while it talks.
const CONVERSE: [&str; 3] =
    ["/conversations/{id}/compactions", "/conversations/{id}/refresh", "/conversations/{id}/turns"];

/// Returns the least role that a request needs. `route` is the address as the router names it.
pub(super) fn needed(method: &Method, route: &str) -> Role {
    match *method {
        ref method if is_safe(method) => Role::Read,
        // It looks at a text that is sent along and keeps nothing.
        Method::POST if route.ends_with("/analyze") => Role::Read,
        Method::POST if CONVERSE.contains(&route) => Role::Converse,
        _ => Role::Write,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_request_has_its_least_role() {
        for (method, route, role) in [
            (Method::GET, "/system-prompt", Role::Read),
            (Method::HEAD, "/", Role::Read),
            (Method::GET, "/metrics", Role::Read),
            (Method::POST, "/system-prompt/analyze", Role::Read),
            (Method::POST, "/conversations/{id}/turns", Role::Converse),
            (Method::POST, "/conversations/{id}/compactions", Role::Converse),
            (Method::POST, "/conversations/{id}/refresh", Role::Converse),
            (Method::DELETE, "/conversations/{id}/turns", Role::Write),
            (Method::DELETE, "/conversations/{id}", Role::Write),
            (Method::PUT, "/system-prompt", Role::Write),
            (Method::POST, "/templates/{name}/versions/{version}/restore", Role::Write),
            (Method::POST, "unmatched", Role::Write),
        ] {
            assert_eq!(needed(&method, route), role, "{method} {route}");
        }
    }
}
