//! Opening: on nothing, by several at once, on what another preface made, where nothing may be written.

use preface_store::{InsertOutcome, StoreError, StoreUrl};
use preface_testkit::contract::{
    Nodes,
    samples::{actor, first, id},
    server::PostgresServer,
};

async fn error(url: &str) -> StoreError {
    preface_store::open(&url.parse::<StoreUrl>().expect("an address")).await.expect_err("it does not open")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_nodes_may_open_an_empty_database_at_once() {
    let Some(server) = PostgresServer::shared() else { return };
    for _ in 0..3 {
        let url = server.url(&server.new_database());
        let opening: Vec<_> = (0..8)
            .map(|_| {
                let url = url.clone();
                tokio::spawn(async move { crate::open(&url).await })
            })
            .collect();
        let mut stores = Vec::new();
        for one in opening {
            stores.push(one.await.expect("it opens"));
        }
        let nodes = Nodes::new(stores);
        assert_eq!(nodes.first().create(first("c", "x"), &actor()).await, Ok(InsertOutcome::New));
        assert!(nodes.other().head(&id("c")).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn tables_of_a_newer_preface_are_left_alone() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.new_database();
    let store = crate::open(&server.url(&database)).await;
    server.sql(&database, "UPDATE preface_meta SET value = 99 WHERE key = 'tables'");
    let newer = StoreError::Newer { found: 99, known: 2 };
    assert_eq!(error(&server.url(&database)).await, newer);
    assert_eq!(store.check().await, Err(newer), "a node that runs already fails too");
    assert_eq!(server.sql(&database, "SELECT value FROM preface_meta WHERE key = 'tables'"), "99");
}

#[tokio::test]
async fn what_may_not_be_written_may_be_read() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.new_database();
    let url = server.url(&database);
    server.sql("postgres", &format!("ALTER DATABASE {database} SET default_transaction_read_only = on"));
    assert!(matches!(error(&url).await, StoreError::ReadOnly(_)), "no tables can be made");
    server.sql("postgres", &format!("ALTER DATABASE {database} RESET default_transaction_read_only"));
    let store = crate::open(&url).await;
    assert_eq!(store.create(first("c", "x"), &actor()).await, Ok(InsertOutcome::New));
    server.sql("postgres", &format!("ALTER DATABASE {database} SET default_transaction_read_only = on"));
    let reader = crate::open(&url).await;
    assert_eq!(reader.check().await, Ok(()));
    assert!(reader.head(&id("c")).await.unwrap().is_some());
    let outcome = reader.create(first("d", "x"), &actor()).await;
    assert!(matches!(outcome, Err(StoreError::ReadOnly(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_database_that_cannot_hold_every_text_is_refused() {
    let Some(server) = PostgresServer::shared() else { return };
    server.sql("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'");
    let message = error(&server.url("latin")).await.to_string();
    assert!(message.contains("LATIN1") && message.contains("UTF8"), "{message}");
}
