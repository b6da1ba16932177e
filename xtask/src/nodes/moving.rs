//! An address that moves from one server to another, as a virtual address or a name does in a failover. Connections that are
//! there stay with the server that they lead to.

use std::{
    io,
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
    thread,
};

/// The address, open until this process ends.
#[derive(Debug)]
pub struct MovingAddress {
    here: SocketAddr,
    server: Arc<AtomicU16>,
}

impl MovingAddress {
    /// Opens an address that leads to a port of this machine.
    pub fn start(server: u16) -> io::Result<MovingAddress> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (here, server) = (listener.local_addr()?, Arc::new(AtomicU16::new(server)));
        let now = server.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // Where nobody listens the client is hung up on.
                if let Ok(server) = TcpStream::connect(("127.0.0.1", now.load(Ordering::SeqCst))) {
                    pass(client, server);
                }
            }
        });
        Ok(MovingAddress { here, server })
    }

    /// Leads new connections to another port.
    pub fn move_to(&self, server: u16) {
        self.server.store(server, Ordering::SeqCst);
    }

    /// Returns the address of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@{}/{database}?sslmode=disable", self.here)
    }
}

/// Passes on what both ends send, until one of them ends.
fn pass(client: TcpStream, server: TcpStream) {
    for (from, to) in [(client.try_clone(), server.try_clone()), (Ok(server), Ok(client))] {
        let (Ok(mut from), Ok(mut to)) = (from, to) else { return };
        _ = from.set_nodelay(true);
        thread::spawn(move || {
            _ = io::copy(&mut from, &mut to);
            _ = from.shutdown(Shutdown::Both);
            _ = to.shutdown(Shutdown::Both);
        });
    }
}
