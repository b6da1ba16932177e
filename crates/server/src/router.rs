//! All routes.

use crate::{
    App, Problem, describe, layers,
    route::{
        analyze, conversations, editor, files, requests, scopes, service, system_prompt as main,
        templates as named, transfer, variables,
    },
};
use axum::{
    Router,
    http::{Method, StatusCode},
};
use std::sync::Arc;
use utoipa::openapi::{Info, OpenApi, OpenApiBuilder};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Builds the service.
pub fn router(app: App) -> Router {
    let app = Arc::new(app);
    let (router, _) = routed().split_for_parts();
    let router = router
        .fallback(async || Problem::new(StatusCode::NOT_FOUND, "no-route", "no such address"))
        .method_not_allowed_fallback(async |method: Method| {
            let detail = format!("method {method} is not allowed for this address");
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

fn routed() -> OpenApiRouter<Arc<App>> {
    let info = Info::new("preface", env!("CARGO_PKG_VERSION"));
    OpenApiRouter::with_openapi(OpenApiBuilder::new().info(info).build())
        .routes(routes!(main::get, main::put))
        .routes(routes!(variables::variables))
        .routes(routes!(analyze::analyze))
        .routes(routes!(files::files))
        .routes(routes!(named::list))
        .routes(routes!(named::get, named::put, named::delete))
        .routes(routes!(named::versions))
        .routes(routes!(named::version))
        .routes(routes!(named::restore))
        .routes(routes!(named::diff))
        .routes(routes!(named::set_label, named::remove_label))
        .routes(routes!(transfer::export))
        .routes(routes!(transfer::import))
        .routes(routes!(scopes::scopes))
        .routes(routes!(editor::editor))
        .routes(routes!(editor::asset))
        .routes(routes!(editor::plain))
        .routes(routes!(conversations::list))
        .routes(routes!(conversations::forget))
        .routes(routes!(conversations::turn))
        .routes(routes!(conversations::system_prompt))
        .routes(routes!(conversations::compact))
        .routes(routes!(conversations::refresh))
        .routes(routes!(conversations::explain))
        .routes(routes!(conversations::history))
        .routes(routes!(conversations::purge))
        .routes(routes!(requests::list, requests::request))
        .routes(routes!(requests::usage))
        .routes(routes!(service::healthz))
        .routes(routes!(service::readyz))
        .routes(routes!(service::metrics))
        .routes(routes!(service::openapi))
}
