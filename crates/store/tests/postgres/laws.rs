//! The suite of all backends, on two nodes: one comes by loopback, one by the Unix socket.

use preface_store::StoreUrl;
use preface_testkit::contract::{Nodes, server::PostgresServer};

async fn nodes() -> (Nodes, ()) {
    let Some(server) = PostgresServer::shared() else {
        // Said aloud by the server: the laws are kept by the store in memory, and that is all that is shown.
        let store = preface_store::open(&StoreUrl::Memory).await.expect("it opens");
        return (Nodes::new(vec![store]), ());
    };
    let database = server.new_database();
    let one = crate::open(&server.url(&database)).await;
    let two = crate::open(&server.socket_url(&database)).await;
    (Nodes::new(vec![one, two]), ())
}

preface_testkit::contract!(nodes);
