//! Compactions, refreshes and deletions, with and without `If-Match`.

use crate::bench::{Bench, bench, diagnostics};
use crate::common::TestResponse;
use axum::{body::Body, http::Method};
use serde_json::{Value, json};

#[tokio::test]
async fn a_compaction_answers_the_prompt_with_the_instructions_and_keeps_it_without() {
    let bench = bench().await;
    bench.service.store("One, [prompt:model].").await;
    let first = bench.post("c/turns", &json!({"options": {"directory": "/work/p", "model": "m-1"}})).await;
    bench.service.store("Two, [prompt:model], [prompt:cwd].").await;
    let compacted = bench.post("c/compactions", &json!({})).await;
    assert_eq!(compacted.status, 200);
    let reply = compacted.json();
    let instructions = reply["instructions"].as_str().unwrap();
    // `{}` goes by the cwd and the model of the earlier turn.
    assert_eq!(reply["system_prompt"], format!("Two, m-1, /work/p.\n\n{instructions}"));
    assert_eq!((&reply["constructed"], &reply["revision"]), (&json!(true), &json!(2)));
    assert_eq!(reply["reason"], "compaction");
    assert_ne!(compacted.etag(), first.etag());

    let kept = bench.get("/c/system-prompt").await;
    assert_eq!(kept.json()["system_prompt"], "Two, m-1, /work/p.");
    assert_eq!(kept.etag(), compacted.etag());
    assert_eq!(kept.json()["fingerprint"], reply["fingerprint"], "it is that of the kept prompt");
    assert_eq!(bench.post("c/turns", &json!({})).await.json()["system_prompt"], "Two, m-1, /work/p.");
}

#[tokio::test]
async fn a_compaction_may_bring_its_own_words_and_what_changed() {
    let bench = bench().await;
    bench.service.store("[prompt:model] in [prompt:cwd]").await;
    bench.begin("c").await;
    let body = json!({"instructions": "Be short.", "options": {"directory": "/work/q", "model": "m-2"}});
    let reply = bench.post("c/compactions", &body).await.json();
    assert_eq!(reply["system_prompt"], "m-2 in /work/q\n\nBe short.");
    assert_eq!(reply["instructions"], "Be short.");
    bench
        .post("c/compactions", &json!({"options": {"directory": "/elsewhere"}}))
        .await
        .problem(403, "outside-roots");
    assert_eq!(bench.get("/c/system-prompt").await.json()["revision"], 2);
}

#[tokio::test]
async fn an_empty_prompt_is_compacted_with_the_instructions_alone() {
    let bench = bench().await;
    bench.service.store("").await;
    bench.begin("c").await;
    let reply = bench.post_nothing("c/compactions", &[]).await.json();
    assert_eq!(reply["system_prompt"], reply["instructions"]);
    assert_eq!(bench.get("/c/system-prompt").await.json()["system_prompt"], Value::Null);
}

#[tokio::test]
async fn a_compaction_without_instructions_is_the_prompt_alone() {
    let bench = bench().await;
    bench.service.store("Hello.").await;
    bench.begin("c").await;
    let reply = bench.post("c/compactions", &json!({"instructions": ""})).await.json();
    assert_eq!((&reply["system_prompt"], &reply["instructions"]), (&json!("Hello."), &json!("")));
}

#[tokio::test]
async fn a_profile_may_keep_its_prompt_over_a_compaction() {
    let bench = bench().await;
    let first = bench.post("c/turns", &json!({"options": {"directory": "/work/p", "preset": "pi"}})).await;
    bench.system.put_file("/work/p/AGENTS.md", "Other.");
    let compacted = bench.post("c/compactions", &json!({})).await;
    let reply = compacted.json();
    assert_eq!((&reply["constructed"], compacted.etag()), (&json!(false), first.etag()));
    let text = first.json()["system_prompt"].as_str().unwrap().to_owned();
    assert_eq!(reply["system_prompt"], format!("{text}\n\n{}", reply["instructions"].as_str().unwrap()));
}

