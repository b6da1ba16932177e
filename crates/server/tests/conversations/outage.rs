//! A store that does not respond: nothing is half done, responses report it, and it ends by itself.

use crate::{
    bench::{memory, over},
    switch::{Switch, Works},
};
use axum::http::Method;
use serde_json::json;

#[tokio::test]
async fn while_the_store_is_away_conversations_return_an_error() {
    let switch = Switch::over(memory().await);
    let bench = over(switch.clone());
    bench.service.store("Stored.").await;
    let first = bench.begin("c").await;
    switch.set(Works::Nothing);
    for (method, path) in [
        (Method::POST, "/conversations/c/turns"),
        (Method::POST, "/conversations/new/turns"),
        (Method::POST, "/conversations/c/compactions"),
        (Method::POST, "/conversations/c/refresh"),
        (Method::GET, "/conversations/c/system-prompt"),
        (Method::GET, "/conversations/c/explain"),
        (Method::GET, "/conversations/c/history"),
        (Method::GET, "/conversations"),
        (Method::DELETE, "/conversations/c"),
        (Method::GET, "/readyz"),
    ] {
        let answer = bench.service.send(method.clone(), path, &[], axum::body::Body::empty()).await;
        let problem = answer.problem(503, "store-unavailable");
        assert_eq!(answer.header("retry-after"), Some("1"), "{method} {path}");
        assert!(problem["help"].is_string(), "{problem}");
    }
    bench.service.put("/system-prompt", &json!({"template": "x"})).await.problem(503, "store-unavailable");
    bench.service.post("/purge", &json!({"older_than_seconds": 1})).await.problem(503, "store-unavailable");

    // What needs no store is there.
    let template = bench.service.get("/system-prompt").await;
    assert_eq!((template.status.as_u16(), template.header("preface-degraded")), (200, Some("store")));
    assert_eq!(template.header("etag"), None);
    assert!(template.json()["template"].as_str().unwrap().starts_with("You are a helpful"));
    assert_eq!(bench.service.get("/system-prompt/variables").await.status, 200);
    assert_eq!(bench.service.get("/healthz").await.status, 200);

    switch.set(Works::All);
    let back = bench.get("/c/system-prompt").await;
    assert_eq!((back.status.as_u16(), back.etag()), (200, first.etag()));
    assert_eq!(bench.begin("new").await.json()["system_prompt"], "Stored.");
}

#[tokio::test]
async fn a_prompt_that_cannot_be_stored_is_not_returned() {
    let switch = Switch::over(memory().await);
    let bench = over(switch.clone());
    bench.service.store("One.").await;
    let first = bench.begin("c").await;
    bench.service.store("Two.").await;
    switch.set(Works::Reads);
    for path in ["new/turns", "c/compactions", "c/refresh"] {
        let answer = bench.post(path, &json!({"options": {"directory": "/work/p"}})).await;
        let problem = answer.problem(503, "store-unavailable");
        assert!(!problem.to_string().contains("Two."), "{problem}");
    }
    bench.get("/new/system-prompt").await.problem(404, "unknown-conversation");
    assert_eq!(bench.get("/c/system-prompt").await.etag(), first.etag());
    assert_eq!(bench.post("c/turns", &json!({})).await.status, 200, "later turns only read");
    assert_eq!(bench.post("c/refresh?dry_run=true", &json!({})).await.status, 200);
    switch.set(Works::All);
    assert_eq!(bench.get("/c/history").await.json()["items"], json!([]), "nothing was half done");
    assert_eq!(bench.begin("new").await.json()["system_prompt"], "Two.");
}

#[tokio::test]
async fn a_service_whose_store_takes_no_writes_is_not_ready() {
    let switch = Switch::over(memory().await);
    let bench = over(switch.clone());
    switch.set(Works::Reads);
    assert_eq!(bench.service.get("/readyz").await.status, 200, "a read does not show it");
    bench.app.probe_store().await;
    let problem = bench.service.get("/readyz").await.problem(503, "store-unavailable");
    assert_eq!(problem["detail"], "the store's disk is full: no space left");
    assert_eq!(bench.service.get("/healthz").await.status, 200);
    switch.set(Works::All);
    bench.app.probe_store().await;
    assert_eq!(bench.service.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn a_store_whose_file_was_taken_away_is_away() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("preface.db");
    let store =
        preface_engine::store::open(&preface_engine::store::StoreUrl::Sqlite(path.clone())).await.unwrap();
    let bench = over(store);
    let first = bench.begin("c").await;
    std::fs::remove_file(&path).unwrap();
    for path in ["new/turns", "c/compactions"] {
        let problem = bench
            .post(path, &json!({"options": {"directory": "/work/p"}}))
            .await
            .problem(503, "store-unavailable");
        assert!(problem["detail"].as_str().unwrap().contains("removed or replaced"), "{problem}");
    }
    bench.service.put("/system-prompt", &json!({"template": "x"})).await.problem(503, "store-unavailable");
    bench.service.get("/readyz").await.problem(503, "store-unavailable");
    assert_eq!(bench.get("/c/system-prompt").await.etag(), first.etag(), "what is open is read");
}

#[tokio::test]
async fn a_service_that_is_not_ready_reports_it_whatever_the_reason() {
    let switch = Switch::over(memory().await);
    let bench = over(switch.clone());
    switch.set(Works::Damaged);
    bench.service.get("/readyz").await.problem(503, "store-unavailable");
    bench.post("c/turns", &json!({"options": {"directory": "/work/p"}})).await.problem(500, "store-failed");
}
