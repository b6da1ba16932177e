//! Writers and readers that send all kinds of requests to all nodes at once, while somebody kills nodes or stops their store.

use super::{
    answer::{Answer, template},
    cluster::Cluster,
    dice::Dice,
    http::{Call, Client, Counts, Reply},
    json::{Value, quoted},
    ledger::Ledger,
};
use std::{
    io::ErrorKind,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The number of clients at once.
#[derive(Clone, Copy, Debug)]
pub struct Clients {
    /// Those that write, mostly.
    pub writers: usize,
    /// Those that only read.
    pub readers: usize,
}

/// As many as there are for nodes that die or lose their store.
pub const FEW: Clients = Clients { writers: 4, readers: 2 };
/// The time that a client goes on trying that needs a reply.
const PATIENCE: Duration = Duration::from_secs(60);
/// The pause before another node is tried.
const BREATH: Duration = Duration::from_millis(20);

/// The load on a cluster.
pub struct Load<'c> {
    cluster: &'c Cluster,
    clients: Clients,
    /// The replies.
    pub counts: Counts,
    ledger: Mutex<Ledger>,
    /// Conversations that were begun.
    ids: Mutex<Vec<String>>,
    stop: AtomicBool,
    /// Odd while the store is away: then a node may return an error.
    away: AtomicU64,
    retries: AtomicU64,
}

/// The outcome of a request.
enum Outcome {
    /// The reply, with status 200 or 201.
    Done(Reply),
    /// The node was gone, or had no store: it may have happened or not.
    Unknown,
}

impl<'c> Load<'c> {
    /// Makes the load, with one conversation and a template that can be checked.
    pub fn new(cluster: &'c Cluster, clients: Clients) -> Self {
        let load = Load {
            cluster,
            clients,
            counts: Counts::default(),
            ledger: Mutex::default(),
            ids: Mutex::default(),
            stop: AtomicBool::new(false),
            away: AtomicU64::new(0),
            retries: AtomicU64::new(0),
        };
        let mut worker = load.worker(usize::MAX - 1);
        worker.put();
        worker.begin("load-0".to_owned());
        load
    }

    /// Starts writers and readers, does something meanwhile, and ends them.
    pub fn during<T>(&self, act: impl FnOnce() -> T) -> T {
        thread::scope(|scope| {
            scope.spawn(|| super::place::keep_changing(&self.cluster.root(), &self.stop));
            for number in 0..self.clients.writers {
                scope.spawn(move || self.worker(number).write());
            }
            for number in 0..self.clients.readers {
                scope.spawn(move || self.worker(self.clients.writers + number).read());
            }
            let done = act();
            self.stop.store(true, Ordering::Relaxed);
            done
        })
    }

    /// Notes that the store goes away, or that all nodes have it again.
    pub fn store_comes_or_goes(&self) {
        self.away.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns what was noted.
    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of retries.
    pub fn retries(&self) -> u64 {
        self.retries.load(Ordering::Relaxed)
    }

    fn ids(&self) -> MutexGuard<'_, Vec<String>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worker(&self, number: usize) -> Worker<'_> {
        let client = Client::new(&self.cluster.addresses, &self.counts);
        Worker { load: self, client, dice: Dice::new(number), number, made: 0 }
    }
}

struct Worker<'l> {
    load: &'l Load<'l>,
    client: Client<'l>,
    dice: Dice,
    number: usize,
    made: usize,
}

