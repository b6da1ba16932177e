//! Tests that need internals: a file that cannot grow, a failing write in a batch.

use super::SqliteStore;
use crate::{
    Actor, AuditStore, ConstructReason, ConversationId, ConversationStore, Filter, InsertOutcome,
    PageRequest, PromptSummary, Revision, Store, StoreError, StoredPrompt,
};
use jiff::Timestamp;
use preface_core::prompt::fingerprint;
use preface_testkit::contract::hold;
use std::{future::Future, sync::Arc};
use tokio::sync::Barrier;

fn actor() -> Actor {
    Actor::at("somebody", Timestamp::UNIX_EPOCH)
}

fn id(text: &str) -> ConversationId {
    text.parse().expect("an id")
}

/// The first prompt of a conversation. The samples of the testkit have types of its own `preface-store`.
fn first(name: &str, text: &str) -> StoredPrompt {
    let head = PromptSummary {
        id: id(name),
        revision: Revision::new(1),
        text: text.into(),
        bytes: text.len() as u64,
        fingerprint: fingerprint(text),
        cwd: "/work".to_owned(),
        model: None,
        preset: "some-preset".to_owned(),
        template: None,
        reason: ConstructReason::FirstTurn,
        created_at: Timestamp::UNIX_EPOCH,
        constructed_at: Timestamp::UNIX_EPOCH,
    };
    StoredPrompt { head, record: "{}".into() }
}

/// Runs one task for each number below `count`, all at once; returns their results.
async fn at_once<T, F>(count: usize, task: impl Fn(usize) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let gate = Arc::new(Barrier::new(count));
    let start = |number| {
        let (gate, work) = (Arc::clone(&gate), task(number));
        tokio::spawn(async move {
            gate.wait().await;
            work.await
        })
    };
    let tasks: Vec<_> = (0..count).map(start).collect();
    let mut results = Vec::with_capacity(count);
    for task in tasks {
        results.push(task.await.expect("a task ends"));
    }
    results
}

async fn store() -> (Arc<SqliteStore>, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = SqliteStore::open(directory.path().join("preface.db")).await.expect("it opens");
    (Arc::new(store), directory)
}

/// Lets the file grow by so many pages and no more.
async fn room_for(store: &SqliteStore, pages: i64) {
    let bounded = store.write(move |connection| {
        let now: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
        connection.pragma_update_and_check(None, "max_page_count", now + pages, |_| Ok(()))
    });
    bounded.await.expect("it is bounded");
}

#[test]
fn a_full_disk_keeps_nothing_of_a_write_and_the_next_one_works_once_there_is_room() {
    hold(async {
        let (store, _directory) = store().await;
        assert_eq!(store.create(first("before", "x"), &actor()).await, Ok(InsertOutcome::New));
        let large = first("large", &"x".repeat(1 << 20));
        room_for(&store, 10).await;
        let error = store.create(large.clone(), &actor()).await.unwrap_err();
        assert!(matches!(error, StoreError::Full(_)), "{error:?}");
        assert!(error.is_unavailable());
        assert_eq!(store.head(&id("large")).await, Ok(None));
        assert_eq!(store.audit(&PageRequest::default()).await.unwrap().items.len(), 1);
        assert_eq!(store.create(first("small", "x"), &actor()).await, Ok(InsertOutcome::New));
        room_for(&store, 1000).await;
        assert_eq!(store.create(large.clone(), &actor()).await, Ok(InsertOutcome::New));
        assert_eq!(store.conversation(&id("large")).await, Ok(Some(large)));
        assert_eq!(store.close().await, Ok(()));
    });
}

#[test]
fn after_a_full_disk_a_probe_needs_more_room_than_its_own() {
    hold(async {
        let (store, directory) = store().await;
        // Nothing can be written beside the file.
        let beside = directory.path().join("preface.db-room");
        std::fs::create_dir(&beside).expect("a directory");
        assert_eq!(store.probe().await, Ok(()), "no write has failed");
        room_for(&store, 10).await;
        assert!(store.create(first("large", &"x".repeat(1 << 20)), &actor()).await.is_err());
        assert!(matches!(store.probe().await, Err(StoreError::Full(_))));
        assert_eq!(store.check().await, Ok(()));
        std::fs::remove_dir(&beside).expect("it goes");
        assert_eq!(store.probe().await, Ok(()));
        assert!(!beside.exists(), "nothing stays behind");
        std::fs::create_dir(&beside).expect("a directory");
        assert_eq!(store.probe().await, Ok(()), "there was room again");
    });
}

