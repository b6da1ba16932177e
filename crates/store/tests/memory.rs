//! The store in memory keeps every law.

use preface_store::StoreUrl;
use preface_testkit::contract::Nodes;
use std::sync::Arc;

async fn nodes() -> (Nodes, ()) {
    let store = preface_store::open(&StoreUrl::Memory).await.expect("it opens");
    (Nodes::new(vec![Arc::clone(&store), store]), ())
}

preface_testkit::contract!(nodes);
