//! `/system-prompt` as docs/reference/http.md has it.

mod common;

use axum::{body::Body, http::Method};
use common::{machine, service, service_on};
use preface_engine::host::system::{System, WriteMode};
use serde_json::{Value, json};
use std::path::Path;

/// Seed 002 §5.
const DEFAULT: &str = "You are a helpful coding assistant.\n\n[if file:AGENTS.md]\n[file:AGENTS.md]\n[endif]\n\nThe current working directory is [prompt:cwd].";

#[tokio::test]
async fn the_default_template_is_there_before_any_is_stored() {
    let service = service().await;
    let answer = service.get("/system-prompt").await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"template": DEFAULT})));
    assert_eq!(answer.header("preface-version"), Some("0"));
    assert!(answer.header("preface-degraded").is_none());
}

#[tokio::test]
async fn a_put_stores_and_answers_the_template_and_nothing_else() {
    let service = service().await;
    let unknown = service.put("/system-prompt", &json!({"template": "Hi", "more": [1]})).await;
    assert_eq!((unknown.status.as_u16(), &unknown.json()["code"]), (400, &json!("body")));
    let answer = service.put("/system-prompt", &json!({"template": "Hi [a:b]"})).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"template": "Hi [a:b]"})));
    assert_eq!(answer.header("preface-version"), Some("1"));
    let read = service.get("/system-prompt").await;
    assert_eq!(read.json(), json!({"template": "Hi [a:b]"}));
    assert_eq!(read.etag(), answer.etag());
}

#[tokio::test]
async fn bytes_come_back_as_they_were_given() {
    let service = service().await;
    for text in ["", " \r\n\ta\r\n", "\u{feff}é𝒳\u{0}\u{7f}", "[if a:b]", "a\u{2028}b\n\n"] {
        assert_eq!(service.store(text).await.json()["template"], text);
        assert_eq!(service.get("/system-prompt").await.json()["template"], text, "{text:?}");
    }
}

#[tokio::test]
async fn an_answer_has_no_character_that_a_terminal_acts_on() {
    let service = service().await;
    let text = "a\u{9b}31m\u{7f}\u{2028}\u{2029}é€b";
    service.store(text).await;
    let answer = service.get("/system-prompt").await;
    assert_eq!(answer.json()["template"], text);
    assert_eq!(answer.text, r#"{"template":"a\u009b31m\u007f\u2028\u2029é€b"}"#);
}

#[tokio::test]
async fn a_body_that_is_no_object_with_a_string_is_refused() {
    let service = service().await;
    for body in [
        "",
        "nonsense",
        "null",
        "\"text\"",
        "[]",
        "[\"text\"]",
        "{}",
        r#"{"template":1}"#,
        r#"{"template":null}"#,
        r#"{"Template":"a"}"#,
        r#"{"template":"a""#,
        r#"{"template":"\ud800"}"#,
        r#"{"template":"a","note":1}"#,
    ] {
        let json = [("content-type", "application/json")];
        let answer = service.send(Method::PUT, "/system-prompt", &json, Body::from(body)).await;
        answer.problem(400, "body");
    }
    assert_eq!(service.get("/system-prompt").await.header("preface-version"), Some("0"));
}

#[tokio::test]
async fn a_template_that_breaks_a_hard_limit_is_refused_with_its_place() {
    let service = service().await;
    let deep = format!("x\n{}{}", "[if a:b]".repeat(1_001), "[endif]".repeat(1_001));
    let problem =
        service.put("/system-prompt", &json!({"template": deep})).await.problem(400, "template-depth");
    let place = &problem["diagnostics"][0]["location"];
    assert_eq!((&place["line"], &place["column"]), (&json!(2), &json!(8_001)));
    let large = "x".repeat((1 << 20) + 1);
    let problem =
        service.put("/system-prompt", &json!({"template": large})).await.problem(400, "template-too-large");
    assert_eq!(problem["diagnostics"][0]["location"]["line"], 1);
    assert_eq!(service.put("/system-prompt", &json!({"template": large[1..]})).await.status, 200);
}

#[tokio::test]
async fn findings_of_the_lint_never_refuse_a_template() {
    let service = service().await;
    service.store("[unknown:foo] [if a:b] [else] [endif] [endif] \u{202e}").await;
}

#[tokio::test]
async fn a_header_has_the_problems_of_a_template_that_was_stored() {
    let service = service().await;
    assert_eq!(service.store("At [system:date].").await.header("preface-diagnostics"), None);
    let stored = service.store("Hi.\nOn [if git:branch]x[git:brnach]\u{202e}").await;
    assert_eq!(stored.json(), json!({"template": "Hi.\nOn [if git:branch]x[git:brnach]\u{202e}"}));
    assert_eq!(
        stored.header("preface-diagnostics"),
        Some(
            "hidden/character;line=2;column=32, template/unbalanced;line=2;column=4, template/unknown-name;line=2;column=20"
        )
    );
    let many = service.store(&"[endif]".repeat(11)).await;
    assert_eq!(many.header("preface-diagnostics").unwrap().split(", ").count(), 10);
    let named = service.put("/templates/review", &json!({"template": "[endif]"})).await;
    assert_eq!(named.header("preface-diagnostics"), Some("template/unbalanced;line=1;column=1"));
}

#[tokio::test]
async fn without_if_match_the_last_writer_wins_and_each_version_is_kept() {
    let service = service().await;
    service.store("one").await;
    service.store("two").await;
    let items = service.get("/templates/main/versions").await.json()["items"].clone();
    let versions: Vec<_> = items.as_array().unwrap().iter().map(|item| item["version"].clone()).collect();
    assert_eq!(versions, [2, 1]);
    assert_eq!(service.get("/templates/main/versions/1").await.json()["template"], "one");
}

#[tokio::test]
async fn a_stale_writer_gets_412() {
    let service = service().await;
    let old = service.get("/system-prompt").await.etag();
    let put = async |tag: &str, text: &str| {
        service.put_with("/system-prompt", &[("if-match", tag)], &json!({"template": text})).await
    };
    let first = put(&old, "one").await;
    assert_eq!(first.status, 200, "the tag of the default template counts as well");
    put(&old, "two").await.problem(412, "stale");
    put(&format!("W/{}", first.etag()), "two").await.problem(412, "stale");
    put("\"1\"", "two").await.problem(412, "stale");
    put("nonsense", "two").await.problem(412, "stale");
    let list = format!("\"x\", {}", first.etag());
    assert_eq!(put(&list, "two").await.status, 200);
    assert_eq!(put("*", "three").await.status, 200);
    assert_eq!(service.get("/system-prompt").await.json()["template"], "three");
    let stale = [("if-match", old.as_str())];
    service.send(Method::DELETE, "/templates/main", &stale, Body::empty()).await.problem(412, "stale");
    let restore = "/templates/main/versions/1/restore";
    service.send(Method::POST, restore, &stale, Body::empty()).await.problem(412, "stale");
}

#[tokio::test]
async fn a_writer_may_want_to_be_the_first() {
    let service = service().await;
    let first = [("if-none-match", "*")];
    let body = json!({"template": "one"});
    assert_eq!(service.put_with("/system-prompt", &first, &body).await.status, 200);
    service.put_with("/system-prompt", &first, &body).await.problem(412, "stale");
}

#[tokio::test]
async fn a_reader_with_the_current_etag_gets_304() {
    let service = service().await;
    let tag = service.store("one").await.etag();
    for known in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
        let answer = service.get_with("/system-prompt", &[("if-none-match", &known)]).await;
        assert_eq!((answer.status.as_u16(), answer.text.as_str()), (304, ""), "{known}");
        assert_eq!(answer.etag(), tag);
    }
    service.store("two").await;
    assert_eq!(service.get_with("/system-prompt", &[("if-none-match", &tag)]).await.status, 200);
}

