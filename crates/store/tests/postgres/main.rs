//! The store on a server keeps every law, and survives what happens to servers.
mod answers;
mod cover;
mod laws;
mod opening;
mod races;
mod restart;
mod words;

use preface_store::{Store, StoreUrl};
use std::sync::Arc;

/// Opens a store. Few connections each: the tests run side by side on one server.
async fn open(url: &str) -> Arc<dyn Store> {
    let mark = if url.contains('?') { '&' } else { '?' };
    let url = format!("{url}{mark}pool_max=4").parse::<StoreUrl>().expect("an address");
    preface_store::open(&url).await.expect("it opens")
}
