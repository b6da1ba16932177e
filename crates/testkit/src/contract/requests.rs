//! The recorded requests of a conversation.

use super::{
    Nodes,
    conversations::{create, replace},
    samples::{actor, at, first, id, next},
};
use jiff::SignedDuration;
use preface_store::{PageRequest, REQUESTS, StoredPrompt, StoredRequest};

fn request(conversation: &StoredPrompt, number: u64, record: &str) -> StoredRequest {
    StoredRequest {
        conversation: conversation.head.id.clone(),
        number,
        revision: conversation.head.revision,
        at: at(i64::try_from(number).unwrap_or_default()),
        record: record.into(),
    }
}

/// Numbers count from 1 without a gap; what was recorded comes back, also when the prompt was replaced.
pub async fn requests_count_from_one(nodes: &Nodes) {
    let one = first("c", "one");
    assert_eq!(nodes.first().add_request(request(&one, 1, "{}")).await, Ok(false), "no conversation");
    create(nodes.first(), &one).await;
    let numbers = [
        (0, false),
        (2, false),
        (u64::MAX, false),
        (1, true),
        (1, false),
        (3, false),
        (2, true),
        (u64::MAX, false),
    ];
    for (number, added) in numbers {
        let record = format!(r#"{{"number":{number},"text":"ß\u0000"}}"#);
        assert_eq!(nodes.turn(1).add_request(request(&one, number, &record)).await, Ok(added), "{number}");
    }
    let two = next(&one, "two");
    replace(nodes.first(), &two).await;
    let third = StoredRequest { at: at(3) + SignedDuration::from_micros(7), ..request(&two, 3, "[]") };
    assert_eq!(nodes.first().add_request(third).await, Ok(true));
    let all = nodes.other().requests(&id("c"), 0).await.unwrap();
    let text = r#"{"number":1,"text":"ß\u0000"}"#;
    assert_eq!(all[0], request(&one, 1, text));
    assert_eq!(all[2], request(&two, 3, "[]"), "times are to the millisecond");
    assert_eq!(nodes.first().requests(&id("c"), 3).await.unwrap(), all[2..]);
    assert_eq!(nodes.first().requests(&id("c"), 4).await, Ok(Vec::new()));
    assert_eq!(nodes.first().requests(&id("c"), u64::MAX).await, Ok(Vec::new()));
    assert_eq!(nodes.first().requests(&id("d"), 0).await, Ok(Vec::new()));
}

/// The record of a request is replaced as a whole; one that is not there is not made.
pub async fn a_record_of_a_request_is_replaced(nodes: &Nodes) {
    let one = first("c", "one");
    create(nodes.first(), &one).await;
    assert_eq!(nodes.first().set_request(&id("c"), 1, "{}".into()).await, Ok(false));
    assert_eq!(nodes.first().add_request(request(&one, 1, "{}")).await, Ok(true));
    assert_eq!(nodes.other().set_request(&id("c"), 1, "[1]".into()).await, Ok(true));
    assert_eq!(nodes.first().requests(&id("c"), 1).await, Ok(vec![request(&one, 1, "[1]")]));
    assert_eq!(nodes.other().set_request(&id("c"), u64::MAX, "[1]".into()).await, Ok(false));
    assert_eq!(nodes.other().set_request(&id("d"), 1, "[1]".into()).await, Ok(false));
}

/// Requests are deleted with their conversation; one that begins again counts from 1 again.
pub async fn requests_go_with_their_conversation(nodes: &Nodes) {
    let (one, other) = (first("c", "one"), first("d", "one"));
    for conversation in [&one, &other] {
        create(nodes.first(), conversation).await;
        assert_eq!(nodes.first().add_request(request(conversation, 1, "{}")).await, Ok(true));
    }
    assert_eq!(nodes.first().delete(&id("c"), None, &actor()).await, Ok(true));
    assert_eq!(nodes.other().requests(&id("c"), 0).await, Ok(Vec::new()));
    assert_eq!(nodes.other().requests(&id("d"), 0).await.unwrap().len(), 1);
    create(nodes.first(), &one).await;
    assert_eq!(nodes.other().requests(&id("c"), 0).await, Ok(Vec::new()));
    assert_eq!(nodes.other().add_request(request(&one, 1, "{}")).await, Ok(true));
    assert_eq!(nodes.other().purge(at(100_000), 10, &actor()).await, Ok(2));
    assert_eq!(nodes.first().requests(&id("d"), 0).await, Ok(Vec::new()));
}

/// A request and its record write no audit entry.
pub async fn requests_are_not_in_the_audit(nodes: &Nodes) {
    let one = first("c", "one");
    create(nodes.first(), &one).await;
    let before = nodes.first().audit(&PageRequest::default()).await.unwrap().items;
    assert_eq!(nodes.first().add_request(request(&one, 1, "{}")).await, Ok(true));
    assert_eq!(nodes.first().set_request(&id("c"), 1, "[1]".into()).await, Ok(true));
    assert_eq!(nodes.other().audit(&PageRequest::default()).await.unwrap().items, before);
}

/// A request that races with the deletion of its conversation is recorded and deleted, or not recorded; neither fails.
pub async fn requests_race_with_a_deletion(nodes: &Nodes) {
    for round in 0..40 {
        let one = first("c", "one");
        create(nodes.first(), &one).await;
        let mine = one.clone();
        let answers = nodes
            .at_once(4, move |task, store| {
                let request = request(&mine, 1, "{}");
                async move {
                    match task {
                        0 => store.delete(&id("c"), None, &actor()).await,
                        _ => store.add_request(request).await,
                    }
                }
            })
            .await;
        assert!(answers.iter().all(Result::is_ok), "round {round}: {answers:?}");
        assert_eq!(nodes.other().requests(&id("c"), 0).await, Ok(Vec::new()), "round {round}");
    }
}

/// Of several that record the same number one does.
pub async fn requests_race(nodes: &Nodes) {
    let one = first("c", "one");
    create(nodes.first(), &one).await;
    for number in 1..=3 {
        let mine = one.clone();
        let added = nodes
            .at_once(16, move |task, store| {
                let request = request(&mine, number, &format!("[{task}]"));
                async move { store.add_request(request).await.expect("it answers") }
            })
            .await;
        let winners: Vec<usize> =
            added.iter().enumerate().filter(|(_, added)| **added).map(|(at, _)| at).collect();
        assert_eq!(winners.len(), 1, "number {number}");
        let there = nodes.other().requests(&id("c"), number).await.unwrap();
        assert_eq!(there, [request(&one, number, &format!("[{}]", winners[0]))]);
    }
}

/// One call returns a bounded number of requests, and the next one goes on behind them.
pub async fn a_list_of_requests_is_bounded(nodes: &Nodes) {
    let one = first("c", "one");
    create(nodes.first(), &one).await;
    let all = REQUESTS as u64 + 2;
    for number in 1..=all {
        assert_eq!(nodes.first().add_request(request(&one, number, "{}")).await, Ok(true));
    }
    let start = nodes.other().requests(&id("c"), 1).await.unwrap();
    assert_eq!((start.len(), start[REQUESTS - 1].number), (REQUESTS, REQUESTS as u64));
    assert_eq!(nodes.other().requests(&id("c"), REQUESTS as u64 + 1).await.unwrap().len(), 2);
}
