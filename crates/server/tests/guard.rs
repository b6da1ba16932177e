//! Who may come in: host, origin, page token, access token.

mod support;

#[path = "conversations/switch.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod switch;

use axum::{Router, body::Body};
use jiff::SignedDuration;
use preface_engine::{
    host::system::{System, testing::MemorySystem},
    store::{Actor, AuditStore, TokenRole},
};
use preface_server::{TokenRule, router};
use std::sync::Arc;
use support::{TestResponse, add_token, add_token_until, app, app_at, app_on, echo, memory, send};
use switch::{Switch, Works};

const HERE: &str = "host: 127.0.0.1:7677";

#[tokio::test]
async fn a_request_names_this_service_by_a_name_of_its_own() {
    let router = echo(&app_at("127.0.0.1:7677", &["prompts.example"]).await);
    for (host, status) in [
        ("host: 127.0.0.1:7677", 200),
        ("host: localhost:7677", 200),
        ("host: [::1]:7677", 200),
        ("host: prompts.example", 200),
        ("host: prompts.example:8443", 200),
        ("host: rebound.example:7677", 421),
        ("host: localhost:80", 421),
        ("host: ", 421),
        ("x-forwarded-host: localhost:7677", 400),
    ] {
        let response = send(&router, "GET /thing", &[host], Body::empty()).await;
        assert_eq!(response.status, status, "{host}: {}", response.text());
        if status != 200 {
            let problem = response.problem();
            assert_eq!(problem["code"], "host");
            assert!(problem["help"].as_str().expect("a hint").contains("--allowed-host"));
        }
    }
    let twice = send(&router, "GET /thing", &[HERE, "host: rebound.example"], Body::empty()).await;
    assert_eq!(twice.status, 400);
    // The headers of a proxy about the sender are ignored.
    let forwarded =
        ["host: rebound.example", "x-forwarded-host: localhost:7677", "forwarded: host=localhost:7677"];
    assert_eq!(send(&router, "GET /thing", &forwarded, Body::empty()).await.status, 421);
    // HTTP/2 and proxies name the host in the address.
    let absolute = send(&router, "GET http://rebound.example:7677/thing", &[HERE], Body::empty()).await;
    assert_eq!(absolute.status, 421);
}

#[tokio::test]
async fn a_browser_request_needs_our_origin() {
    let app = app_at("127.0.0.1:7677", &["prompts.example"]).await;
    let token = format!("x-preface-token: {}", app.guard.page_token());
    let ours = "origin: http://localhost:7677";
    // A person follows a link of another site.
    let link = ["sec-fetch-mode: navigate", "sec-fetch-dest: document"];
    // Another site shows the page inside of its own.
    let frame = ["sec-fetch-mode: navigate", "sec-fetch-dest: iframe"];
    let router = echo(&app);
    for (line, headers, status, code) in [
        ("PUT /thing", vec![HERE], 200, ""),
        ("GET /thing", vec![HERE, ours], 200, ""),
        ("PUT /thing", vec![HERE, ours, &token], 200, ""),
        ("PUT /thing", vec![HERE, "origin: https://prompts.example", &token], 200, ""),
        ("PUT /thing", vec![HERE, ours], 403, "page-token"),
        ("PUT /thing", vec![HERE, ours, "x-preface-token: "], 403, "page-token"),
        ("PUT /thing", vec![HERE, ours, "x-preface-token: preface_0"], 403, "page-token"),
        ("POST /conversations/a/turns", vec![HERE, ours], 403, "page-token"),
        ("DELETE /conversations/a", vec![HERE, ours], 403, "page-token"),
        ("PUT /thing", vec![HERE, "origin: http://evil.example", &token], 403, "origin"),
        ("PUT /thing", vec![HERE, "origin: http://localhost:3000", &token], 403, "origin"),
        ("PUT /thing", vec![HERE, "origin: null", &token], 403, "origin"),
        ("PUT /thing", vec![HERE, "origin: ", &token], 403, "origin"),
        ("PUT /thing", vec![HERE, ours, "origin: http://evil.example", &token], 403, "origin"),
        ("GET /thing", vec![HERE, "origin: http://evil.example"], 403, "origin"),
        ("GET /thing", vec![HERE, "sec-fetch-site: cross-site"], 403, "origin"),
        ("PUT /thing", vec![HERE, "sec-fetch-site: cross-site"], 403, "origin"),
        ("GET /thing", vec![HERE, "sec-fetch-site: same-origin"], 200, ""),
        ("GET /thing", vec![HERE, "sec-fetch-site: none"], 200, ""),
        ("GET /thing", [&[HERE, "sec-fetch-site: cross-site"][..], &link].concat(), 200, ""),
        ("PUT /thing", [&[HERE, "sec-fetch-site: cross-site"][..], &link].concat(), 403, "origin"),
        ("GET /thing", [&[HERE, "sec-fetch-site: cross-site"][..], &frame].concat(), 403, "origin"),
    ] {
        let response = send(&router, line, &headers, Body::empty()).await;
        assert_eq!(response.status, status, "{line} {headers:?}: {}", response.text());
        if status != 200 {
            assert_eq!(response.problem()["code"], code, "{line} {headers:?}");
        }
    }
}

