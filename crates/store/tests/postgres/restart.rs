//! A server stops, as in a crash, and starts again; nobody opens the store anew.

use preface_store::{ExpectedVersion, InsertOutcome, StoreError};
use preface_testkit::contract::{
    samples::{actor, first, id, new_version},
    server::PostgresServer,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
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
    let Some(server) = PostgresServer::start() else { return };
    server.create_database("db");
    let store = crate::open(&server.url("db")).await;
    let one = first("c", "one");
    assert_eq!(store.create(one.clone(), &actor()).await, Ok(InsertOutcome::New));
    server.stop();
    let answers = async {
        assert!(is_unreachable(&store.check().await));
        assert!(is_unreachable(&store.head(&id("c")).await));
        assert!(is_unreachable(&store.create(first("d", "x"), &actor()).await));
        assert!(is_unreachable(&store.delete(&id("c"), None, &actor()).await));
        assert!(is_unreachable(
            &store.put_template(new_version("t", "x"), ExpectedVersion::Any, &actor()).await
        ));
    };
    tokio::time::timeout(LONG, answers).await.expect("it fails at once");
    server.start_again();
    assert_eq!(store.check().await, Ok(()));
    assert_eq!(store.conversation(&id("c")).await, Ok(Some(one.clone())));
    assert_eq!(store.head(&id("d")).await, Ok(None));
    assert_eq!(store.create(first("again", "x"), &actor()).await, Ok(InsertOutcome::New));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_was_acknowledged_outlives_the_server() {
    let Some(server) = PostgresServer::start() else { return };
    server.create_database("db");
    let store = crate::open(&server.url("db")).await;
    let over = Arc::new(AtomicBool::new(false));
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let writers: Vec<_> = (0..6)
        .map(|writer| {
            let (store, over, acknowledged) = (store.clone(), over.clone(), acknowledged.clone());
            tokio::spawn(async move {
                let mut outcomes = Vec::new();
                for number in 0.. {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    let name = format!("{writer}/{number}");
                    let one = first(&name, &format!("{name}: {}", "x".repeat(5000)));
                    let answer = store.create(one.clone(), &actor()).await;
                    assert!(is_unreachable(&answer) || answer == Ok(InsertOutcome::New), "{answer:?}");
                    match answer {
                        Ok(_) => _ = acknowledged.fetch_add(1, Ordering::Relaxed),
                        // Attempts while the server is away are spaced out.
                        Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
                    }
                    outcomes.push((one, answer.is_ok()));
                }
                outcomes
            })
        })
        .collect();
    let some_more = async || {
        let enough = acknowledged.load(Ordering::Relaxed) + 20;
        while acknowledged.load(Ordering::Relaxed) < enough {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    for _ in 0..2 {
        tokio::time::timeout(LONG, some_more()).await.expect("they write");
        server.stop();
        server.start_again();
    }
    tokio::time::timeout(LONG, some_more()).await.expect("they write again");
    over.store(true, Ordering::Relaxed);
    for writer in writers {
        for (one, acknowledged) in writer.await.expect("it ends") {
            match store.conversation(&one.head.id).await.expect("it answers") {
                Some(found) => assert_eq!(found, one, "whole"),
                None => assert!(!acknowledged, "{} was acknowledged", one.head.id),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_waits_behind_who_went_away() {
    let Some(server) = PostgresServer::shared() else { return };
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

fn is_read_only<T: std::fmt::Debug>(answer: Result<T, StoreError>) {
    let refused = answer.expect_err("nothing is written");
    assert!(matches!(refused, StoreError::ReadOnly(_)) && refused.is_unavailable(), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_connection_to_a_server_that_takes_no_writes_is_not_used_again() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.new_database();
    let store = crate::open(&server.url(&database)).await;
    // A session keeps its setting, as a connection to a former primary stays with that server.
    server.sql("postgres", &format!("ALTER DATABASE {database} SET default_transaction_read_only = on"));
    let others =
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'");
    server.sql("postgres", &others);
    let c = id("c");
    let reads: Vec<_> = (0..12)
        .map(|_| {
            let (store, c) = (store.clone(), c.clone());
            tokio::spawn(async move { store.head(&c).await })
        })
        .collect();
    for read in reads {
        assert_eq!(read.await.expect("it ends"), Ok(None), "reads go on");
    }
    for _ in 0..2 {
        is_read_only(store.create(first("c", "x"), &actor()).await);
        is_read_only(store.put_template(new_version("t", "x"), ExpectedVersion::Any, &actor()).await);
        is_read_only(store.probe().await);
        assert_eq!(store.check().await, Ok(()));
    }
    server.sql("postgres", &format!("ALTER DATABASE {database} RESET default_transaction_read_only"));
    for number in 0..12 {
        assert_eq!(store.create(first(&format!("c{number}"), "x"), &actor()).await, Ok(InsertOutcome::New));
    }
    assert_eq!(store.probe().await, Ok(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_outlives_a_server_that_becomes_a_standby_and_is_promoted() {
    let Some(server) = PostgresServer::start() else { return };
    server.create_database("db");
    let store = crate::open(&server.url("db")).await;
    let (one, c) = (first("c", "x"), id("c"));
    assert_eq!(store.create(one.clone(), &actor()).await, Ok(InsertOutcome::New));
    server.demote();
    for _ in 0..2 {
        is_read_only(store.create(first("d", "x"), &actor()).await);
        is_read_only(store.delete(&c, None, &actor()).await);
        is_read_only(store.probe().await);
        assert_eq!(store.conversation(&c).await, Ok(Some(one.clone())), "reads go on");
    }
    server.promote();
    assert_eq!(store.create(first("d", "x"), &actor()).await, Ok(InsertOutcome::New));
    assert_eq!(store.probe().await, Ok(()));
    // An address may insist on a server that takes writes.
    let url = format!("{}?target_session_attrs=read-write", server.url("db"));
    let strict = crate::open(&url).await;
    server.demote();
    is_read_only(strict.head(&c).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_allows_fewer_connections_than_the_pool_is_waited_for() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.new_database();
    server.sql("postgres", "CREATE ROLE few LOGIN CONNECTION LIMIT 2");
    server.sql("postgres", &format!("ALTER DATABASE {database} OWNER TO few"));
    let url = server.url(&database).replace("postgres@", "few@");
    let store = preface_store::open(&format!("{url}?pool_max=16").parse().expect("an address")).await;
    let store = store.expect("it opens");
    let writers: Vec<_> = (0..32)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for number in 0..10 {
                    let one = first(&format!("{writer}/{number}"), "x");
                    assert_eq!(store.create(one, &actor()).await, Ok(InsertOutcome::New));
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.expect("each write is done");
    }
    drop(store);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_allows_no_connection_is_busy_at_once() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.new_database();
    server.sql("postgres", "CREATE ROLE none_left LOGIN CONNECTION LIMIT 0");
    let url = server.url(&database).replace("postgres@", "none_left@").parse().expect("an address");
    let refused = tokio::time::timeout(Duration::from_secs(4), preface_store::open(&url)).await;
    assert!(matches!(refused.expect("it waits for nobody"), Err(StoreError::Busy(_))));
}

#[tokio::test]
async fn a_probe_needs_what_a_first_turn_needs() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.new_database();
    let store = crate::open(&server.url(&database)).await;
    server.sql("postgres", "CREATE ROLE reader LOGIN");
    server.sql(
        &database,
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader; GRANT ALL ON preface_meta TO reader",
    );
    let reader = crate::open(&server.url(&database).replace("postgres@", "reader@")).await;
    assert_eq!(reader.check().await, Ok(()));
    let refused = reader.probe().await.expect_err("it may not insert conversations");
    assert!(matches!(refused, StoreError::ReadOnly(_)), "{refused:?}");
    assert_eq!(store.probe().await, Ok(()));
}
