//! The suite of all backends, on two nodes: one comes by loopback, one by the Unix socket.

use preface_store::StoreUrl;
use preface_testkit::contract::{Nodes, server::PostgresServer};

async fn nodes() -> (Nodes, ()) {
    let Some(server) = PostgresServer::shared() else {
        // The suite passes with a store in memory only because the server does not run.
        let store = preface_store::open(&StoreUrl::Memory).await.expect("it opens");
        return (Nodes::new(vec![store]), ());
    };
    let database = server.new_database();
    let one = crate::open(&server.url(&database)).await;
    let two = crate::open(&server.socket_url(&database)).await;
    (Nodes::new(vec![one, two]), ())
}

preface_testkit::contract!(nodes);