#[tokio::test]
async fn delete_goes_back_to_the_default_and_loses_nothing() {
    let service = service().await;
    service.store("one").await;
    let answer = service.delete("/templates/main").await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"template": DEFAULT, "variables": {}})));
    assert_eq!(answer.header("preface-version"), Some("2"));
    assert_eq!(service.get("/system-prompt").await.json()["template"], DEFAULT);
    let versions = service.get("/templates/main/versions").await.json();
    assert_eq!((&versions["items"][0]["reset"], &versions["items"][0]["bytes"]), (&json!(true), &json!(0)));
    let version = service.get("/templates/main/versions/2").await.json();
    assert_eq!(version["template"], DEFAULT);
    let back = service.post("/templates/main/versions/1/restore", &Value::Null).await;
    assert_eq!(back.json(), json!({"template": "one", "variables": {}}));
}

#[tokio::test]
async fn an_empty_template_is_not_the_default() {
    let service = service().await;
    service.store("").await;
    assert_eq!(service.get("/system-prompt").await.json(), json!({"template": ""}));
}

#[tokio::test]
async fn without_a_store_there_is_the_default_and_no_write() {
    let service = service().await;
    service.store("one").await;
    service.store.close().await.unwrap();
    let answer = service.get("/system-prompt").await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"template": DEFAULT})));
    assert_eq!(answer.header("preface-degraded"), Some("store"));
    assert!(answer.header("etag").is_none());
    let body = json!({"template": "two"});
    service.put("/system-prompt", &body).await.problem(503, "store-unavailable");
    service.delete("/templates/main").await.problem(503, "store-unavailable");
    service.put("/system-prompt", &json!({})).await.problem(400, "body");
    service.get("/templates/main/versions").await.problem(503, "store-unavailable");
    service.get("/templates/main/diff?from=0").await.problem(503, "store-unavailable");
    service.get("/export").await.problem(503, "store-unavailable");
    assert_eq!(service.get("/system-prompt/variables").await.status, 200);
    let analyzed = service.post("/system-prompt/analyze", &json!({"template": "[system:os]"})).await;
    assert_eq!(analyzed.json()["preview"]["text"], "linux");
}

#[tokio::test]
async fn a_get_with_a_matching_tag_is_answered_until_the_file_changes() {
    let own = "/home/user/.config/preface/template.md";
    let system = machine().with_home("/home/user").with_file(own, "Mine.");
    let service = service_on(system.clone()).await;
    let tag = service.get("/system-prompt").await.etag();
    let answer = service.get_with("/system-prompt", &[("if-none-match", &tag)]).await;
    assert_eq!(answer.status.as_u16(), 304);

    system.write(Path::new(own), b"Another.", WriteMode::Replace, 0o600).unwrap();
    let answer = service.get_with("/system-prompt", &[("if-none-match", &tag)]).await;
    assert_eq!(answer.status.as_u16(), 200);
}
