//! The plain page: one file that loads nothing.

mod common;

use common::{machine, service};
use preface_engine::store;
use preface_server::{App, ServiceSettings, router};
use std::sync::Arc;

#[tokio::test]
async fn the_page_is_one_file_whose_script_and_style_carry_a_nonce() {
    let service = service().await;
    let page = service.get("/plain").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    assert_eq!(nonce.len(), 32);
    for directive in ["default-src 'none';", &format!("script-src 'nonce-{nonce}';"), "form-action 'none';"] {
        assert!(policy.contains(directive), "{directive} {policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    for (tag, count) in [("script", 1), ("style", 1)] {
        assert_eq!(page.text.matches(&format!("<{tag}")).count(), count);
        assert!(page.text.contains(&format!("<{tag} nonce=\"{nonce}\">")));
    }
    assert!(!page.text.contains(" style=") && !page.text.contains("javascript:"));
    assert!(!page.text.contains("://") && !page.text.contains(" src="), "nothing is loaded");
    assert!(!page.text.contains("{{"), "every placeholder is filled in");
    assert!(!service.get("/plain").await.text.contains(nonce), "a nonce is used once");
}

#[tokio::test]
async fn values_on_the_page_are_inserted_as_text() {
    let page = service().await.get("/plain").await.text;
    for door in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser"] {
        assert!(!page.contains(door), "{door}");
    }
}

#[tokio::test]
async fn every_name_that_the_script_uses_is_in_the_page() {
    let page = service().await.get("/plain").await.text;
    let names: Vec<&str> =
        page.match_indices("$(\"").map(|(at, _)| page[at + 3..].split('"').next().unwrap()).collect();
    for name in &names {
        assert!(page.contains(&format!("id=\"{name}\"")), "{name}");
    }
    assert!(names.len() > 15, "{names:?}");
}

#[tokio::test]
async fn the_page_carries_the_token_of_this_start() {
    let store = store::open(&"memory:".parse().unwrap()).await.unwrap();
    let settings = ServiceSettings {
        roots: vec!["/work".into()],
        preset: "template".into(),
        max_body: 1 << 20,
        home_trust: preface_engine::host::places::HomeTrust::default(),
    };
    let app = App::new(Arc::new(machine()), store.clone(), Arc::new(settings));
    let token = app.guard.page_token().to_owned();
    let service = common::Service { router: router(app), store };
    let page = service.get("/plain").await.text;
    assert!(page.contains(&format!("<meta name=\"preface-token\" content=\"{token}\">")));
}

#[tokio::test]
async fn a_page_stands_at_the_front_door_and_brings_a_token() {
    let service = service().await;
    let page = service.get("/").await;
    // The editor where it was built, else the plain page.
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.text.contains("<meta name=\"preface-token\" content=\"preface_"));
    assert!(!page.text.contains("{{"), "every placeholder is filled in");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    for missing in ["none.js", "..%2findex.html", "%2e%2e", ".gitignore", "index.html"] {
        assert_eq!(service.get(&format!("/assets/{missing}")).await.status, 404, "{missing}");
    }
}
