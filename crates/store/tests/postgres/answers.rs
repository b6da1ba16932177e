//! The connection breaks after the server has executed a write and before its answer arrives.

use preface_store::{
    ExpectedVersion, InsertOutcome, PageRequest, PutOutcome, ReplaceOutcome, Store, StoreError, StoredRequest,
};
use preface_testkit::contract::{
    samples::{actor, first, id, new_version, next},
    server::PostgresServer,
};
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Stands between a store and its server. Once a request holds the word that it waits for, it swallows the answer and
/// breaks the connection.
#[derive(Clone, Default)]
struct Between(Arc<Mutex<Option<Vec<u8>>>>);

impl Between {
    /// Returns the port that leads to the server's.
    async fn start(&self, server: u16) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let this = self.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(this.clone().pass(client, server));
            }
        });
        port
    }

    fn swallow(&self, word: &str) {
        *self.0.lock().unwrap() = Some(word.as_bytes().to_vec());
    }

    /// True if the word was found and the connection broken.
    fn is_done(&self) -> bool {
        self.0.lock().unwrap().is_none()
    }

    fn takes(&self, sent: &[u8]) -> bool {
        let mut word = self.0.lock().unwrap();
        let found = word.as_ref().is_some_and(|word| sent.windows(word.len()).any(|some| some == word));
        if found {
            *word = None;
        }
        found
    }

    async fn pass(self, mut client: TcpStream, port: u16) {
        let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let (mut sent, mut received) = (vec![0; 65536], vec![0; 65536]);
        let mut swallowing = false;
        loop {
            tokio::select! {
                count = client.read(&mut sent) => match count {
                    Ok(0) | Err(_) => return,
                    Ok(count) => {
                        swallowing |= self.takes(&sent[..count]);
                        if server.write_all(&sent[..count]).await.is_err() {
                            return;
                        }
                    }
                },
                count = server.read(&mut received) => match count {
                    Ok(0) | Err(_) => return,
                    Ok(_) if swallowing => return,
                    Ok(count) => {
                        if client.write_all(&received[..count]).await.is_err() {
                            return;
                        }
                    }
                },
            }
        }
    }
}

/// Opens a store with somebody between. The server knows its statements already.
async fn opened(server: &PostgresServer) -> (Arc<dyn Store>, Between) {
    let database = server.new_database();
    let between = Between::default();
    let port = between.start(server.port()).await;
    (crate::open(&format!("postgres://postgres@127.0.0.1:{port}/{database}?sslmode=disable")).await, between)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_whose_answer_was_lost_is_known_by_its_stamp() {
    let Some(server) = PostgresServer::shared() else { return };
    let (store, between) = opened(server).await;
    let (one, actor) = (first("c", "the first text"), actor());
    let two = next(&one, "the second text");
    between.swallow("the first text");
    assert_eq!(store.create(one.clone(), &actor).await, Ok(InsertOutcome::New));
    assert!(between.is_done());
    between.swallow("the second text");
    assert_eq!(store.replace(two.clone(), one.head.revision, &actor).await, Ok(ReplaceOutcome::Done));
    assert!(between.is_done());
    assert_eq!(store.revision(&id("c")).await, Ok(Some(two.head.revision)));
    assert_eq!(store.history(&id("c"), &PageRequest::default()).await.unwrap().items.len(), 1);
    assert_eq!(
        store.audit(&PageRequest::default()).await.unwrap().items.len(),
        2,
        "each has one audit entry"
    );
    // Without a lost answer the same again is not taken for ours.
    assert!(matches!(store.create(one.clone(), &actor).await, Ok(InsertOutcome::Existing(_))));
    assert!(matches!(store.replace(two, one.head.revision, &actor).await, Ok(ReplaceOutcome::Stale(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_of_a_former_life_stays_stale_where_an_answer_was_lost() {
    let Some(server) = PostgresServer::shared() else { return };
    let (store, between) = opened(server).await;
    let (before, after, actor) = (first("c", "the first text"), first("c", "begun again"), actor());
    assert_eq!(store.create(before.clone(), &actor).await, Ok(InsertOutcome::New));
    assert_eq!(store.delete(&id("c"), None, &actor).await, Ok(true));
    assert_eq!(store.create(after.clone(), &actor).await, Ok(InsertOutcome::New));
    between.swallow("the late text");
    let outcome = store.replace(next(&before, "the late text"), before.head.revision, &actor).await;
    assert!(between.is_done());
    assert_eq!(outcome, Ok(ReplaceOutcome::Stale(Box::new(after.head.clone()))));
    assert_eq!(store.conversation(&id("c")).await, Ok(Some(after)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_version_whose_answer_was_lost_is_known_by_its_stamp() {
    let Some(server) = PostgresServer::shared() else { return };
    let (store, between) = opened(server).await;
    for (number, word) in (1..).zip(["BEGIN", "COMMIT", "template.put", "COMMIT"]) {
        between.swallow(word);
        let new = new_version("main", &format!("text {number}"));
        match store.put_template(new, ExpectedVersion::Any, &actor()).await {
            Ok(PutOutcome::Stored(version)) => assert_eq!(version.version, number, "{word}"),
            other => panic!("{word}: {other:?}"),
        }
        assert!(between.is_done());
    }
    assert_eq!(store.audit(&PageRequest::default()).await.unwrap().items.len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_known_is_not_claimed() {
    let Some(server) = PostgresServer::shared() else { return };
    let (store, between) = opened(server).await;
    assert_eq!(store.create(first("gone", "x"), &actor()).await, Ok(InsertOutcome::New));
    // The first delete teaches the connection the statement; the second is the one whose answer is lost.
    assert_eq!(store.delete(&id("nobody"), None, &actor()).await, Ok(false));
    between.swallow("gone");
    let outcome = store.delete(&id("gone"), None, &actor()).await;
    assert!(matches!(outcome, Err(StoreError::Unreachable { .. })), "{outcome:?}");
    assert_eq!(store.head(&id("gone")).await, Ok(None), "it had been done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_whose_answer_was_lost_is_known_by_its_record_and_time() {
    let Some(server) = PostgresServer::shared() else { return };
    let (store, between) = opened(server).await;
    let (one, actor) = (first("c", "x"), actor());
    assert_eq!(store.create(one.clone(), &actor).await, Ok(InsertOutcome::New));
    let request = |number, record: &str| StoredRequest {
        conversation: id("c"),
        number,
        revision: one.head.revision,
        at: actor.at,
        record: record.into(),
    };
    between.swallow("the first record");
    assert_eq!(store.add_request(request(1, "the first record")).await, Ok(true));
    assert!(between.is_done());
    // Another writer has the number: an answer that was lost does not make its row ours.
    between.swallow("the late record");
    assert_eq!(store.add_request(request(1, "the late record")).await, Ok(false));
    assert!(between.is_done());
    assert_eq!(store.requests(&id("c"), 1).await, Ok(vec![request(1, "the first record")]));
    // Without a lost answer the same again is not taken for ours.
    assert_eq!(store.add_request(request(1, "the first record")).await, Ok(false));
}
