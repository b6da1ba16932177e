//! A store in one file keeps every law, also where several share the file.
#![cfg(feature = "sqlite")]

use preface_store::{Store, StoreUrl, contract::Nodes};
use std::{path::Path, sync::Arc};

async fn open(path: &Path) -> Arc<dyn Store> {
    preface_store::open(&StoreUrl::Sqlite(path.to_owned())).await.expect("it opens")
}

async fn nodes() -> (Nodes, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("preface.db");
    (Nodes::new(vec![open(&path).await, open(&path).await]), directory)
}

preface_store::contract!(nodes);