#[tokio::test]
async fn each_start_has_a_token_of_its_own() {
    let (one, other) = (app().await, app().await);
    assert_ne!(one.guard.page_token(), other.guard.page_token());
    // 256 bits in hex.
    assert!(one.guard.page_token().len() >= 64);
    assert!(!format!("{one:?}").contains(one.guard.page_token()));
}

#[tokio::test]
async fn beyond_this_machine_everybody_needs_a_token() {
    let app = app_at("0.0.0.0:7677", &[]).await;
    add_token(app.store.as_ref(), "reader", TokenRole::Read).await;
    add_token(app.store.as_ref(), "agent", TokenRole::Converse).await;
    add_token(app.store.as_ref(), "editor", TokenRole::Write).await;
    let router = echo(&app);
    let (none, bad) = ("x-nothing: 1", "authorization: Bearer GUEST");
    let (read, talk, write) =
        ("authorization: Bearer READER", "authorization: bearer AGENT", "authorization: Bearer EDITOR");
    for (line, token, status) in [
        ("GET /healthz", none, 200),
        ("GET /thing", none, 401),
        ("GET /nothing", none, 401),
        ("GET /thing", bad, 401),
        ("GET /thing", "authorization: Basic READER", 401),
        ("GET /thing", "authorization: Bearer", 401),
        ("GET /thing", "x-forwarded-for: 127.0.0.1", 401),
        ("GET /thing", "authorization: Bearer reader", 401),
        ("GET /thing", read, 200),
        ("HEAD /thing", read, 200),
        ("GET /healthz", bad, 200),
        ("POST /system-prompt/analyze", read, 403),
        ("POST /conversations/a/turns", read, 403),
        ("POST /conversations/a/turns", talk, 200),
        ("POST /thing", talk, 403),
        ("PUT /thing", talk, 403),
        ("DELETE /conversations/a", talk, 403),
        ("DELETE /conversations/a", write, 200),
        ("PUT /thing", write, 200),
    ] {
        let response = send(&router, line, &["host: 192.0.2.7:7677", token], Body::empty()).await;
        assert_eq!(response.status, status, "{line} {token}: {}", response.text());
        assert_eq!(response.headers.contains_key("www-authenticate"), status == 401);
        if status != 200 {
            assert!(response.problem()["help"].is_string() || status == 401);
        }
    }
    let response = send(&router, "PUT /thing", &["host: 192.0.2.7:7677", write], Body::empty()).await;
    assert_eq!(response.text(), "editor", "changes are written down under the token's name");
    let evil = ["host: 192.0.2.7:7677", write, "origin: http://evil.example"];
    assert_eq!(send(&router, "PUT /thing", &evil, Body::empty()).await.status, 403);
}

#[tokio::test]
async fn on_this_machine_no_token_is_needed_and_one_that_is_sent_counts() {
    let app = app_at("127.0.0.1:7677", &[]).await;
    add_token(app.store.as_ref(), "reader", TokenRole::Read).await;
    let router = echo(&app);
    assert_eq!(send(&router, "PUT /thing", &[HERE], Body::empty()).await.text(), "local");
    for (line, token, status) in [
        ("GET /thing", "authorization: Bearer READER", 200),
        ("PUT /thing", "authorization: Bearer READER", 403),
        ("GET /thing", "authorization: Bearer GUEST", 401),
    ] {
        let response = send(&router, line, &[HERE, token], Body::empty()).await;
        assert_eq!(response.status, status, "{line} {token}");
    }
}

/// A service that other machines can reach, whose clock and store a test controls.
struct Controlled {
    system: MemorySystem,
    store: Arc<Switch>,
    router: Router,
}

