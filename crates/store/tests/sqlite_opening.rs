//! Opening of a path that is not a store, is damaged or is shared.
#![cfg(all(feature = "sqlite", unix))]

use preface_store::{Filter, InsertOutcome, PageRequest, Store, StoreError, StoreUrl};
use preface_testkit::contract::{
    hold,
    samples::{actor, first, id},
};
use rusqlite::Connection;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    sync::Arc,
};

async fn open(path: &Path) -> Result<Arc<dyn Store>, StoreError> {
    preface_store::open(&StoreUrl::Sqlite(path.to_owned())).await
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_file_and_its_directories_are_the_owners_alone() {
    hold(async {
        let directory = directory();
        let path = directory.path().join("a/b/preface.db");
        let store = open(&path).await.unwrap();
        store.create(first("c", "x"), &actor()).await.unwrap();
        assert_eq!(mode(&directory.path().join("a")), 0o700);
        assert_eq!(mode(&directory.path().join("a/b")), 0o700);
        for name in ["preface.db", "preface.db-shm", "preface.db-wal"] {
            assert_eq!(mode(&path.with_file_name(name)), 0o600, "{name}");
        }
        store.close().await.unwrap();
        assert_eq!(names(path.parent().unwrap()), ["preface.db"], "close puts everything into the file");
        assert!(open(&path).await.unwrap().revision(&id("c")).await.unwrap().is_some());
    });
}

#[test]
fn what_is_no_store_is_left_as_it_is() {
    hold(async {
        let directory = directory();
        let text = directory.path().join("text.db");
        fs::write(&text, "This is a text and no database. ".repeat(200)).unwrap();
        let short = directory.path().join("short.db");
        fs::write(&short, "x").unwrap();
        let foreign = directory.path().join("foreign.db");
        Connection::open(&foreign)
            .unwrap()
            .execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            .unwrap();
        let marked = directory.path().join("marked.db");
        let connection = Connection::open(&marked).unwrap();
        connection.execute_batch("PRAGMA application_id = 77; CREATE TABLE t (a)").unwrap();
        drop(connection);
        let logged = directory.path().join("logged 100%?#.db");
        let connection = Connection::open(&logged).unwrap();
        connection.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE conversations (id)").unwrap();
        drop(connection);
        let before = names(directory.path());
        for path in [text, short, foreign, marked, logged] {
            let bytes = fs::read(&path).unwrap();
            let error = open(&path).await.unwrap_err();
            assert_eq!(error, StoreError::NotAStore(path.clone()));
            assert!(fs::read(&path).unwrap() == bytes, "{} is left as it is", path.display());
        }
        assert_eq!(names(directory.path()), before);
        let error = open(directory.path()).await.unwrap_err();
        assert_eq!(error, StoreError::NotAStore(directory.path().to_owned()), "a directory");
    });
}

#[test]
fn an_empty_file_becomes_a_store() {
    hold(async {
        let directory = directory();
        let path = directory.path().join("preface.db");
        fs::write(&path, "").unwrap();
        assert_eq!(open(&path).await.unwrap().check().await, Ok(()));
        let mark: i32 = Connection::open(&path)
            .unwrap()
            .pragma_query_value(None, "application_id", |row| row.get(0))
            .unwrap();
        assert_eq!(mark.to_be_bytes(), *b"pref");
    });
}

#[test]
fn a_store_of_a_newer_preface_is_left_alone() {
    hold(async {
        let directory = directory();
        let path = directory.path().join("preface.db");
        let store = open(&path).await.unwrap();
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", 900).unwrap();
        let known = match store.check().await {
            Err(StoreError::Newer { found: 900, known }) => known,
            other => panic!("a store that was open when it became newer fails with Newer: {other:?}"),
        };
        store.close().await.unwrap();
        drop(connection);
        assert_eq!(open(&path).await.unwrap_err(), StoreError::Newer { found: 900, known });
    });
}

#[test]
fn a_file_or_directory_that_is_read_only_is_named() {
    hold(async {
        let directory = directory();
        let path = directory.path().join("kept/preface.db");
        open(&path).await.unwrap().close().await.unwrap();
        let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let read_only = |error: Result<Arc<dyn Store>, StoreError>| match error {
            Err(StoreError::ReadOnly(why)) => why,
            other => panic!("{other:?}"),
        };
        allow(&path, 0o400);
        assert!(read_only(open(&path).await).contains("preface.db"));
        allow(&path, 0o600);
        let parent = path.parent().unwrap();
        allow(parent, 0o500);
        assert!(read_only(open(&path).await).contains("kept"));
        assert!(read_only(open(&parent.join("new.db")).await).contains("kept"));
        allow(parent, 0o700);
        assert!(open(&path).await.is_ok());
    });
}

#[test]
fn a_damaged_file_is_named() {
    hold(async {
        let directory = directory();
        let path = directory.path().join("preface.db");
        let store = open(&path).await.unwrap();
        for number in 0..50 {
            store.create(first(&format!("c{number}"), &"x".repeat(20_000)), &actor()).await.unwrap();
        }
        store.close().await.unwrap();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        let error = open(&path).await.unwrap_err();
        assert!(matches!(error, StoreError::Damaged(_)), "cut in two: {error:?}");

        let mut scratched = whole.clone();
        scratched[4096..].fill(0xaa);
        fs::write(&path, &scratched).unwrap();
        let outcome = match open(&path).await {
            Ok(store) => store.conversations(&Filter::default(), &PageRequest::default()).await.map(drop),
            Err(error) => Err(error),
        };
        assert!(matches!(outcome, Err(StoreError::Damaged(_))), "scratched: {outcome:?}");
    });
}

#[test]
fn a_file_that_was_taken_away_is_missed() {
    hold(async {
        let directory = directory();
        let path = directory.path().join("preface.db");
        let store = open(&path).await.unwrap();
        fs::rename(&path, path.with_file_name("elsewhere.db")).unwrap();
        assert_eq!(store.check().await, Err(StoreError::Gone(path)));
    });
}

#[test]
fn nothing_is_written_to_a_file_that_was_removed_or_replaced() {
    hold(async {
        let directory = directory();
        let path = directory.path().join("preface.db");
        let away = path.with_file_name("away.db");
        let store = open(&path).await.unwrap();
        assert_eq!(store.create(first("kept", "x"), &actor()).await, Ok(InsertOutcome::New));
        assert!(store.revision(&id("kept")).await.unwrap().is_some());
        let gone = StoreError::Gone(path.clone());
        assert!(gone.is_unavailable(), "another attempt helps once it is back");

        fs::rename(&path, &away).unwrap();
        assert_eq!(store.create(first("removed", "x"), &actor()).await, Err(gone.clone()));
        assert_eq!(store.delete(&id("kept"), None, &actor()).await, Err(gone.clone()));
        assert!(store.revision(&id("kept")).await.unwrap().is_some(), "what is open can still be read");

        let other = directory.path().join("other.db");
        open(&other).await.unwrap().close().await.unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(store.create(first("replaced", "x"), &actor()).await, Err(gone.clone()));
        assert_eq!(store.check().await, Err(gone));

        fs::rename(&away, &path).unwrap();
        assert_eq!(store.check().await, Ok(()));
        assert_eq!(store.create(first("back", "x"), &actor()).await, Ok(InsertOutcome::New));
        assert_eq!(store.revision(&id("removed")).await, Ok(None), "what was refused is not there");
        assert_eq!(store.revision(&id("replaced")).await, Ok(None));
    });
}

#[test]
fn another_file_of_the_same_name_is_not_read() {
    hold(async {
        let directory = directory();
        let (path, other) = (directory.path().join("preface.db"), directory.path().join("other.db"));
        let store = open(&path).await.unwrap();
        let second = open(&other).await.unwrap();
        second.create(first("c", "of the other"), &actor()).await.unwrap();
        second.close().await.unwrap();
        fs::rename(&other, &path).unwrap();
        // No connection for reading was open yet.
        assert_eq!(store.revision(&id("c")).await, Err(StoreError::Gone(path)));
    });
}

#[test]
fn links_are_followed_also_to_what_is_not_there_yet() {
    hold(async {
        let directory = directory();
        let (link, target) = (directory.path().join("link.db"), directory.path().join("far/target.db"));
        symlink("far/target.db", &link).unwrap();
        let store = open(&link).await.unwrap();
        store.create(first("c", "x"), &actor()).await.unwrap();
        assert_eq!(mode(&target), 0o600);
        let other = open(&target).await.unwrap();
        assert!(other.revision(&id("c")).await.unwrap().is_some());
    });
}

#[test]
fn a_file_in_place_of_the_directory_is_named() {
    hold(async {
        let directory = directory();
        fs::write(directory.path().join("file"), "x").unwrap();
        let error = open(&directory.path().join("file/preface.db")).await.unwrap_err();
        assert!(matches!(error, StoreError::Address { .. }), "{error:?}");
    });
}

#[test]
fn stores_in_one_process_do_not_mix() {
    hold(async {
        let directory = directory();
        let (one, two) = (directory.path().join("one.db"), directory.path().join("two.db"));
        let (one, two) = (open(&one).await.unwrap(), open(&two).await.unwrap());
        one.create(first("c", "one"), &actor()).await.unwrap();
        assert_eq!(two.revision(&id("c")).await, Ok(None));
        two.create(first("c", "two"), &actor()).await.unwrap();
        assert_eq!(one.close().await, Ok(()));
        assert_eq!(two.head(&id("c")).await.unwrap().unwrap().text.as_ref(), "two");
    });
}

#[test]
fn a_thousand_first_prompts_at_once_are_kept() {
    hold(async {
        let directory = directory();
        let store = open(&directory.path().join("preface.db")).await.unwrap();
        let nodes = preface_testkit::contract::Nodes::new(vec![Arc::clone(&store)]);
        let outcomes = nodes
            .at_once(1000, |number, store| async move {
                store.create(first(&format!("c{number}"), &"x".repeat(20 << 10)), &actor()).await
            })
            .await;
        assert!(outcomes.into_iter().all(|outcome| outcome == Ok(InsertOutcome::New)));
        assert!(store.revision(&id("c999")).await.unwrap().is_some());
    });
}
