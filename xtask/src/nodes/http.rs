//! A client of as much HTTP/1.1 as the service needs, which keeps its connections and counts the replies.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{Mutex, PoisonError, RwLock},
    time::{Duration, Instant},
};

/// The time that a reply may take: the service's own deadline is 30 seconds.
pub const DEADLINE: Duration = Duration::from_secs(32);
/// A connection that was silent for longer is not used again: the service may just be closing it.
const SILENT: Duration = Duration::from_secs(8);

/// Where the nodes listen; a node that is started again listens elsewhere.
#[derive(Debug, Default)]
pub struct Addresses(RwLock<Vec<SocketAddr>>);

impl Addresses {
    /// Sets where a node listens now.
    pub fn set(&self, node: usize, address: SocketAddr) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match all.get_mut(node) {
            Some(known) => *known = address,
            None => all.push(address),
        }
    }

    /// Returns how many nodes there are.
    pub fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns where a node listens.
    pub fn get(&self, node: usize) -> SocketAddr {
        self.0.read().unwrap_or_else(PoisonError::into_inner)[node]
    }
}

/// The replies: how many times each status, how often none, how long the slowest took.
#[derive(Debug, Default)]
pub struct Counts(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    statuses: BTreeMap<u16, u64>,
    lost: u64,
    slowest: Duration,
}

impl Counts {
    fn add(&self, answer: &io::Result<Reply>, took: Duration) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Ok(reply) => *counted.statuses.entry(reply.status).or_default() += 1,
            Err(_) => counted.lost += 1,
        }
        counted.slowest = counted.slowest.max(took);
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write!(f, "{} requests (", counted.statuses.values().sum::<u64>())?;
        for (at, (status, count)) in counted.statuses.iter().enumerate() {
            write!(f, "{}{status}: {count}", if at == 0 { "" } else { ", " })?;
        }
        write!(f, "), {} without an answer, slowest {} ms", counted.lost, counted.slowest.as_millis())
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Call {
    method: &'static str,
    path: String,
    body: Option<String>,
}

impl Call {
    /// Reads something.
    pub fn get(path: impl Into<String>) -> Call {
        Call { method: "GET", path: path.into(), body: None }
    }

    /// Does something, without a body.
    pub fn post(path: impl Into<String>) -> Call {
        Call { method: "POST", path: path.into(), body: None }
    }

    /// Stores a JSON document.
    pub fn put(path: impl Into<String>, body: String) -> Call {
        Call { method: "PUT", path: path.into(), body: Some(body) }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// A reply.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Reply {
    /// Returns a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A connection to each node.
pub struct Client<'a> {
    addresses: &'a Addresses,
    counts: &'a Counts,
    open: Vec<Option<Connection>>,
}

struct Connection {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
    used: Instant,
}

impl<'a> Client<'a> {
    /// Makes a client without connections.
    pub fn new(addresses: &'a Addresses, counts: &'a Counts) -> Self {
        Client { addresses, counts, open: (0..addresses.len()).map(|_| None).collect() }
    }

    /// Sends a request to a node. After an error it may have been performed or not.
    pub fn send(&mut self, node: usize, call: &Call) -> io::Result<Reply> {
        let began = Instant::now();
        let address = self.addresses.get(node);
        let usable = |open: &Connection| open.address == address && open.used.elapsed() < SILENT;
        let answer = match self.open[node].take().filter(usable) {
            Some(open) => Ok(open),
            None => Connection::open(address),
        }
        .and_then(|mut open| {
            let reply = open.send(call)?;
            open.used = Instant::now();
            self.open[node] = Some(open);
            Ok(reply)
        });
        self.counts.add(&answer, began.elapsed());
        answer
    }
}

impl Connection {
    fn open(address: SocketAddr) -> io::Result<Connection> {
        let stream = TcpStream::connect_timeout(&address, DEADLINE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(DEADLINE))?;
        Ok(Connection { address, stream: BufReader::new(stream), used: Instant::now() })
    }

    fn send(&mut self, call: &Call) -> io::Result<Reply> {
        let Call { method, path, body } = call;
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.address);
        if let Some(body) = body {
            head += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        head += "\r\n";
        head += body.as_deref().unwrap_or_default();
        self.stream.get_mut().write_all(head.as_bytes())?;
        self.reply()
    }

    fn reply(&mut self) -> io::Result<Reply> {
        let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("no HTTP: {what}"));
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| bad("no status"))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or_else(|| bad("no header"))?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut reply = Reply { status, headers, body: String::new() };
        let length = reply.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        reply.body = String::from_utf8(body).map_err(|_| bad("the body is no UTF-8"))?;
        Ok(reply)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        match line.strip_suffix("\r\n") {
            Some(line) => Ok(line.to_owned()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
