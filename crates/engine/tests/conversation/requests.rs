//! The records of requests: their limit, where they are read, and which of them.

use crate::bench::{Bench, at, id, run, turn_options};
use preface_engine::{
    conversation::{
        ConversationError, ConversationService, MOST_BLOCKS, Offload, RequestInput, RequestResult, Work,
        WorkFuture,
    },
    core::{format::find, message::Message},
    store::REQUESTS,
};
use serde_json::{Value, json};
use std::{future::ready, sync::Arc};

async fn request(bench: &Bench, texts: &[&str]) -> Result<RequestResult, ConversationError> {
    let messages = texts.iter().map(|text| json!({ "role": "user", "content": text }));
    let messages = messages.collect::<Vec<Value>>();
    let messages = serde_json::from_value::<Vec<Message>>(json!(messages)).expect("messages");
    let input = RequestInput { messages, ..RequestInput::new(find("anthropic").expect("a format")) };
    bench.service.request(&id("c"), &turn_options(), input, &at(10)).await
}

async fn bench() -> Bench {
    let bench = Bench::new().await;
    bench.template("Be brief.").await;
    bench.turn("c").await;
    bench
}

#[test]
fn a_request_of_too_many_blocks_is_not_recorded() {
    run(async {
        let bench = bench().await;
        let error = request(&bench, &vec!["x"; MOST_BLOCKS]).await.expect_err("it has too many blocks");
        assert_eq!(error, ConversationError::TooManyBlocks(MOST_BLOCKS + 1), "the prompt is one, too");
        assert_eq!(error.to_string(), "a request of 20001 blocks is larger than the limit of 20000");
        assert_eq!(bench.service.request_summaries(&id("c")).await, Ok(Vec::new()));
        assert_eq!(request(&bench, &vec!["x"; MOST_BLOCKS - 1]).await.expect("it fits").number, 1);
    });
}

#[test]
fn a_record_that_cannot_be_read_is_named() {
    run(async {
        let bench = bench().await;
        for texts in [&["a"][..], &["a", "b"], &["c"]] {
            request(&bench, texts).await.expect("a request");
        }
        let second = &bench.store.requests(&id("c"), 2).await.expect("the store answers")[0];
        let mut record: Value = serde_json::from_str(&second.record).expect("a record");
        record["blocks"] = json!("unreadable");
        let replaced = bench.store.set_request(&id("c"), 2, record.to_string().into()).await;
        assert_eq!(replaced, Ok(true));

        let next = request(&bench, &["c", "d"]).await.map(drop).expect_err("the record is needed");
        let all = bench.service.request_summaries(&id("c")).await.map(drop).expect_err("it is listed");
        for error in [next, all] {
            assert!(error.to_string().contains("request 2 of `c`"), "{error}");
        }
    });
}

#[test]
fn requests_of_several_pages_are_read() {
    run(async {
        let bench = bench().await;
        let texts = vec!["x"; REQUESTS + 2];
        for count in 1..=texts.len() {
            let made = request(&bench, &texts[..count]).await.expect("a request");
            assert!(made.comparison.is_none_or(|comparison| comparison.extends), "{count}");
        }
        let summaries = bench.service.request_summaries(&id("c")).await.expect("the summaries");
        let common = summaries.iter().filter_map(|one| Some(one.comparison.as_ref()?.common_blocks));
        assert_eq!(common.collect::<Vec<usize>>(), (2..texts.len() + 1).collect::<Vec<usize>>());
        assert_eq!(summaries.len(), texts.len());
        assert!(summaries[1..].iter().all(|one| one.comparison.as_ref().is_some_and(|with| with.extends)));
    });
}

/// Has no place for any work.
#[derive(Debug)]
struct NoThreads;

impl Offload for NoThreads {
    fn run(&self, _: Work) -> WorkFuture {
        Box::pin(ready(Err(ConversationError::Overloaded("no threads".to_owned()))))
    }
}

#[test]
fn records_are_read_where_builds_run() {
    run(async {
        let bench = bench().await;
        request(&bench, &["a"]).await.expect("a request");
        let system = Arc::new(bench.system.clone());
        let service = ConversationService::new(system, bench.store.clone(), Arc::new(NoThreads));
        let overloaded = ConversationError::Overloaded("no threads".to_owned());
        assert_eq!(service.request_summaries(&id("c")).await.expect_err("it is refused"), overloaded);
    });
}
