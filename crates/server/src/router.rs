//! All routes on one screen.

use crate::{
    App, Problem, describe, layers,
    route::{conversations, health, metrics, openapi},
};
use axum::{
    Router,
    http::{Method, StatusCode},
};
use utoipa::openapi::{Info, OpenApi, OpenApiBuilder};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Builds the service.
pub fn router(app: App) -> Router {
    let (router, _) = routed().split_for_parts();
    let router = router
        .fallback(async || Problem::new(StatusCode::NOT_FOUND, "no-route", "there is no such address"))
        .method_not_allowed_fallback(async |method: Method| {
            let detail = format!("{method} is not for this address");
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", detail)
        })
        .with_state(app.clone());
    layers::layered(router, &app)
}

/// Describes the service.
#[must_use]
pub fn api() -> OpenApi {
    describe::complete(routed().split_for_parts().1)
}

fn routed() -> OpenApiRouter<App> {
    let info = Info::new("preface", env!("CARGO_PKG_VERSION"));
    OpenApiRouter::with_openapi(OpenApiBuilder::new().info(info).build())
        .routes(routes!(conversations::list))
        .routes(routes!(conversations::forget))
        .routes(routes!(conversations::turn))
        .routes(routes!(conversations::system_prompt))
        .routes(routes!(conversations::compact))
        .routes(routes!(conversations::refresh))
        .routes(routes!(conversations::explain))
        .routes(routes!(conversations::past))
        .routes(routes!(conversations::purge))
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(metrics::metrics))
        .routes(routes!(openapi::openapi))
}
