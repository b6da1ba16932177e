//! Unsaved texts of the editor: each owner sees its own, within limits, for a time.

mod support;

use axum::Router;
use preface_engine::{
    host::system::testing::MemorySystem,
    store::{Actor, DraftLimits, TokenRecord, TokenRole},
};
use preface_server::{App, TokenRule, router};
use serde_json::{Value, json};
use std::time::Duration;
use support::{TestResponse, add_token, app, app_on, memory, send};

const JSON: &str = "content-type: application/json";

async fn put(router: &Router, path: &str, headers: &[&str], body: &Value) -> TestResponse {
    let mut all = vec![JSON];
    all.extend_from_slice(headers);
    send(router, &format!("PUT {path}"), &all, body.to_string()).await
}

fn body(response: &TestResponse) -> Value {
    assert!(response.status.is_success(), "{}", response.text());
    serde_json::from_slice(&response.body).expect("JSON")
}

async fn names(router: &Router, headers: &[&str]) -> Vec<String> {
    let list = body(&send(router, "GET /drafts", headers, "").await);
    let items = list["items"].as_array().unwrap();
    items.iter().map(|one| format!("{}/{}", one["name"], one["id"]).replace('"', "")).collect()
}

#[tokio::test]
async fn a_draft_is_stored_listed_and_deleted() {
    let router = router(app().await);
    let text = "a\r\n\u{0}ß";
    let draft = json!({"template": text, "version": 3, "etag": "\"3-ab\""});
    let stored = body(&put(&router, "/templates/new/drafts/tab-1", &[], &draft).await);
    assert_eq!(
        stored,
        json!({"name": "new", "id": "tab-1", "version": 3, "etag": "\"3-ab\"", "bytes": 6, "at": stored["at"]})
    );
    assert!(stored["at"].as_str().unwrap().ends_with('Z'));
    let mut with_text = stored.clone();
    with_text["template"] = json!(text);
    assert_eq!(body(&send(&router, "GET /templates/new/drafts/tab-1", &[], "").await), with_text);
    assert_eq!(body(&send(&router, "GET /drafts", &[], "").await), json!({"items": [stored]}));
    let first = body(&put(&router, "/templates/new/drafts/tab-2", &[], &json!({"template": ""})).await);
    assert_eq!((&first["version"], &first["etag"]), (&json!(0), &Value::Null));
    assert_eq!(send(&router, "DELETE /templates/new/drafts/tab-1", &[], "").await.status, 204);
    assert_eq!(
        send(&router, "DELETE /templates/new/drafts/tab-1", &[], "").await.problem()["code"],
        "no-draft"
    );
    assert_eq!(send(&router, "GET /templates/new/drafts/tab-1", &[], "").await.problem()["code"], "no-draft");
    assert_eq!(names(&router, &[]).await, ["new/tab-2"]);
}

#[tokio::test]
async fn an_invalid_draft_is_refused() {
    let router = router(app().await);
    let text = json!({"template": "x"});
    for (path, code) in [
        ("/templates/new/drafts/a%2Fb", "path"),
        (&format!("/templates/new/drafts/{}", "x".repeat(65)) as &str, "path"),
        ("/templates/-/drafts/1", "path"),
    ] {
        assert_eq!(put(&router, path, &[], &text).await.problem()["code"], code, "{path}");
    }
    for (draft, code) in [
        (json!({}), "body"),
        (json!({"template": "x", "version": -1}), "body"),
        (json!({"template": "x", "version": u64::MAX}), "body"),
        (json!({"template": "x", "version": 1.5}), "body"),
        (json!({"template": "x", "etag": "a\nb"}), "field"),
        (json!({"template": "x", "etag": "x".repeat(129)}), "field"),
    ] {
        let response = put(&router, "/templates/new/drafts/1", &[], &draft).await;
        assert_eq!((response.status.as_u16(), &response.problem()["code"]), (400, &json!(code)), "{draft}");
    }
    assert_eq!(names(&router, &[]).await, [""; 0]);
    // In JSON `7.0` is the same number as `7`.
    let dotted = json!({"template": "x", "version": 7.0});
    assert_eq!(body(&put(&router, "/templates/new/drafts/1", &[], &dotted).await)["version"], 7);
}

