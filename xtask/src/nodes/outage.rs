//! A PostgreSQL that goes away and comes back, at once, in order, or only frozen: clean errors meanwhile, what needs no store goes on, and everything recovers
//! by itself.

use super::{
    Size,
    answer::template,
    cluster::{Cluster, Store},
    dice::Dice,
    http::{Call, Client, Counts, DEADLINE, Reply},
    json::quoted,
    load::{FEW, Load, is_store_away},
    read_back,
};
use crate::failure::Failure;
use std::{
    thread,
    time::{Duration, Instant},
};

/// Stops and starts the store under load. Returns the figures.
pub fn run(cluster: &Cluster, size: &Size) -> Result<String, Failure> {
    let Store::Server(server, _) = &cluster.store else {
        return Err(Failure::new("a file cannot be stopped"));
    };
    let load = Load::new(cluster, FEW);
    let mut slowest = Duration::ZERO;
    let mut recovery = Duration::ZERO;
    load.during(|| {
        let mut dice = Dice::new(2);
        for outage in 0..size.outages {
            thread::sleep(Duration::from_millis(500 + dice.below(1500) as u64));
            load.store_comes_or_goes();
            match outage % 3 {
                0 => server.stop(),
                1 => server.stop_in_order(),
                _ => server.freeze(),
            }
            slowest = slowest.max(check_all(cluster, &load));
            thread::sleep(Duration::from_millis(dice.below(2000) as u64));
            let again = Instant::now();
            match outage % 3 {
                0 | 1 => server.start_again(),
                _ => server.thaw(),
            }
            wait_until_ready(cluster, &load);
            recovery = recovery.max(again.elapsed());
            load.store_comes_or_goes();
        }
        thread::sleep(Duration::from_millis(500));
    });
    let mut ledger = load.ledger();
    if let Some(node) = cluster.stopped_node() {
        ledger.fault(format_args!("node {node} is not running any more"));
    }
    read_back::all(cluster, &load.counts, &mut ledger);
    if let Some(faults) = ledger.faults() {
        return Err(Failure::new(format!("the outages were not clean:{faults}{}", cluster.last_log_lines())));
    }
    Ok(format!(
        "{} nodes; {} outages, the slowest 503 took {} ms, the slowest recovery {} ms; {} conversations, {} prompts, {} \
         versions of the template acknowledged; {}, {} retries",
        cluster.len(),
        size.outages,
        slowest.as_millis(),
        recovery.as_millis(),
        ledger.begun().len(),
        ledger.built(),
        ledger.versions().len(),
        load.counts,
        load.retries()
    ))
}

/// Sends every request to every node at once while the store is away. Returns how long the slowest reply took.
fn check_all(cluster: &Cluster, load: &Load) -> Duration {
    let counts = Counts::default();
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for node in 0..cluster.len() {
            for (call, expected) in calls() {
                let counts = &counts;
                threads.push(scope.spawn(move || {
                    let began = Instant::now();
                    let answer = Client::new(&cluster.addresses, counts).send(node, &call);
                    let took = began.elapsed();
                    if !answer.as_ref().is_ok_and(|reply| expected.fits(reply)) || took > DEADLINE {
                        let ms = took.as_millis();
                        let fault = format!("{call}, while the store is away: {answer:?} after {ms} ms");
                        load.ledger().fault(fault);
                    }
                    took
                }));
            }
        }
        threads.into_iter().filter_map(|thread| thread.join().ok()).max().unwrap_or_default()
    })
}

/// The requests that are sent while the store is away.
fn calls() -> Vec<(Call, Expected)> {
    let body = format!("{{\"template\":{}}}", quoted(&template("away")));
    vec![
        (Call::post("/conversations/never/turns"), Expected::Away),
        (Call::post("/conversations/load-0/turns"), Expected::Away),
        (Call::post("/conversations/load-0/compactions"), Expected::Away),
        (Call::post("/conversations/load-0/refresh"), Expected::Away),
        (Call::get("/conversations/load-0/system-prompt"), Expected::Away),
        (Call::put("/system-prompt", body), Expected::Away),
        (Call::get("/system-prompt"), Expected::Default),
        (Call::get("/system-prompt/variables"), Expected::Well),
        (Call::get("/healthz"), Expected::Well),
        (Call::get("/readyz"), Expected::Away),
    ]
}

/// The expected reply while the store is away.
enum Expected {
    /// A 503 with `store-unavailable`.
    Away,
    /// A 200 as always.
    Well,
    /// The default template, marked as such.
    Default,
}

impl Expected {
    fn fits(&self, reply: &Reply) -> bool {
        match self {
            Expected::Away => is_store_away(reply),
            Expected::Well => reply.status == 200,
            Expected::Default => {
                reply.status == 200
                    && reply.header("preface-degraded") == Some("store")
                    && reply.header("etag").is_none()
                    && reply.body.contains("You are a helpful coding assistant.")
            }
        }
    }
}

/// Waits until each node is ready.
fn wait_until_ready(cluster: &Cluster, load: &Load) {
    let began = Instant::now();
    let counts = Counts::default();
    let mut client = Client::new(&cluster.addresses, &counts);
    for node in 0..cluster.len() {
        while !client.send(node, &Call::get("/readyz")).is_ok_and(|reply| reply.status == 200) {
            if began.elapsed() > DEADLINE {
                load.ledger().fault(format_args!("node {node} does not recover"));
                break;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