#[tokio::test]
async fn a_refresh_shows_or_keeps() {
    let bench = bench().await;
    bench.service.store("One.\n").await;
    let first = bench.begin("c").await;
    let same = bench.post("c/refresh", &json!({})).await;
    assert_eq!((same.etag(), same.json()["constructed"].clone()), (first.etag(), json!(false)));
    assert_eq!(same.json()["difference"]["same"], true);

    bench.service.store("Two.\n").await;
    let shown = bench.post("c/refresh?dry_run=true", &json!({})).await.json();
    assert_eq!((&shown["system_prompt"], &shown["constructed"]), (&json!("One.\n"), &json!(false)));
    assert!(shown["difference"]["text"].as_str().unwrap().contains("+Two."));
    assert_eq!(bench.get("/c/system-prompt").await.json()["system_prompt"], "One.\n");

    let kept = bench.post_nothing("c/refresh", &[]).await.json();
    assert_eq!((&kept["system_prompt"], &kept["revision"]), (&json!("Two.\n"), &json!(2)));
    assert_eq!((&kept["reason"], &kept["difference"]), (&json!("refresh"), &shown["difference"]));
    assert_eq!(diagnostics(&kept), [""; 0]);
}

#[tokio::test]
async fn an_unknown_conversation_is_not_found() {
    let bench = bench().await;
    for verb in ["compactions", "refresh"] {
        bench.post(&format!("c/{verb}"), &json!({})).await.problem(404, "unknown-conversation");
        let insisting = bench.post_nothing(&format!("c/{verb}"), &[("if-match", "\"r1-1\"")]).await;
        insisting.problem(404, "unknown-conversation");
    }
    for what in ["system-prompt", "explain", "history"] {
        bench.get(&format!("/c/{what}")).await.problem(404, "unknown-conversation");
    }
    bench.service.delete("/conversations/c").await.problem(404, "unknown-conversation");
}

/// Sends a change with `If-Match`.
async fn matching(bench: &Bench, what: &str, tag: &str) -> TestResponse {
    let headers = [("if-match", tag)];
    match what {
        "delete" => bench.service.send(Method::DELETE, "/conversations/c", &headers, Body::empty()).await,
        verb => bench.post_nothing(&format!("c/{verb}"), &headers).await,
    }
}

#[tokio::test]
async fn a_request_with_an_older_etag_is_refused() {
    let bench = bench().await;
    let old = bench.begin("c").await.etag();
    let now = bench.post_nothing("c/compactions", &[]).await.etag();
    assert_ne!(old, now);
    for what in ["compactions", "refresh", "delete"] {
        for tag in [old.as_str(), &format!("W/{now}"), "\"x\"", ""] {
            matching(&bench, what, tag).await.problem(412, "stale");
        }
    }
    assert_eq!(bench.get("/c/system-prompt").await.etag(), now, "nothing happened");
    for what in ["refresh", "compactions", "delete"] {
        let now = bench.get("/c/system-prompt").await.etag();
        let done = matching(&bench, what, &format!("\"x\", {now}")).await;
        assert!(done.status.is_success(), "{what}: {}", done.text);
    }
    bench.get("/c/system-prompt").await.problem(404, "unknown-conversation");
}

#[tokio::test]
async fn a_star_goes_with_any_prompt() {
    let bench = bench().await;
    bench.begin("c").await;
    for what in ["refresh", "compactions", "delete"] {
        let done = matching(&bench, what, "*").await;
        assert!(done.status.is_success(), "{what}: {}", done.text);
    }
}

#[tokio::test]
async fn a_tag_of_an_earlier_life_does_not_count() {
    let bench = bench().await;
    let before = bench.begin("c").await;
    assert_eq!(bench.service.delete("/conversations/c").await.status, 204);
    let again = bench.begin("c").await;
    assert_eq!(again.json()["fingerprint"], before.json()["fingerprint"]);
    assert_ne!(again.etag(), before.etag());
    matching(&bench, "delete", &before.etag()).await.problem(412, "stale");
    assert_eq!(matching(&bench, "delete", &again.etag()).await.status, 204);
}

#[tokio::test]
async fn a_deleted_conversation_begins_again() {
    let bench = bench().await;
    bench.begin("c").await;
    bench.post_nothing("c/compactions", &[]).await;
    let gone = bench.service.delete("/conversations/c").await;
    assert_eq!((gone.status.as_u16(), gone.text.as_str()), (204, ""));
    bench.get("/c/history").await.problem(404, "unknown-conversation");
    assert_eq!(bench.begin("c").await.json()["revision"], 1);
}
