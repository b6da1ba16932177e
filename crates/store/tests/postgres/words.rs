//! Errors of a server that refuses a connection are clear and contain no password.

use preface_store::{InsertOutcome, Store, StoreError, StoreUrl};
use preface_testkit::contract::{
    samples::{actor, first, id},
    server::PostgresServer,
};

async fn words(url: &str) -> String {
    let url: StoreUrl = url.parse().expect("an address");
    let error = preface_store::open(&url).await.expect_err("it does not open");
    let words = format!("{error} {error:?} {:?}", error.help());
    assert!(!words.contains("s3cret"), "{words}");
    assert!(matches!(error, StoreError::Unreachable { .. }), "{words}");
    error.to_string()
}

#[tokio::test]
async fn a_refused_connection_has_its_reason_in_the_error() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.new_database();
    let user = PostgresServer::PASSWORD_USER;
    server.sql("postgres", &format!("CREATE ROLE {user} LOGIN SUPERUSER PASSWORD 'right'"));
    let port = server.port();
    let url =
        |password: &str, database: &str| format!("postgres://{user}{password}@127.0.0.1:{port}/{database}");
    let shown = format!("the store does not answer: {}: ", url("", &database));
    assert_eq!(
        words(&url(":s3cret", &database)).await,
        format!("{shown}password authentication failed for user \"{user}\"")
    );
    let none = words(&url("", &database)).await;
    assert!(none.starts_with(&shown) && none.contains("password missing"), "{none}");
    let store = crate::open(&url(":right", &database)).await;
    assert_eq!(store.check().await, Ok(()));
    assert!(!format!("{store:?}").contains("right"));

    let nowhere = words(&url(":right", "nowhere")).await;
    assert!(nowhere.ends_with("database \"nowhere\" does not exist"), "{nowhere}");
    let nobody = words(&format!("postgres://nobody:s3cret@127.0.0.1:{port}/{database}")).await;
    assert!(nobody.contains("\"nobody\""), "{nobody}");
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_named() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let message = words(&format!("postgres://me:s3cret@127.0.0.1:{port}/db")).await;
    assert!(
        message.starts_with(&format!("the store does not answer: postgres://me@127.0.0.1:{port}/db: ")),
        "{message}"
    );
    assert!(message.contains("refused"), "{message}");
}

/// Makes the server answer each new conversation with an error: the code, and how often.
async fn refusing(server: &PostgresServer, code: &str, times: u32) -> std::sync::Arc<dyn Store> {
    let database = server.new_database();
    let store = crate::open(&server.url(&database)).await;
    server.sql(&database, "CREATE SEQUENCE refused");
    server.sql(
        &database,
        &format!(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF nextval('refused') <= {times} THEN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END IF; \
             RETURN NEW; END $$"
        ),
    );
    server.sql(
        &database,
        "CREATE TRIGGER refuse BEFORE INSERT ON preface_conversations FOR EACH ROW EXECUTE FUNCTION refuse()",
    );
    store
}

#[tokio::test]
async fn each_refusal_has_its_kind() {
    let Some(server) = PostgresServer::shared() else { return };
    type Kind = fn(&StoreError) -> bool;
    let kinds: [(&str, Kind); 7] = [
        ("53100", |error| matches!(error, StoreError::Full(_))),
        ("25006", |error| matches!(error, StoreError::ReadOnly(_))),
        ("57014", |error| matches!(error, StoreError::Busy(_))),
        ("40001", |error| matches!(error, StoreError::Busy(_))),
        ("57P01", |error| matches!(error, StoreError::Unreachable { .. })),
        ("XX001", |error| matches!(error, StoreError::Damaged(_))),
        ("22012", |error| matches!(error, StoreError::Other(_))),
    ];
    for (code, kind) in kinds {
        let store = refusing(server, code, 1000).await;
        let error = store.create(first("c", "x"), &actor()).await.expect_err("it refuses");
        assert!(kind(&error), "{code}: {error:?}");
        assert_eq!(store.head(&id("c")).await, Ok(None), "nothing of it was kept");
    }
}

#[tokio::test]
async fn writers_that_got_into_each_others_way_try_again() {
    let Some(server) = PostgresServer::shared() else { return };
    for code in ["40001", "40P01"] {
        let store = refusing(server, code, 3).await;
        assert_eq!(store.create(first("c", "x"), &actor()).await, Ok(InsertOutcome::New), "{code}");
    }
    // A write that a server refuses is tried once more, on another connection.
    let store = refusing(server, "25006", 1).await;
    assert_eq!(store.create(first("c", "x"), &actor()).await, Ok(InsertOutcome::New));
}
