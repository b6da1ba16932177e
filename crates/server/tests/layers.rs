//! What every request passes: ids, limits, problems, headers, numbers.

mod support;

use axum::{Json, Router, body::Body, http::StatusCode, routing::get};
use preface_server::{ServiceLimits, layered, router};
use serde_json::json;
use std::{future::pending, time::Duration};
use support::{app, echo, send};

#[tokio::test]
async fn every_answer_has_an_id_and_sane_ones_are_kept() {
    let router = echo(&app().await);
    let kept = send(&router, "GET /thing", &["x-request-id: 7f3a:b-c"], Body::empty()).await;
    assert_eq!(kept.header("x-request-id"), "7f3a:b-c");
    let long = "x".repeat(129);
    for odd in ["", "a b", "\u{fc}", &long] {
        let response = send(&router, "GET /thing", &[&format!("x-request-id: {odd}")], Body::empty()).await;
        let id = response.headers["x-request-id"].as_bytes();
        assert!(id != odd.as_bytes() && !id.is_empty() && id.is_ascii(), "{odd}: {id:?}");
    }
    let (one, other) = (
        send(&router, "GET /thing", &[], Body::empty()).await,
        send(&router, "GET /thing", &[], Body::empty()).await,
    );
    assert_ne!(one.header("x-request-id"), other.header("x-request-id"));
}

#[tokio::test]
async fn every_answer_has_the_headers_that_keep_browsers_careful() {
    let app = app().await;
    let page = Router::new().route("/", get(async || axum::response::Html("<p>hello")));
    for (router, path) in [(layered(page, &app), "GET /"), (router(app.clone()), "GET /nothing")] {
        let response = send(&router, path, &[], Body::empty()).await;
        let policy = response.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(!policy.contains("script-src"), "a page has the policy that its handler sets: {policy}");
        assert_eq!(response.header("x-content-type-options"), "nosniff");
        assert_eq!(response.header("referrer-policy"), "no-referrer");
        assert_eq!(response.header("cache-control"), "no-store");
        assert_eq!(response.header("access-control-allow-origin"), "");
    }
    let own = Router::new().route("/", get(async || ([("cache-control", "max-age=60")], "")));
    let response = send(&layered(own, &app), "GET /", &[], Body::empty()).await;
    assert_eq!(response.header("cache-control"), "max-age=60");
}

#[tokio::test]
async fn unknown_addresses_and_methods_are_problems() {
    let router = router(app().await);
    let response = send(&router, "GET /nothing", &[], Body::empty()).await;
    assert_eq!((response.status, &response.problem()["code"]), (StatusCode::NOT_FOUND, &json!("no-route")));
    let response = send(&router, "DELETE /healthz", &[], Body::empty()).await;
    assert_eq!(
        (response.status, &response.problem()["code"]),
        (StatusCode::METHOD_NOT_ALLOWED, &json!("method"))
    );
    let allowed: Vec<&str> = response.header("allow").split(',').map(str::trim).collect();
    assert_eq!(allowed, ["GET", "HEAD"]);
    let response = send(&router, "HEAD /readyz", &[], Body::empty()).await;
    assert_eq!((response.status, response.body.len()), (StatusCode::OK, 0));
}

#[tokio::test]
async fn a_body_has_a_limit_with_and_without_a_content_length() {
    let router = echo(&app().await);
    let (small, large) = ("x".repeat(64 << 10), "x".repeat((64 << 10) + 1));
    assert_eq!(send(&router, "POST /echo", &[], small.clone()).await.text(), small);
    let declared = send(&router, "POST /echo", &["content-length: 65537"], Body::empty()).await;
    assert_eq!(
        (declared.status, &declared.problem()["code"]),
        (StatusCode::PAYLOAD_TOO_LARGE, &json!("body-too-large"))
    );
    let streamed = send(&router, "POST /echo", &[], large).await;
    assert_eq!(
        (streamed.status, &streamed.problem()["code"]),
        (StatusCode::PAYLOAD_TOO_LARGE, &json!("body-too-large"))
    );
}

#[tokio::test]
async fn a_request_has_a_deadline() {
    let mut app = app().await;
    app.limits = ServiceLimits { deadline: Duration::from_millis(5), ..app.limits };
    let slow = Router::new().route("/", get(async || pending::<()>().await));
    let response = send(&layered(slow, &app), "GET /", &[], Body::empty()).await;
    assert_eq!(
        (response.status, &response.problem()["code"]),
        (StatusCode::GATEWAY_TIMEOUT, &json!("deadline"))
    );
}