async fn controlled() -> Controlled {
    let system = MemorySystem::new().with_bundle(preface_engine::ASSETS).with_dir("/work");
    let store = Switch::over(memory().await);
    let app = app_on(system.clone(), store.clone());
    let app = app.listening("0.0.0.0:7677".parse().unwrap(), &[], TokenRule::default());
    Controlled { system, store, router: router(app) }
}

impl Controlled {
    fn wait(&self, seconds: i64) {
        self.system.set_now(self.system.now() + SignedDuration::from_secs(seconds));
    }

    async fn send(&self, line: &str, token: &str) -> TestResponse {
        let token = format!("authorization: Bearer {token}");
        send(&self.router, line, &["host: 192.0.2.7:7677", &token], Body::empty()).await
    }

    #[track_caller]
    fn assert_refused(response: &TestResponse, status: u16, code: &str) {
        assert_eq!((response.status.as_u16(), response.problem()["code"].as_str()), (status, Some(code)));
    }
}

#[tokio::test]
async fn a_removed_token_is_refused_after_three_seconds() {
    let service = controlled().await;
    add_token(&*service.store, "reader", TokenRole::Read).await;
    add_token(&*service.store, "other", TokenRole::Read).await;
    assert_eq!(service.send("GET /templates", "READER").await.status, 200);
    service.store.remove_access("reader", &Actor::new("local")).await.unwrap();
    add_token(&*service.store, "new", TokenRole::Read).await;
    service.wait(2);
    assert_eq!(
        service.send("GET /templates", "READER").await.status,
        200,
        "the list is read every three seconds"
    );
    service.wait(1);
    Controlled::assert_refused(&service.send("GET /templates", "READER").await, 401, "token-unknown");
    assert_eq!(service.send("GET /templates", "OTHER").await.status, 200);
    assert_eq!(service.send("GET /templates", "NEW").await.status, 200);
    // A clock that is set back makes no list last longer.
    service.store.remove_access("other", &Actor::new("local")).await.unwrap();
    service.wait(-3600);
    Controlled::assert_refused(&service.send("GET /templates", "OTHER").await, 401, "token-unknown");
    service.store.remove_access("new", &Actor::new("local")).await.unwrap();
    service.wait(-1);
    Controlled::assert_refused(&service.send("GET /templates", "NEW").await, 401, "token-unknown");
}

#[tokio::test]
async fn a_token_ends_at_its_expiry() {
    let service = controlled().await;
    let end = service.system.now() + SignedDuration::from_secs(10);
    add_token_until(&*service.store, "reader", TokenRole::Read, Some(end)).await;
    service.wait(9);
    assert_eq!(service.send("GET /templates", "READER").await.status, 200);
    service.wait(1);
    let response = service.send("GET /templates", "READER").await;
    Controlled::assert_refused(&response, 401, "token-expired");
    assert!(response.headers.contains_key("www-authenticate"));
    assert_eq!(service.send("GET /healthz", "READER").await.status, 200, "a probe passes");
    // Not even an outage lets it in again.
    service.store.set(Works::Nothing);
    service.wait(4);
    Controlled::assert_refused(&service.send("GET /templates", "READER").await, 401, "token-expired");
}

#[tokio::test]
async fn tokens_stay_valid_for_ten_minutes_of_an_outage() {
    let service = controlled().await;
    add_token(&*service.store, "reader", TokenRole::Read).await;
    assert_eq!(service.send("GET /system-prompt", "READER").await.status, 200);
    service.store.set(Works::Nothing);
    for seconds in [4, 300, 290] {
        service.wait(seconds);
        let response = service.send("GET /system-prompt", "READER").await;
        assert_eq!((response.status.as_u16(), response.header("preface-degraded")), (200, "store"));
        assert_eq!(service.send("GET /system-prompt/variables", "READER").await.status, 200);
        assert_eq!(service.send("GET /metrics", "READER").await.status, 200);
        Controlled::assert_refused(&service.send("GET /templates", "READER").await, 503, "store-unavailable");
        Controlled::assert_refused(&service.send("GET /metrics", "GUEST").await, 401, "token-unknown");
    }
    service.wait(6);
    let response = service.send("GET /system-prompt", "READER").await;
    Controlled::assert_refused(&response, 503, "store-unavailable");
    assert_eq!(response.header("retry-after"), "1");
    // The list is read again at once when the store is back.
    service.store.set(Works::All);
    service.store.remove_access("reader", &Actor::new("local")).await.unwrap();
    service.wait(3);
    Controlled::assert_refused(&service.send("GET /system-prompt", "READER").await, 401, "token-unknown");
}

