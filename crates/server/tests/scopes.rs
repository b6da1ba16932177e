//! `/scopes`: what the layers bring for a directory.

mod common;

use common::{machine, service_on};
use serde_json::json;

const TOOL: &str = r#"{"name": "mine", "description": "does mine"}"#;

#[tokio::test]
async fn it_lists_what_is_active_and_what_shadows_it() {
    let system = machine()
        .with_file("/home/user/.config/preface/extensions/tools/mine.json", TOOL)
        .with_file("/work/.preface/extensions/tools/mine.json", TOOL);
    let service = service_on(system).await;
    let answer = service.get("/scopes?preset=default").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let said = answer.json();
    assert_eq!((&said["preset"], &said["cwd"]), (&json!("default"), &json!("/work")));
    let entries = said["entries"].as_array().unwrap();
    let read = entries.iter().find(|entry| entry["name"] == "read").expect("a bundled tool");
    assert_eq!((&read["category"], &read["active"]), (&json!("tools"), &json!(true)));
    assert!(said["startup"]["loadedCount"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn it_looks_below_the_roots_only() {
    let service = service_on(machine()).await;
    for (query, status) in [
        ("cwd=/etc", 403),
        ("cwd=/work/../etc", 403),
        ("cwd=relative", 400),
        ("preset=nowhere", 422),
        ("cwd=/work", 200),
    ] {
        assert_eq!(service.get(&format!("/scopes?{query}")).await.status, status, "{query}");
    }
}