#[tokio::test]
async fn each_browser_and_each_token_sees_its_own() {
    let app = app().await;
    add_token(app.store.as_ref(), "alice", TokenRole::Write).await;
    add_token(app.store.as_ref(), "bob", TokenRole::Write).await;
    let local = router(app.clone());
    let text = json!({"template": "x"});
    let browsers = [&["x-preface-browser: one"], &["x-preface-browser: two"]];
    body(&put(&local, "/templates/main/drafts/1", browsers[0], &text).await);
    assert_eq!(names(&local, browsers[0]).await, ["main/1"]);
    assert_eq!(names(&local, browsers[1]).await, [""; 0]);
    assert_eq!(names(&local, &[]).await, [""; 0]);
    let remote = router(app.listening("127.0.0.1:7677".parse().unwrap(), &[], TokenRule::Always));
    // Whatever the browser: somebody with a token sees the texts on every machine.
    let alice = ["host: 127.0.0.1:7677", "authorization: Bearer ALICE", "x-preface-browser: one"];
    let alice_elsewhere = ["host: 127.0.0.1:7677", "authorization: Bearer ALICE"];
    let bob = ["host: 127.0.0.1:7677", "authorization: Bearer BOB", "x-preface-browser: one"];
    body(&put(&remote, "/templates/main/drafts/2", &alice, &text).await);
    assert_eq!(names(&remote, &alice_elsewhere).await, ["main/2"]);
    assert_eq!(names(&remote, &bob).await, [""; 0]);
    assert_eq!(send(&remote, "GET /templates/main/drafts/2", &bob, "").await.status, 404);
    assert_eq!(send(&remote, "DELETE /templates/main/drafts/2", &bob, "").await.status, 404);
}

#[tokio::test]
async fn a_later_token_of_the_same_name_does_not_see_the_drafts_of_the_first() {
    let app = app().await;
    let store = app.store.clone();
    let service = || router(app.clone().listening("127.0.0.1:7677".parse().unwrap(), &[], TokenRule::Always));
    let first = ["host: 127.0.0.1:7677", "authorization: Bearer ALICE"];
    let later = ["host: 127.0.0.1:7677", "authorization: Bearer another"];
    add_token(store.as_ref(), "alice", TokenRole::Write).await;
    body(&put(&service(), "/templates/main/drafts/1", &first, &json!({"template": "x"})).await);
    assert_eq!(names(&service(), &first).await, ["main/1"]);
    let actor = Actor::new("local");
    assert!(store.remove_access("alice", &actor).await.unwrap());
    let access = TokenRecord {
        name: "alice".to_owned(),
        role: TokenRole::Write,
        digest: TokenRecord::digest("another"),
        created_at: actor.at,
        expires_at: None,
    };
    assert!(store.add_access(access, &actor).await.unwrap());
    assert_eq!(names(&service(), &later).await, [""; 0]);
    for method in ["GET", "DELETE"] {
        let line = format!("{method} /templates/main/drafts/1");
        assert_eq!(send(&service(), &line, &later, "").await.status, 404, "{method}");
    }
}

#[tokio::test]
async fn drafts_of_an_owner_are_limited() {
    let mut app = app().await;
    app.limits.drafts = DraftLimits { count: 2, bytes: 10 };
    let router = router(app);
    let text = json!({"template": "12345"});
    for id in ["1", "2"] {
        body(&put(&router, &format!("/templates/main/drafts/{id}"), &[], &text).await);
    }
    for (path, text) in [("/templates/main/drafts/3", ""), ("/templates/main/drafts/2", "123456")] {
        let response = put(&router, path, &[], &json!({"template": text})).await;
        assert_eq!(
            (response.status.as_u16(), &response.problem()["code"]),
            (409, &json!("drafts-full")),
            "{path}"
        );
    }
    body(&put(&router, "/templates/main/drafts/2", &[], &json!({"template": "54321"})).await);
    body(&put(&router, "/templates/main/drafts/3", &["x-preface-browser: other"], &text).await);
}

#[tokio::test]
async fn old_drafts_are_deleted() {
    let store = memory().await;
    let text = json!({"template": "x"});
    let at = |time: &str| -> App {
        let mut app =
            app_on(MemorySystem::new().with_dir("/work").with_now(time.parse().unwrap()), store.clone());
        app.limits.draft_age = Duration::from_secs(86_400);
        app
    };
    body(&put(&router(at("2026-01-01T00:00:00Z")), "/templates/main/drafts/1", &[], &text).await);
    body(&put(&router(at("2026-01-01T12:00:00Z")), "/templates/main/drafts/2", &[], &text).await);
    let later = at("2026-01-02T06:00:00Z");
    later.expire_drafts().await;
    assert_eq!(names(&router(later), &[]).await, ["main/2"]);
}
