//! Nodes: processes of `preface serve` on one store, started, killed, started again, and ended.

use super::{
    http::{Addresses, Call, Client, Counts},
    moving::MovingAddress,
    place::Place,
    server::PostgresServer,
};
use crate::failure::Failure;
use std::{
    fmt, fs,
    io::{self, BufRead, BufReader, Write},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

/// The time that a node may take until it listens, and until it ends.
const PATIENCE: Duration = Duration::from_secs(30);

/// A kind of store that several processes can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
    /// A server behind an address that can move to another.
    MovingPostgres,
}

impl Kind {
    /// True for those that need the programs of PostgreSQL.
    pub fn is_server(self) -> bool {
        self != Kind::Sqlite
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Sqlite => "sqlite",
            Kind::Postgres | Kind::MovingPostgres => "postgres",
        })
    }
}

/// Where the nodes keep what they keep.
#[derive(Debug)]
pub enum Store {
    /// This file.
    File(PathBuf),
    /// A database of a server of our own.
    Server(PostgresServer, String),
}

/// The nodes, their store and their directory.
#[derive(Debug)]
pub struct Cluster {
    binary: PathBuf,
    place: Place,
    /// Where the nodes keep what they keep.
    pub store: Store,
    /// The address of the server, where it can move.
    pub moving: Option<MovingAddress>,
    /// Where they listen.
    pub addresses: Addresses,
    nodes: Mutex<Vec<Child>>,
}

impl Cluster {
    /// Starts nodes on a new store. `None`: there is no such store on this machine, which was printed.
    pub fn start(binary: &Path, kind: Kind) -> Result<Option<Cluster>, Failure> {
        let place = Place::new().map_err(|error| Failure::start("a temporary directory", &error))?;
        let (store, count) = match kind {
            Kind::Sqlite => (Store::File(place.path().join("store.db")), 2),
            Kind::Postgres | Kind::MovingPostgres => {
                let Some(server) = PostgresServer::start() else { return Ok(None) };
                let name = server.new_database();
                (Store::Server(server, name), 3)
            }
        };
        let moving = match &store {
            Store::Server(server, _) if kind == Kind::MovingPostgres => {
                Some(MovingAddress::start(server.port()))
            }
            _ => None,
        };
        let moving = moving.transpose().map_err(|error| Failure::start("an address that moves", &error))?;
        let addresses = Addresses::default();
        let nodes = Mutex::default();
        let cluster = Cluster { binary: binary.to_owned(), place, store, moving, addresses, nodes };
        for node in 0..count {
            let started = cluster.start_node(node)?;
            cluster.nodes.lock().unwrap_or_else(PoisonError::into_inner).push(started);
        }
        Ok(Some(cluster))
    }

    /// Returns how many nodes there are.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// Returns the directory that conversations work in.
    pub fn root(&self) -> PathBuf {
        self.place.root()
    }

    /// Kills a node as a crash does, and starts it again.
    pub fn kill(&self, node: usize) -> Result<(), Failure> {
        {
            let mut nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
            let killed = nodes[node].kill().and_then(|()| nodes[node].wait());
            killed.map_err(|error| Failure::new(format!("node {node} cannot be killed: {error}")))?;
        }
        let again = self.start_node(node)?;
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)[node] = again;
        Ok(())
    }

    /// Returns a node that is not running any more.
    pub fn stopped_node(&self) -> Option<usize> {
        let mut nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        nodes.iter_mut().position(|node| !matches!(node.try_wait(), Ok(None)))
    }

    /// Ends all nodes, as an operator does, and waits for them.
    pub fn end(&self) -> Result<(), Failure> {
        let mut nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        for node in nodes.iter() {
            let signaled = Command::new("kill").arg(node.id().to_string()).status();
            signaled.map_err(|error| Failure::start("kill", &error))?;
        }
        let began = Instant::now();
        for (at, node) in nodes.iter_mut().enumerate() {
            loop {
                match node.try_wait() {
                    Ok(Some(status)) if status.success() => break,
                    Ok(None) if began.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(20)),
                    other => return Err(Failure::new(format!("node {at} does not end well: {other:?}"))),
                }
            }
        }
        nodes.clear();
        Ok(())
    }

    /// Returns the sum of a metric of all nodes.
    pub fn sum_metric(&self, name: &str) -> u64 {
        let counts = Counts::default();
        let mut client = Client::new(&self.addresses, &counts);
        let mut sum = 0;
        for node in 0..self.len() {
            let body = client.send(node, &Call::get("/metrics")).map(|reply| reply.body).unwrap_or_default();
            let line = body.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            sum += line.and_then(|number| number.parse::<u64>().ok()).unwrap_or(0);
        }
        sum
    }

    /// Returns the last lines of the nodes' logs.
    pub fn last_log_lines(&self) -> String {
        let mut lines_of_all = String::new();
        for node in 0..self.len() {
            let log = fs::read_to_string(self.place.log(node)).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            for line in &lines[lines.len().saturating_sub(5)..] {
                lines_of_all += &format!("\n  node {node}: {line}");
            }
        }
        lines_of_all
    }

    fn start_node(&self, node: usize) -> Result<Child, Failure> {
        let mut command = Command::new(&self.binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--root"]).arg(self.root());
        match &self.store {
            Store::File(path) => command.arg("--store").arg(format!("sqlite:{}", path.display())),
            Store::Server(server, name) => command.arg("--store").arg(match &self.moving {
                Some(moving) => moving.url(name),
                None => server.url(name),
            }),
        };
        // The layers of whoever runs this stay out.
        command.env("PREFACE_HOME", self.place.home()).current_dir(self.root());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| Failure::start("preface serve", &error))?;
        match self.wait_for_address(&mut child, node) {
            Some(address) => {
                self.addresses.set(node, address);
                Ok(child)
            }
            None => {
                _ = child.kill();
                _ = child.wait();
                Err(Failure::new(format!("node {node} does not start{}", self.last_log_lines())))
            }
        }
    }

    /// Waits for the line with the address of a node, and copies its other output into its log.
    fn wait_for_address(&self, child: &mut Child, node: usize) -> Option<SocketAddr> {
        let stderr = BufReader::new(child.stderr.take()?);
        let mut log = fs::File::options().create(true).append(true).open(self.place.log(node)).ok()?;
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            for line in stderr.lines().map_while(io::Result::ok) {
                let address =
                    line.strip_prefix("Listening on http://").and_then(|rest| rest.split(',').next());
                match address.and_then(|address| address.parse().ok()) {
                    Some(address) => _ = sender.send(address),
                    None => _ = writeln!(log, "{line}"),
                }
            }
        });
        receiver.recv_timeout(PATIENCE).ok()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for node in self.nodes.get_mut().unwrap_or_else(PoisonError::into_inner) {
            _ = node.kill();
            _ = node.wait();
        }
    }
}
