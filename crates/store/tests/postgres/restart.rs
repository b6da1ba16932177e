//! A server stops, as in a crash, and starts again; nobody opens the store anew.

use preface_store::{
    Created, Expect, StoreError,
    contract::{
        samples::{actor, first, id, new_version},
        server::Server,
    },
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Far more than an answer takes; a test that hangs fails.
const LONG: Duration = Duration::from_secs(30);

fn is_unreachable<T>(answer: &Result<T, StoreError>) -> bool {
    matches!(answer, Err(error @ StoreError::Unreachable { .. }) if error.is_unavailable())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_outlives_its_server() {
    let Some(server) = Server::start() else { return };
    server.create_database("db");
    let store = crate::open(&server.url("db")).await;
    let one = first("c", "one");
    assert_eq!(store.create(one.clone(), &actor()).await, Ok(Created::New));
    server.stop();
    let answers = async {
        assert!(is_unreachable(&store.check().await));
        assert!(is_unreachable(&store.head(&id("c")).await));
        assert!(is_unreachable(&store.create(first("d", "x"), &actor()).await));
        assert!(is_unreachable(&store.delete(&id("c"), None, &actor()).await));
        assert!(is_unreachable(&store.put_template(new_version("t", "x"), Expect::Any, &actor()).await));
    };
    tokio::time::timeout(LONG, answers).await.expect("it says so at once");
    server.start_again();
    assert_eq!(store.check().await, Ok(()));
    assert_eq!(store.conversation(&id("c")).await, Ok(Some(one.clone())));
    assert_eq!(store.head(&id("d")).await, Ok(None));
    assert_eq!(store.create(first("again", "x"), &actor()).await, Ok(Created::New));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_was_acknowledged_outlives_the_server() {
    let Some(server) = Server::start() else { return };
    server.create_database("db");
    let store = crate::open(&server.url("db")).await;
    let over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..6)
        .map(|writer| {
            let (store, over) = (store.clone(), over.clone());
            tokio::spawn(async move {
                let mut said = Vec::new();
                for number in 0.. {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    let name = format!("{writer}/{number}");
                    let one = first(&name, &format!("{name}: {}", "x".repeat(5000)));
                    let answer = store.create(one.clone(), &actor()).await;
                    assert!(is_unreachable(&answer) || answer == Ok(Created::New), "{answer:?}");
                    if answer.is_err() {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                    said.push((one, answer.is_ok()));
                }
                said
            })
        })
        .collect();
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        server.stop();
        server.start_again();
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    over.store(true, Ordering::Relaxed);
    let mut kept = 0;
    for writer in writers {
        for (one, acknowledged) in writer.await.expect("it ends") {
            match store.conversation(&one.head.id).await.expect("it answers") {
                Some(found) => assert_eq!(found, one, "whole"),
                None => assert!(!acknowledged, "{} was acknowledged", one.head.id),
            }
            kept += usize::from(acknowledged);
        }
    }
    assert!(kept > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_waits_behind_who_went_away() {
    let Some(server) = Server::shared() else { return };
    let database = server.new_database();
    let url = format!("{}?pool_max=1", server.url(&database)).parse().expect("an address");
    let store = preface_store::open(&url).await.expect("it opens");
    server.sql(
        &database,
        "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); \
         RETURN NEW; END $$",
    );
    let each = "BEFORE INSERT ON preface_conversations FOR EACH ROW EXECUTE FUNCTION dawdle()";
    server.sql(&database, &format!("CREATE TRIGGER dawdle {each}"));
    let (one, actor) = (first("c", "x"), actor());
    let impatient = tokio::time::timeout(Duration::from_millis(300), store.create(one, &actor)).await;
    assert!(impatient.is_err(), "the server dawdles");
    let next = tokio::time::timeout(Duration::from_secs(8), store.head(&id("c"))).await;
    assert_eq!(next.expect("the only connection is free again"), Ok(None));
}
