//! Services over one store, and short words for what tests send.

use crate::common::{Service, TestResponse, machine};
use axum::{body::Body, http::Method};
use preface_engine::{
    BuildOptions,
    host::system::testing::MemorySystem,
    store::{self, Actor, Store},
};
use preface_server::{App, ServiceSettings, router};
use serde_json::{Value, json};
use std::sync::Arc;

pub struct Bench {
    pub service: Service,
    pub app: App,
    pub system: MemorySystem,
}

pub async fn memory() -> Arc<dyn Store> {
    store::open(&"memory:".parse().unwrap()).await.unwrap()
}

/// A service with one root, `/work`.
pub async fn bench() -> Bench {
    over(memory().await)
}

/// The same over a store that is there already.
pub fn over(store: Arc<dyn Store>) -> Bench {
    with_roots(store, &["/work"])
}

pub fn with_roots(store: Arc<dyn Store>, roots: &[&str]) -> Bench {
    let system = machine().with_dir("/work/q").with_dir("/elsewhere").with_dir("/more");
    let settings = ServiceSettings {
        roots: roots.iter().map(Into::into).collect(),
        preset: "template".into(),
        max_body: 8 << 20,
        home_trust: preface_engine::host::places::HomeTrust::default(),
    };
    let app = App::new(Arc::new(system.clone()), store.clone(), Arc::new(settings));
    Bench { service: Service { router: router(app.clone()), store }, app, system }
}

impl Bench {
    /// Sends a JSON body to a conversation.
    pub async fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.service.post(&format!("/conversations/{path}"), body).await
    }

    /// Sends no body at all.
    pub async fn post_nothing(&self, path: &str, headers: &[(&str, &str)]) -> TestResponse {
        self.service.send(Method::POST, &format!("/conversations/{path}"), headers, Body::empty()).await
    }

    pub async fn get(&self, path: &str) -> TestResponse {
        self.service.get(&format!("/conversations{path}")).await
    }

    /// A first turn that must work.
    pub async fn begin(&self, id: &str) -> TestResponse {
        let answer = self.post(&format!("{id}/turns"), &json!({"options": {"directory": "/work/p"}})).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        answer
    }

    /// A conversation that began at an instant.
    pub async fn begin_at(&self, id: &str, template: Option<&str>, second: i64) {
        let at = jiff::Timestamp::from_second(second).unwrap();
        let options = BuildOptions {
            preset: Some("template".into()),
            template: template.map(str::to_owned),
            ..BuildOptions::in_dir("/work/p")
        };
        let turned = self.app.service.turn(&id.parse().unwrap(), &options, &Actor::at("t", at)).await;
        assert!(turned.unwrap().constructed);
    }
}

/// The codes of the notes of a reply.
pub fn diagnostics(reply: &Value) -> Vec<&str> {
    let diagnostics = reply["diagnostics"].as_array().unwrap().iter();
    diagnostics.filter(|note| note["severity"] != "info").map(|note| note["code"].as_str().unwrap()).collect()
}
