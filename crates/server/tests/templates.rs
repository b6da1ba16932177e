//! Versions, labels and differences, templates by name, and moving them to another store.

mod common;

use axum::{body::Body, http::Method};
use common::{Service, service};
use serde_json::{Value, json};

async fn three() -> Service {
    let service = service().await;
    service.store("a\nb\n").await;
    service.put("/system-prompt", &json!({"template": "a\nc\n", "note": "c is better"})).await;
    service.store("a\nc\nd\n").await;
    service
}

#[tokio::test]
async fn versions_come_in_pages() {
    let service = three().await;
    let page = service.get("/templates/main/versions?limit=2").await.json();
    assert_eq!((&page["items"][0]["version"], &page["items"][1]["note"]), (&json!(3), &json!("c is better")));
    let first = &page["items"][0];
    assert_eq!(first["author"], "local");
    assert_eq!((&first["bytes"], &first["labels"], &first["reset"]), (&json!(6), &json!([]), &json!(false)));
    assert!(first["at"].as_str().unwrap().ends_with('Z'));
    assert!(first.get("template").is_none());
    let next = page["next"].as_str().unwrap();
    let rest = service.get(&format!("/templates/main/versions?limit=2&after={next}")).await.json();
    assert_eq!((&rest["items"][0]["version"], &rest["next"]), (&json!(1), &Value::Null));
    for query in ["limit=0", "limit=501", "limit=x", "limit=-1", "after=zzz", "after=-1"] {
        service.get(&format!("/templates/main/versions?{query}")).await.problem(400, "query");
    }
    service.get("/templates/main/versions/4").await.problem(404, "no-version");
    service.get("/templates/main/versions/0").await.problem(404, "no-version");
    service.get("/templates/main/versions/x").await.problem(400, "path");
}

#[tokio::test]
async fn restoring_adds_a_version_that_names_its_source() {
    let service = three().await;
    let answer = service.post("/templates/main/versions/1/restore", &Value::Null).await;
    assert_eq!(answer.json(), json!({"template": "a\nb\n", "variables": {}}));
    let version = service.get("/templates/main/versions/4").await.json();
    assert_eq!(
        (&version["template"], &version["note"]),
        (&json!("a\nb\n"), &json!("restored from version 1"))
    );
    service.post("/templates/main/versions/9/restore", &Value::Null).await.problem(404, "no-version");
}

#[tokio::test]
async fn a_difference_comes_as_text_and_as_hunks() {
    let service = three().await;
    let diff = service.get("/templates/main/diff?from=1&to=2").await.json();
    assert_eq!(diff["text"], "--- version 1\n+++ version 2\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    assert_eq!(
        (&diff["from"], &diff["to"], &diff["added"], &diff["removed"]),
        (&json!(1), &json!(2), &json!(1), &json!(1))
    );
    assert_eq!(
        diff["hunks"][0]["lines"],
        json!([
            {"kind": "same", "text": "a\n"}, {"kind": "removed", "text": "b\n"}, {"kind": "added", "text": "c\n"}
        ])
    );
    let current = service.get("/templates/main/diff?from=2").await.json();
    assert_eq!((&current["to"], &current["added"]), (&json!(3), &json!(1)));
    let default = service.get("/templates/main/diff?from=3&to=0").await.json();
    assert!(default["text"].as_str().unwrap().contains("+You are a helpful coding assistant.\n"));
    assert_eq!(service.get("/templates/main/diff?from=1&to=1").await.json()["hunks"], json!([]));
    service.get("/templates/main/diff?from=1&to=9").await.problem(404, "no-version");
    service.get("/templates/main/diff").await.problem(400, "query");
}

#[tokio::test]
async fn a_label_is_on_one_version_at_a_time() {
    let service = three().await;
    let put =
        async |version: u64| service.put("/templates/main/labels/live", &json!({"version": version})).await;
    assert_eq!(put(1).await.json(), json!({"version": 1}));
    assert_eq!(put(2).await.status, 200);
    assert_eq!(service.get("/templates/main/versions/1").await.json()["labels"], json!([]));
    assert_eq!(service.get("/templates/main/versions/2").await.json()["labels"], json!(["live"]));
    put(9).await.problem(404, "no-version");
    service.put("/templates/main/labels/7", &json!({"version": 1})).await.problem(400, "invalid");
    assert_eq!(service.delete("/templates/main/labels/live").await.status, 204);
    service.delete("/templates/main/labels/live").await.problem(404, "no-label");
}