impl Worker<'_> {
    fn write(&mut self) {
        while !self.load.stop.load(Ordering::Relaxed) {
            match self.dice.below(10) {
                0..5 => {
                    self.made += 1;
                    self.begin(format!("load-{}-{:06}", self.number, self.made));
                }
                5..8 => self.compact(),
                8 => self.put(),
                _ => {
                    let id = self.somebody();
                    self.request(&id, &Call::post(format!("/conversations/{id}/turns")), 0, Answer::of);
                }
            }
        }
    }

    fn read(&mut self) {
        while !self.load.stop.load(Ordering::Relaxed) {
            let id = self.somebody();
            match self.dice.below(10) {
                0 => {
                    let call = Call::get(format!("/conversations/{id}/explain"));
                    self.request(&id, &call, 0, Answer::explained);
                }
                _ => {
                    let call = Call::get(format!("/conversations/{id}/system-prompt"));
                    self.request(&id, &call, 0, Answer::of);
                }
            }
        }
    }

    /// Begins a conversation; where a node dies meanwhile, on another.
    fn begin(&mut self, id: String) {
        let call = Call::post(format!("/conversations/{id}/turns"));
        let began = Instant::now();
        loop {
            self.load.ledger().doubt(&id);
            if self.request(&id, &call, 0, Answer::of) {
                self.load.ids().push(id);
                return;
            }
            // A store that is away is a clean reply; who gets it may come back later or not.
            if !self.load.away.load(Ordering::SeqCst).is_multiple_of(2) {
                return;
            }
            if began.elapsed() > PATIENCE {
                return self.load.ledger().fault(format_args!("{call}: no node replies"));
            }
            self.load.retries.fetch_add(1, Ordering::Relaxed);
            thread::sleep(BREATH);
        }
    }

    fn compact(&mut self) {
        let id = self.somebody();
        self.request(&id, &Call::post(format!("/conversations/{id}/compactions")), 1, Answer::of);
    }

    /// Stores a template that nobody else stores.
    fn put(&mut self) {
        self.made += 1;
        let mark = format!("{}-{}", self.number, self.made);
        let call = Call::put("/system-prompt", format!("{{\"template\":{}}}", quoted(&template(&mark))));
        if let Outcome::Done(reply) = self.send(&call) {
            let version = reply.header("preface-version").and_then(|version| version.parse().ok());
            match version {
                Some(version) => self.load.ledger().note_template(version, &mark),
                None => self.load.ledger().fault(format_args!("{call}: no version in {reply:?}")),
            }
        }
    }

    fn somebody(&mut self) -> String {
        let ids = self.load.ids();
        // The young are chosen more often: that is where something happens.
        let from = if self.dice.below(2) == 0 { ids.len().saturating_sub(50) } else { 0 };
        ids.get(from + self.dice.below(ids.len() - from)).cloned().unwrap_or_else(|| "load-0".to_owned())
    }

    /// Sends a request about a conversation and notes the reply, whose revision is at least `ahead` more than what was known before.
    /// False: there was no reply.
    fn request(
        &mut self,
        id: &str,
        call: &Call,
        ahead: u64,
        read: fn(&Reply, &str) -> Result<Answer, String>,
    ) -> bool {
        let known = self.load.ledger().newest(id);
        let Outcome::Done(reply) = self.send(call) else { return false };
        let read = read(&reply, id);
        let mut ledger = self.load.ledger();
        match read {
            Ok(answer) => ledger.note(&answer, reply.status, known + ahead),
            Err(why) => ledger.fault(format_args!("{call}: {why}")),
        }
        true
    }

    fn send(&mut self, call: &Call) -> Outcome {
        let away = self.load.away.load(Ordering::SeqCst);
        let node = self.dice.below(self.load.cluster.len());
        match self.client.send(node, call) {
            Ok(reply) if matches!(reply.status, 200 | 201) => return Outcome::Done(reply),
            Ok(reply) => {
                let now = self.load.away.load(Ordering::SeqCst);
                let was_there = away == now && now.is_multiple_of(2);
                if was_there || !is_store_away(&reply) {
                    let Reply { status, body, .. } = reply;
                    self.load.ledger().fault(format_args!("{call}: {status} {body}"));
                }
            }
            // A node that was killed; the store's coming and going must not end a connection.
            Err(error) => {
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::InvalidData) || away > 0 {
                    self.load.ledger().fault(format_args!("{call}: {error}"));
                }
            }
        }
        thread::sleep(BREATH);
        Outcome::Unknown
    }
}

/// True where a reply is a clean error of a store that is away.
pub fn is_store_away(reply: &Reply) -> bool {
    reply.status == 503
        && reply.header("content-type") == Some("application/problem+json")
        && Value::parse(&reply.body)
            .is_ok_and(|problem| problem.get("code").text() == Some("store-unavailable"))
}
