//! A service without a socket, and requests to it.
#![allow(dead_code, reason = "each test file uses its own part")]

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Request, StatusCode},
    routing::{get, post},
};
use jiff::Timestamp;
use preface_engine::{
    host::system::testing::MemorySystem,
    store::{Actor, Store, StoreUrl, TokenRecord, TokenRole},
};
use preface_server::{App, Caller, ServiceSettings, TokenRule, layered};
use serde_json::Value;
use std::sync::Arc;
use tower::ServiceExt;

/// A service on an empty machine, with a store in memory.
pub async fn app() -> App {
    app_on(MemorySystem::new().with_dir("/work"), memory().await)
}

pub async fn memory() -> Arc<dyn Store> {
    preface_engine::store::open(&StoreUrl::Memory).await.expect("memory is there")
}

/// A service on a machine and a store.
pub fn app_on(system: MemorySystem, store: Arc<dyn Store>) -> App {
    let settings = ServiceSettings {
        roots: vec!["/work".into()],
        preset: "default".to_owned(),
        max_body: 64 << 10,
        home_trust: preface_engine::host::places::HomeTrust::default(),
    };
    App::new(Arc::new(system), store, Arc::new(settings))
}

/// The same, as if it listened there.
pub async fn app_at(address: &str, hosts: &[&str]) -> App {
    let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
    app().await.listening(address.parse().expect("an address"), &hosts, TokenRule::default())
}

/// Adds a token to a store; it is its name in capitals.
pub async fn add_token(store: &dyn Store, name: &str, role: TokenRole) {
    add_token_until(store, name, role, None).await;
}

/// The same, until an instant.
pub async fn add_token_until(store: &dyn Store, name: &str, role: TokenRole, expires_at: Option<Timestamp>) {
    let actor = Actor::new("local");
    let digest = TokenRecord::digest(&name.to_uppercase());
    let access = TokenRecord { name: name.to_owned(), role, digest, created_at: actor.at, expires_at };
    assert!(store.add_access(access, &actor).await.expect("the store responds"));
}

/// Routes that return the name of the caller, behind all layers.
pub fn echo(app: &App) -> Router {
    let who = async |Caller(actor): Caller| actor.name;
    let router = Router::new()
        .route("/thing", get(who).put(who).post(who))
        .route("/healthz", get(who))
        .route("/metrics", get(who))
        .route("/system-prompt/analyze", post(who))
        .route("/conversations/{id}", get(who).delete(who))
        .route("/conversations/{id}/turns", post(who))
        .route("/echo", post(async |body: String| body));
    layered(router, app)
}

/// A response.
#[derive(Debug)]
pub struct TestResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl TestResponse {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().expect("text")).unwrap_or_default()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Reads the problem and checks what each of them has.
    #[track_caller]
    pub fn problem(&self) -> Value {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let problem: Value = serde_json::from_slice(&self.body).expect("JSON");
        assert_eq!(problem["status"], self.status.as_u16());
        assert_eq!(problem["request_id"], self.header("x-request-id"));
        assert_eq!(
            problem["type"],
            format!("urn:preface:problem:{}", problem["code"].as_str().expect("a code"))
        );
        problem
    }
}

/// Sends a request with headers, `NAME: VALUE` each, and a body.
pub async fn send(router: &Router, line: &str, headers: &[&str], body: impl Into<Body>) -> TestResponse {
    let (method, path) = line.split_once(' ').expect("METHOD PATH");
    let mut request = Request::builder().method(method).uri(path);
    for header in headers {
        let (name, value) = header.split_once(": ").expect("NAME: VALUE");
        request = request.header(name, value);
    }
    let request = request.body(body.into()).expect("a request");
    let response = router.clone().oneshot(request).await.expect("a router always responds");
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("a body").to_vec();
    TestResponse { status: parts.status, headers: parts.headers, body }
}