#[tokio::test]
async fn named_templates_have_what_the_main_one_has() {
    let service = three().await;
    service.get("/templates/review").await.problem(404, "no-template");
    service.delete("/templates/review").await.problem(404, "no-template");
    service.get("/templates/review/versions").await.problem(404, "no-template");
    service.get("/templates/no%20name").await.problem(400, "path");
    service.get("/templates?after=no%20name").await.problem(400, "query");
    let any = [("if-match", "*")];
    let body = json!({"template": "Review.", "variables": {}});
    service.put_with("/templates/review", &any, &body).await.problem(412, "stale");
    let put = service.put("/templates/review", &body).await;
    assert_eq!(put.json(), body);
    assert_eq!(service.get("/templates/review").await.etag(), put.etag());
    let page = service.get("/templates").await.json();
    let names: Vec<_> = page["items"].as_array().unwrap().iter().map(|item| item["name"].clone()).collect();
    assert_eq!(names, ["main", "review"]);
    assert_eq!(page["items"][0]["version"], 3);
    assert_eq!(
        service.get("/templates/main").await.json(),
        json!({"template": "a\nc\nd\n", "variables": {}})
    );
    assert_eq!(service.put("/templates/review/labels/x", &json!({"version": 1})).await.status, 200);
    assert_eq!(service.get("/templates/review/versions/1").await.json()["labels"], json!(["x"]));
    assert_eq!(service.get("/templates/review/diff?from=0").await.json()["to"], 1);
    let deleted = service.delete("/templates/review").await;
    assert_eq!((deleted.status.as_u16(), deleted.header("preface-version")), (204, Some("2")));
    let restored = service.post("/templates/review/versions/1/restore", &Value::Null).await;
    assert_eq!(restored.json(), body);
}

#[tokio::test]
async fn a_deleted_template_is_not_there_until_it_is_written_again() {
    let service = service().await;
    let (path, body) = ("/templates/review", json!({"template": "Review.", "variables": {}}));
    let first = service.put(path, &body).await;
    assert_eq!(service.delete(path).await.status, 204);
    service.get(path).await.problem(404, "no-template");
    service.delete(path).await.problem(404, "no-template");
    for known in ["*", first.etag().as_str()] {
        service.put_with(path, &[("if-match", known)], &body).await.problem(412, "stale");
    }
    // Its name stays in the list, with its versions: that is how it is brought back.
    assert_eq!(service.get("/templates").await.json()["items"][0]["reset"], true);
    assert_eq!(service.get(&format!("{path}/versions")).await.json()["items"].as_array().unwrap().len(), 2);
    let again = service.put_with(path, &[("if-none-match", "*")], &body).await;
    assert_eq!((again.status.as_u16(), again.header("preface-version")), (200, Some("3")));
    assert_eq!(service.get(path).await.json(), body);
    // `main` is never missing: it has a default.
    service.put("/templates/main", &body).await;
    assert_eq!(service.delete("/templates/main").await.status, 200);
    assert_eq!(service.get("/templates/main").await.status, 200);
}

#[tokio::test]
async fn an_export_can_be_imported_and_imported_again() {
    let from = three().await;
    from.delete("/templates/main").await;
    from.put("/templates/main/labels/live", &json!({"version": 2})).await;
    from.put("/templates/review", &json!({"template": "Review."})).await;
    let document = from.get("/export").await.json();
    assert_eq!(document["format"], "preface-templates/1");
    assert_eq!(document["templates"][0]["versions"][3]["template"], Value::Null);

    let to = service().await;
    let imported = to.post("/import", &document).await.json();
    assert_eq!((&imported["added"], &imported["skipped"]), (&json!(5), &json!(0)));
    assert_eq!(imported["templates"][0]["labels"], json!(["live"]));
    assert_eq!(to.get("/export").await.json(), document, "authors, times, notes and labels are kept");
    let again = to.post("/import", &document).await.json();
    assert_eq!((&again["added"], &again["skipped"]), (&json!(0), &json!(5)));
    assert_eq!(to.get("/export").await.json(), document);
}

