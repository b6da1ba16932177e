//! Whether the service lives, and whether it can do its work.

use crate::{App, Problem, caller::Identity, reply::Reply};
use axum::{Json, extract::State, http::StatusCode};
use preface::store::Role;
use serde::Serialize;
use std::sync::Arc;

/// How the service is.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Health {
    /// `ok`.
    pub status: &'static str,
    /// The kind of store, for those who may read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<&'static str>,
}

/// Says that the process lives.
#[utoipa::path(get, path = "/healthz", tag = "service", responses((status = 200, body = Health, description = "It lives")))]
pub async fn healthz() -> Json<Health> {
    Json(Health { status: "ok", store: None })
}

/// Reports whether the store answers and takes writes: the service writes to it every five seconds. The kind of store and the
/// reason of a failure are for those who may read it.
#[utoipa::path(
    get, path = "/readyz", tag = "service",
    responses((status = 200, body = Health, description = "The store answers and takes writes"), (status = 503, description = "The store does not answer, or the last write to it failed", body = crate::Problem, content_type = "application/problem+json")),
)]
pub async fn readyz(State(app): State<Arc<App>>, identity: Identity) -> Reply<Json<Health>> {
    let may_read = identity.require(Role::Read).is_ok();
    let checked = match app.write_probe.failure() {
        Some(error) => Err(error),
        None => app.store.check().await,
    };
    if let Err(error) = checked {
        // Whatever is wrong with the store: this node is not to be asked.
        let (status, code, reason) =
            (StatusCode::SERVICE_UNAVAILABLE, "store-unavailable", error.to_string());
        let problem = if may_read {
            Problem { hint: error.hint(), ..Problem::new(status, code, reason.clone()) }
        } else {
            Problem::new(status, code, "the store does not answer, or takes no writes")
                .hint("the log has the reason")
        };
        return Err(problem.reason(reason));
    }
    Ok(Json(Health { status: "ok", store: may_read.then(|| app.store.kind()) }))
}
