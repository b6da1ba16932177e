//! Earlier prompts of a conversation, and forgetting.

use super::{
    Nodes,
    conversations::{assert_stored, create, replace},
    samples::{actor, at, first, first_at, id, next},
};
use preface_store::{Actor, Filter, PageRequest, ReplaceOutcome, ReplacedPrompt, StoredRequest};

/// A prompt that was replaced is kept with its record and all it was built for.
pub async fn the_past_is_filed_whole(nodes: &Nodes) {
    let one = first("c", "one\0\r\n");
    let two = next(&one, "");
    let three = next(&two, "three");
    create(nodes.first(), &one).await;
    create(nodes.first(), &first("d", "else")).await;
    for (second, was, prompt) in [(10, &one, &two), (20, &two, &three)] {
        let actor = Actor::at("compacts", at(second));
        assert_eq!(
            nodes.turn(1).replace(prompt.clone(), was.head.revision, &actor).await,
            Ok(ReplaceOutcome::Done)
        );
    }
    let history = nodes.first().history(&id("c"), &PageRequest::default()).await.unwrap();
    let wanted =
        [ReplacedPrompt { was: two, replaced_at: at(20) }, ReplacedPrompt { was: one, replaced_at: at(10) }];
    assert_eq!(history.items, wanted);
    assert_eq!(history.next, None);
    assert_stored(nodes.first(), &three).await;
    assert!(nodes.first().history(&id("d"), &PageRequest::default()).await.unwrap().items.is_empty());
}

/// Checks that a deleted conversation has no history, also when it is created again.
pub async fn delete_forgets_the_past(nodes: &Nodes) {
    let (one, kept) = (first("c", "one"), first("d", "one"));
    for conversation in [&one, &kept] {
        create(nodes.first(), conversation).await;
        replace(nodes.first(), &next(conversation, "two")).await;
    }
    assert_eq!(nodes.first().delete(&id("c"), None, &actor()).await, Ok(true));
    assert_eq!(nodes.other().delete(&id("c"), None, &actor()).await, Ok(false), "it is gone");
    assert!(nodes.other().history(&id("c"), &PageRequest::default()).await.unwrap().items.is_empty());
    create(nodes.other(), &first("c", "again")).await;
    assert!(nodes.first().history(&id("c"), &PageRequest::default()).await.unwrap().items.is_empty());
    assert_eq!(nodes.first().history(&id("d"), &PageRequest::default()).await.unwrap().items.len(), 1);
}

/// Checks that a purge deletes the conversations constructed before an instant, the oldest first, up to the
/// limit.
pub async fn purge_forgets_the_oldest_first(nodes: &Nodes) {
    let store = nodes.first();
    for (name, when) in [("e", 5), ("c", 3), ("a", 1), ("d", 4), ("b", 2)] {
        create(store, &first_at(name, name, when)).await;
        replace(store, &next(&first_at(name, name, when), "newer")).await;
    }
    // All were constructed anew one second later.
    let left = async |names: &[&str]| {
        for name in ["a", "b", "c", "d", "e"] {
            let there = nodes.other().revision(&id(name)).await.unwrap().is_some();
            assert_eq!(there, names.contains(&name), "{name}");
            let history = nodes.other().history(&id(name), &PageRequest::default()).await.unwrap();
            assert_eq!(history.items.len(), usize::from(there), "{name}");
        }
    };
    assert_eq!(store.purge(at(1005), 0, &actor()).await, Ok(0));
    left(&["a", "b", "c", "d", "e"]).await;
    assert_eq!(store.purge(at(1005), 2, &actor()).await, Ok(2));
    left(&["c", "d", "e"]).await;
    assert_eq!(store.purge(at(1005), u64::MAX, &actor()).await, Ok(2));
    left(&["e"]).await;
    assert_eq!(store.purge(at(1006), u64::MAX, &actor()).await, Ok(1));
    left(&[]).await;
}

/// A turn and a request are uses; a turn is recorded once an hour.
pub async fn purge_leaves_what_is_used(nodes: &Nodes) {
    let hour = 3_600_000;
    for name in ["turn", "request", "unused"] {
        create(nodes.first(), &first_at(name, name, 0)).await;
    }
    let store = nodes.other();
    assert_eq!(store.touch(&id("turn"), at(hour - 1)).await, Ok(false));
    assert_eq!(store.touch(&id("turn"), at(hour)).await, Ok(true));
    assert_eq!(store.touch(&id("nobody"), at(hour)).await, Ok(false));
    let head = store.head(&id("request")).await.unwrap().unwrap();
    let (conversation, revision) = (head.id, head.revision);
    let used = StoredRequest { conversation, number: 1, revision, at: at(hour), record: "{}".into() };
    assert_eq!(store.add_request(used).await, Ok(true));
    assert_eq!(nodes.first().count_unused(at(hour)).await, Ok(1));
    assert_eq!(nodes.first().purge(at(hour), 10, &actor()).await, Ok(1));
    assert_eq!(store.revision(&id("unused")).await, Ok(None));
    assert_eq!(nodes.first().purge(at(hour + 1), 10, &actor()).await, Ok(2));
}

/// A list is walked whole, whatever is built between its pages.
pub async fn a_page_loses_nothing_that_is_built_again(nodes: &Nodes) {
    for (name, when) in [("a", 1), ("b", 2), ("c", 3)] {
        create(nodes.first(), &first_at(name, name, when)).await;
    }
    let mut request = PageRequest::first(1);
    let mut found = Vec::new();
    loop {
        let page = nodes.other().conversations(&Filter::default(), &request).await.unwrap();
        found.extend(page.items.into_iter().map(|head| head.id.to_string()));
        if found.len() == 1 {
            replace(nodes.first(), &next(&first_at("a", "a", 1), "newer")).await;
        }
        let Some(after) = page.next else { break };
        request.after = Some(after);
    }
    assert_eq!(found, ["c", "b", "a"]);
}

/// Age counts from the last construction, not from the beginning, and an instant is not before itself.
pub async fn purge_leaves_new_ones(nodes: &Nodes) {
    let old = first_at("c", "one", 0);
    create(nodes.first(), &old).await;
    replace(nodes.first(), &next(&old, "two")).await;
    assert_eq!(nodes.other().purge(at(1000), 10, &actor()).await, Ok(0));
    assert_eq!(nodes.other().purge(at(1001), 10, &actor()).await, Ok(1));
}