#[test]
fn a_write_for_which_there_is_no_room_leaves_its_neighbours_alone() {
    hold(async {
        let (store, _directory) = store().await;
        room_for(&store, 60).await;
        // Held back until all are in the queue: they are one batch.
        let (open, gate) = std::sync::mpsc::channel::<()>();
        let (begun, beginning) = tokio::sync::oneshot::channel();
        let mut begun = Some(begun);
        let held = Arc::clone(&store);
        let blocked = tokio::spawn(async move {
            held.write(move |_| {
                begun.take().map(|begun| begun.send(()));
                let _ = gate.recv();
                Ok(())
            })
            .await
        });
        beginning.await.expect("it begins");
        let writer = Arc::clone(&store);
        let writes = tokio::spawn(at_once(12, move |number| {
            let store = Arc::clone(&writer);
            async move {
                let text = if number == 5 { "x".repeat(1 << 20) } else { "x".to_owned() };
                store.create(first(&format!("c{number}"), &text), &actor()).await
            }
        }));
        let SqliteStore::File { writer, .. } = &*store else { unreachable!("it is a file") };
        while writer.waiting() < 12 {
            tokio::task::yield_now().await;
        }
        open.send(()).expect("somebody waits");
        assert_eq!(blocked.await.expect("it ends"), Ok(()));
        let outcomes = writes.await.expect("it ends");
        for (number, outcome) in outcomes.into_iter().enumerate() {
            match number {
                5 => assert!(matches!(outcome, Err(StoreError::Full(_))), "{outcome:?}"),
                _ => assert_eq!(outcome, Ok(InsertOutcome::New), "{number}"),
            }
        }
        let all = store.conversations(&Filter::default(), &PageRequest::default()).await.unwrap();
        assert_eq!(all.items.len(), 11);
    });
}

#[test]
fn a_write_that_fails_leaves_its_neighbours_alone() {
    hold(async {
        let (store, _directory) = store().await;
        let outcomes = at_once(60, |number| {
            let store = Arc::clone(&store);
            async move {
                store
                    .write(move |connection| {
                        super::conversations::create(
                            connection,
                            &first(&format!("c{number}"), "x"),
                            &actor(),
                        )?;
                        let sql = if number % 3 == 0 { "INSERT INTO nowhere VALUES (1)" } else { "SELECT 1" };
                        connection.execute_batch(sql)
                    })
                    .await
                    .is_ok()
            }
        })
        .await;
        for (number, outcome) in outcomes.into_iter().enumerate() {
            assert_eq!(outcome, number % 3 != 0, "{number}");
            let exists = store.revision(&id(&format!("c{number}"))).await.unwrap().is_some();
            assert_eq!(exists, outcome, "{number}");
        }
    });
}

#[test]
fn lists_and_purges_follow_an_index() {
    hold(async {
        let (store, _directory) = store().await;
        let plan = |sql: &'static str| {
            store.read(move |connection| {
                let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
                let lines: Vec<String> =
                    statement.query_map([], |row| row.get(3))?.collect::<rusqlite::Result<_>>()?;
                Ok(lines.join("; "))
            })
        };
        for sql in [
            "SELECT id FROM conversations INDEXED BY conversations_by_time WHERE created_at < 5 \
             ORDER BY created_at DESC, id LIMIT 5",
            "SELECT id FROM conversations INDEXED BY conversations_by_time WHERE created_at <= 5 \
             AND (created_at < 5 OR id > 'a') ORDER BY created_at DESC, id LIMIT 5",
            "SELECT id FROM conversations INDEXED BY conversations_by_template WHERE template = 'a' \
             AND created_at <= 5 AND (created_at < 5 OR id > 'a') ORDER BY created_at DESC, id LIMIT 5",
            "SELECT number FROM conversations INDEXED BY conversations_by_use WHERE used_at < 5 \
             ORDER BY used_at, id LIMIT 5",
            "SELECT id FROM audit WHERE id < 5 ORDER BY id DESC LIMIT 5",
            "SELECT text FROM past_prompts WHERE conversation = 1 AND revision < 5 ORDER BY revision DESC LIMIT 5",
        ] {
            let plan = plan(sql).expect("a plan");
            assert!(plan.starts_with("SEARCH ") && !plan.contains("TEMP B-TREE"), "{sql}: {plan}");
        }
    });
}

#[test]
fn a_write_during_which_the_file_goes_away_is_not_acknowledged() {
    hold(async {
        let (store, directory) = store().await;
        let path = directory.path().join("preface.db");
        let taken = path.clone();
        let write = store.write(move |_| {
            std::fs::remove_file(&taken).expect("it was there");
            Ok(())
        });
        assert_eq!(write.await, Err(StoreError::Gone(path.clone())));
        assert_eq!(store.create(first("later", "x"), &actor()).await, Err(StoreError::Gone(path)));
    });
}