#[tokio::test]
async fn an_import_into_another_history_adds_behind_it() {
    let from = three().await;
    let document = from.get("/export").await.json();
    let to = service().await;
    let mut head = document.clone();
    head["templates"][0]["versions"].as_array_mut().unwrap().truncate(1);
    to.post("/import", &head).await;
    to.store("other").await;
    to.put("/templates/main/labels/live", &json!({"version": 2})).await;
    let mut labelled = document.clone();
    labelled["templates"][0]["versions"][2]["labels"] = json!(["live"]);
    let imported = to.post("/import", &labelled).await.json();
    let main = &imported["templates"][0];
    assert_eq!((&main["added"], &main["skipped"], &main["diverged"]), (&json!(2), &json!(1), &json!(true)));
    assert_eq!(main["kept_labels"], json!(["live"]));
    assert_eq!(to.get("/system-prompt").await.json()["template"], "a\nc\nd\n");
    let again = to.post("/import", &labelled).await.json();
    assert_eq!((&again["added"], &again["skipped"]), (&json!(0), &json!(3)));
}

#[tokio::test]
async fn an_import_that_cannot_be_used_adds_nothing() {
    let service = service().await;
    let version = |template: Value| json!({"version": 1, "template": template, "author": "ada", "at": "2026-01-02T03:04:05Z"});
    let of = |versions: Value| json!({"format": "preface-templates/1", "templates": [{"name": "t", "versions": versions}]});
    let deep = "[if a:b]".repeat(1_001) + &"[endif]".repeat(1_001);
    let problem = service.post("/import", &of(json!([version("ok".into()), version(deep.into())]))).await;
    assert!(
        problem.problem(400, "template-depth")["detail"]
            .as_str()
            .unwrap()
            .starts_with("template `t`, version 1: ")
    );
    let mut later = of(json!([version("ok".into())]));
    later["format"] = "preface-templates/2".into();
    service.post("/import", &later).await.problem(422, "invalid");
    let mut bad = version("ok".into());
    bad["at"] = "yesterday".into();
    service.post("/import", &of(json!([bad]))).await.problem(400, "body");
    let mut bad = version("ok".into());
    bad.as_object_mut().unwrap().remove("template");
    service.post("/import", &of(json!([bad]))).await.problem(400, "body");
    let plain = service.send(Method::POST, "/import", &[], Body::from("{}")).await;
    plain.problem(415, "content-type");
    assert_eq!(service.get("/templates").await.json()["items"], json!([]));
}

#[tokio::test]
async fn a_note_has_an_end() {
    let service = service().await;
    let note = |note: String| json!({"template": "a", "note": note});
    service.put("/system-prompt", &note("x".repeat(2_001))).await.problem(400, "invalid");
    service.put("/system-prompt", &note("\0".into())).await.problem(400, "invalid");
    assert_eq!(service.put("/system-prompt", &note("é".repeat(2_000))).await.status, 200);
}

#[tokio::test]
async fn a_named_template_declares_variables_beside_its_text() {
    let service = service().await;
    let declared = json!({"app:plan": {"values": ["free", "pro"], "required": true}});
    let body = json!({"template": "Plan: [app:plan].", "variables": declared});
    let stored = service.put("/templates/bot", &body).await;
    assert_eq!(stored.status, 200);
    assert!(stored.headers.get("preface-diagnostics").is_none(), "the text is linted with its variables");
    let shown = stored.json();
    assert_eq!(
        (&shown["variables"]["app:plan"]["values"], &shown["variables"]["app:plan"]["stability"]),
        (&json!(["free", "pro"]), &json!("conversation"))
    );
    assert_eq!(service.get("/templates/bot").await.json(), shown);
    let kept = service.put("/templates/bot", &json!({"template": "[app:plan]"})).await.json();
    assert_eq!(kept["variables"], shown["variables"]);
    assert_eq!(service.get("/templates/bot/versions/1").await.json()["variables"], shown["variables"]);

    let wrong = json!({"template": "", "variables": {"git:x": {}}});
    service.put("/templates/bot", &wrong).await.problem(400, "invalid");
    let wrong = json!({"template": "", "variables": {"app:x": {"vales": []}}});
    service.put("/templates/bot", &wrong).await.problem(400, "body");
    service.put("/system-prompt", &json!({"template": "", "variables": {}})).await.problem(400, "body");
    service.put("/templates/main", &body).await;
    assert_eq!(service.get("/system-prompt").await.json(), json!({"template": "Plan: [app:plan]."}));

    let body = json!({"template": "[app:plan]", "variables": declared, "options": {"variables": {"app:plan": "pro"}}});
    let analysis = service.post("/system-prompt/analyze", &body).await.json();
    assert_eq!(analysis["preview"]["text"], "pro", "{analysis}");
    assert_eq!(analysis["variables"][0]["registered"], true);
    assert_eq!(analysis["diagnostics"], json!([]));
}