#[tokio::test]
async fn too_many_requests_are_turned_away_and_health_is_not() {
    let mut app = app().await;
    app.limits = ServiceLimits { requests: 0, ..app.limits };
    let router = echo(&app);
    let response = send(&router, "GET /thing", &[], Body::empty()).await;
    assert_eq!(
        (response.status, &response.problem()["code"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("busy"))
    );
    assert_eq!(response.header("retry-after"), "1");
    assert_eq!(send(&router, "GET /healthz", &[], Body::empty()).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_panic_costs_its_own_request_and_reveals_nothing() {
    let app = app().await;
    let routes = Router::new()
        .route("/bad", get(async || -> String { panic!("the secret text") }))
        .route("/good", get(async || "good"));
    let router = layered(routes, &app);
    let response = send(&router, "GET /bad", &[], Body::empty()).await;
    assert_eq!(
        (response.status, &response.problem()["code"]),
        (StatusCode::INTERNAL_SERVER_ERROR, &json!("internal"))
    );
    assert!(!response.text().contains("secret"), "{}", response.text());
    assert_eq!(send(&router, "GET /good", &[], Body::empty()).await.text(), "good");
    let metrics = app.metrics.text();
    assert!(metrics.contains("http_requests_in_flight 0"), "{metrics}");
}

#[tokio::test]
async fn large_texts_are_compressed_if_the_client_accepts_it() {
    let large = async || Json(json!({"text": "x".repeat(100 << 10)}));
    let small = async || Json(json!({"text": "x".repeat(20 << 10)}));
    let routes = Router::new().route("/large", get(large).post(large)).route("/small", get(small));
    let router = layered(routes, &app().await);
    for (line, accepts, packed) in [
        ("GET /large", "accept-encoding: gzip, br", true),
        ("GET /large", "accept-encoding: br", false),
        ("GET /large", "accept-encoding: gzip;q=0", false),
        ("GET /small", "accept-encoding: gzip", false),
        ("POST /large", "accept-encoding: gzip", false),
    ] {
        let response = send(&router, line, &[accepts], Body::empty()).await;
        assert_eq!(response.header("content-encoding"), if packed { "gzip" } else { "" }, "{line} {accepts}");
        assert_eq!(response.body.starts_with(&[0x1f, 0x8b]), packed);
    }
}

#[tokio::test]
async fn numbers_name_routes_and_no_ids() {
    let app = app().await;
    let router = echo(&app);
    for line in ["GET /conversations/secret-id", "DELETE /conversations/secret-id", "GET /nowhere/secret-id"]
    {
        send(&router, line, &[], Body::empty()).await;
    }
    app.metrics.count_construction(preface_server::ConstructOutcome::Created);
    app.metrics.count_lookup(preface_server::CacheAnswer::Hit);
    let text = app.metrics.text();
    for line in [
        r#"http_requests_total{route="/conversations/{id}",method="GET",status="2xx"} 1"#,
        r#"http_requests_total{route="/conversations/{id}",method="DELETE",status="2xx"} 1"#,
        r#"http_requests_total{route="unmatched",method="GET",status="4xx"} 1"#,
        r#"http_request_duration_seconds_count{route="/conversations/{id}"} 2"#,
        r#"preface_constructs_total{outcome="Created"} 1"#,
        r#"preface_conversation_cache_total{answer="Hit"} 1"#,
        r#"preface_build_info{version=""#,
        "process_start_time_seconds ",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("secret-id"), "{text}");
    assert!(text.ends_with("# EOF\n"));
}

#[tokio::test]
async fn a_store_that_does_not_respond_is_reported_and_counted() {
    let app = app().await;
    app.store.close().await.expect("memory closes");
    let router = router(app.clone());
    let response = send(&router, "GET /readyz", &[], Body::empty()).await;
    assert_eq!(
        (response.status, &response.problem()["code"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("store-unavailable"))
    );
    assert_eq!(send(&router, "GET /healthz", &[], Body::empty()).await.status, StatusCode::OK);
    assert!(app.metrics.text().contains("preface_store_errors_total 1"));
}
