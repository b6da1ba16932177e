//! A store in one file keeps every law, also where several share the file.
#![cfg(feature = "sqlite")]

use preface_store::{Store, StoreError, StoreUrl};
use preface_testkit::contract::Nodes;
use std::{path::Path, sync::Arc};

async fn open(path: &Path) -> Arc<dyn Store> {
    preface_store::open(&StoreUrl::Sqlite(path.to_owned())).await.expect("it opens")
}

async fn nodes() -> (Nodes, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("preface.db");
    (Nodes::new(vec![open(&path).await, open(&path).await]), directory)
}

preface_testkit::contract!(nodes);

#[tokio::test]
async fn a_probe_reaches_the_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("preface.db");
    let store = open(&path).await;
    let log = || std::fs::metadata(directory.path().join("preface.db-wal")).expect("the log").len();
    let before = log();
    assert_eq!(store.probe().await, Ok(()));
    assert!(log() > before, "a page was written");
    std::fs::remove_file(&path).expect("it goes");
    assert!(matches!(store.probe().await, Err(StoreError::Gone(_))));
}
