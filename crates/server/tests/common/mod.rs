//! A service in memory, and requests to it.
#![allow(dead_code, reason = "each test uses a part of it")]

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Method, Request, StatusCode, header},
};
use preface_engine::{
    host::system::testing::MemorySystem,
    store::{self, Store},
};
use preface_server::{App, ServiceSettings, router};
use serde_json::Value;
use std::sync::Arc;
use tower::ServiceExt;

pub struct Service {
    pub router: Router,
    pub store: Arc<dyn Store>,
}

/// A response.
#[derive(Debug)]
pub struct TestResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl TestResponse {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub fn etag(&self) -> String {
        self.header("etag").expect("there is an ETag").to_owned()
    }

    /// Checks that this is a problem of that status and code, and returns it.
    pub fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let problem = self.json();
        assert_eq!(problem["status"], status);
        assert_eq!(problem["code"], code, "{problem}");
        problem
    }
}

/// A machine with a project at `/work/p` and a file outside of the root `/work`.
pub fn machine() -> MemorySystem {
    MemorySystem::new()
        .with_bundle(preface_engine::ASSETS)
        .with_file("/work/p/AGENTS.md", "Use tabs.\n")
        .with_file("/etc/secret", "s3cret")
        .with_link("/work/p/out", "/etc/secret")
        .with_link("/work/away", "/etc")
}

pub async fn service() -> Service {
    service_on(machine()).await
}

pub async fn service_on(system: MemorySystem) -> Service {
    let store = store::open(&"memory:".parse().unwrap()).await.unwrap();
    let settings = ServiceSettings {
        roots: vec!["/work".into()],
        preset: "template".into(),
        max_body: 8 << 20,
        home_trust: preface_engine::host::places::HomeTrust::default(),
    };
    let app = App::new(Arc::new(system), store.clone(), Arc::new(settings));
    Service { router: router(app), store }
}

impl Service {
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Body,
    ) -> TestResponse {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        TestResponse { status, headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
    }

    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(Method::GET, path, &[], Body::empty()).await
    }

    pub async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> TestResponse {
        self.send(Method::GET, path, headers, Body::empty()).await
    }

    pub async fn delete(&self, path: &str) -> TestResponse {
        self.send(Method::DELETE, path, &[], Body::empty()).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> TestResponse {
        self.put_with(path, &[], body).await
    }

    pub async fn put_with(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> TestResponse {
        self.json(Method::PUT, path, headers, body).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.json(Method::POST, path, &[], body).await
    }

    async fn json(&self, method: Method, path: &str, headers: &[(&str, &str)], body: &Value) -> TestResponse {
        let mut headers = headers.to_vec();
        headers.push((header::CONTENT_TYPE.as_str(), "application/json"));
        self.send(method, path, &headers, Body::from(body.to_string())).await
    }

    /// Stores a text as the template of `/system-prompt`.
    pub async fn store(&self, text: &str) -> TestResponse {
        let answer = self.put("/system-prompt", &serde_json::json!({"template": text})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer
    }
}