#[tokio::test]
async fn a_response_without_a_token_names_no_store_path_or_user() {
    for works in [Works::Nothing, Works::Damaged, Works::All] {
        let service = controlled().await;
        service.store.set(works);
        for line in ["GET /readyz", "GET /healthz", "GET /", "GET /plain", "GET /templates", "GET /nothing"] {
            for token in ["x-nothing: 1", "authorization: Bearer GUEST", "authorization: Basic GUEST"] {
                let response =
                    send(&service.router, line, &["host: 192.0.2.7:7677", token], Body::empty()).await;
                // A built page names its own script, `assets/worker-….js`.
                let text = response.text().replace("/worker-", "");
                for name in ["postgres", "memory", "refused", "scratched", "me@db", "/work", "reader"] {
                    assert!(!text.contains(name), "{line} {token} names {name}: {text}");
                }
            }
        }
        let ready = send(&service.router, "GET /readyz", &["host: 192.0.2.7:7677"], Body::empty()).await;
        assert_eq!(ready.status, if works == Works::All { 200 } else { 503 });
    }
}

#[tokio::test]
async fn a_reader_gets_the_reason_why_a_node_is_not_ready() {
    let service = controlled().await;
    add_token(&*service.store, "reader", TokenRole::Read).await;
    add_token(&*service.store, "scraper", TokenRole::Metrics).await;
    assert_eq!(service.send("GET /system-prompt", "READER").await.status, 200);
    assert!(service.send("GET /readyz", "READER").await.text().contains("memory"));
    assert!(!service.send("GET /readyz", "SCRAPER").await.text().contains("memory"));
    service.store.set(Works::Nothing);
    assert!(service.send("GET /readyz", "READER").await.text().contains("connection refused"));
    assert!(!service.send("GET /readyz", "SCRAPER").await.text().contains("connection refused"));
    // After ten minutes of an outage the last list identifies nobody.
    service.wait(600);
    assert!(!service.send("GET /readyz", "READER").await.text().contains("connection refused"));
}

#[tokio::test]
async fn a_clock_that_is_set_back_makes_no_list_last_longer_in_an_outage() {
    let service = controlled().await;
    add_token(&*service.store, "reader", TokenRole::Read).await;
    assert_eq!(service.send("GET /system-prompt", "READER").await.status, 200);
    service.store.set(Works::Nothing);
    service.wait(-600);
    Controlled::assert_refused(&service.send("GET /system-prompt", "READER").await, 503, "store-unavailable");
}

#[tokio::test]
async fn a_token_is_needed_on_this_machine_where_it_is_demanded() {
    let app = app().await.listening("127.0.0.1:7677".parse().unwrap(), &[], TokenRule::Always);
    add_token(app.store.as_ref(), "editor", TokenRole::Write).await;
    let router = echo(&app);
    assert_eq!(send(&router, "GET /thing", &[HERE], Body::empty()).await.status, 401);
    let token = "authorization: Bearer EDITOR";
    assert_eq!(send(&router, "PUT /thing", &[HERE, token], Body::empty()).await.text(), "editor");
    assert_eq!(send(&router, "GET /healthz", &[HERE], Body::empty()).await.text(), "", "it is nobody");
}

#[tokio::test]
async fn two_authorizations_are_none() {
    let app = app_at("0.0.0.0:7677", &[]).await;
    add_token(app.store.as_ref(), "reader", TokenRole::Read).await;
    let router = echo(&app);
    let (good, bad) = ("authorization: Bearer READER", "authorization: Bearer GUEST");
    for pair in [[good, bad], [bad, good], [good, good]] {
        let response =
            send(&router, "GET /thing", &["host: 192.0.2.7:7677", pair[0], pair[1]], Body::empty()).await;
        Controlled::assert_refused(&response, 401, "token-unknown");
    }
}

#[tokio::test]
async fn no_request_passes_while_the_store_is_closed() {
    let app = app_at("0.0.0.0:7677", &[]).await;
    add_token(app.store.as_ref(), "reader", TokenRole::Read).await;
    app.store.close().await.expect("memory closes");
    let headers = ["host: 192.0.2.7:7677", "authorization: Bearer READER"];
    let response = send(&echo(&app), "GET /thing", &headers, Body::empty()).await;
    assert_eq!(response.status, 503);
    assert_eq!(response.problem()["code"], "store-unavailable");
}
