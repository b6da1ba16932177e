//! Two services over one store: what one changes, the other returns at once.

use crate::bench::{Bench, memory, over};
use serde_json::json;

async fn two() -> (Bench, Bench) {
    let store = memory().await;
    (over(store.clone()), over(store))
}

#[tokio::test]
async fn a_change_of_another_node_is_seen_at_once() {
    let (here, there) = two().await;
    here.service.store("One.").await;
    let first = here.begin("c").await;
    let read = there.get("/c/system-prompt").await;
    assert_eq!((read.etag(), read.json()["system_prompt"].clone()), (first.etag(), json!("One.")));
    assert_eq!(there.post("c/turns", &json!({})).await.status, 200, "it is no first turn there");

    there.service.store("Two.").await;
    let compacted = there.post_nothing("c/compactions", &[]).await;
    // It was at hand here, and is not what is kept any more.
    let read = here.get("/c/system-prompt").await;
    assert_eq!((read.etag(), read.json()["system_prompt"].clone()), (compacted.etag(), json!("Two.")));
    assert_eq!(here.post("c/turns", &json!({})).await.json()["system_prompt"], "Two.");

    there.service.delete("/conversations/c").await;
    here.get("/c/system-prompt").await.problem(404, "unknown-conversation");
    there.service.store("Three.").await;
    there.begin("c").await;
    assert_eq!(here.get("/c/system-prompt").await.json()["system_prompt"], "Three.");
}

#[tokio::test]
async fn first_turns_on_two_nodes_give_one_prompt() {
    let (here, there) = two().await;
    here.service.store("[prompt:model]").await;
    for round in 0..20 {
        let path = format!("{round}/turns");
        let (a, b) = (json!({"options": {"model": "a"}}), json!({"options": {"model": "b"}}));
        let (one, other) = tokio::join!(here.post(&path, &a), there.post(&path, &b));
        let mut statuses = [one.status.as_u16(), other.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 201]);
        assert_eq!(one.json()["system_prompt"], other.json()["system_prompt"]);
        assert_eq!(one.etag(), other.etag());
    }
}
