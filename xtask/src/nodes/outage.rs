//! A PostgreSQL that goes away and comes back: clean errors meanwhile, what needs no store goes on, and everything recovers
//! by itself.

use super::{
    Size,
    cluster::{Cluster, Store},
    dice::Dice,
    http::{Call, Client, Counts, DEADLINE, Reply},
    load::{Load, is_store_away},
    read_back,
    server::Server,
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
    let load = Load::new(cluster);
    let mut slowest = Duration::ZERO;
    let mut recovery = Duration::ZERO;
    load.during(|| {
        let mut dice = Dice::new(2);
        for outage in 0..size.outages {
            thread::sleep(Duration::from_millis(300 + dice.below(700) as u64));
            load.store_comes_or_goes();
            match outage % 2 {
                0 => server.stop(),
                _ => server.stop_in_order(),
            }
            slowest = slowest.max(look(cluster, &load));
            thread::sleep(Duration::from_millis(dice.below(2000) as u64));
            recovery = recovery.max(recover(cluster, server, &load));
            load.store_comes_or_goes();
        }
        thread::sleep(Duration::from_millis(500));
    });
    let mut ledger = load.ledger();
    if let Some(node) = cluster.dead() {
        ledger.fault(format_args!("node {node} is not running any more"));
    }
    read_back::all(cluster, &load.counts, &mut ledger);
    if let Some(faults) = ledger.faults() {
        return Err(Failure::new(format!("the outages were not clean:{faults}{}", cluster.said())));
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

/// Asks every node for everything while the store is away. Returns how long the slowest answer took.
fn look(cluster: &Cluster, load: &Load) -> Duration {
    let counts = Counts::default();
    let mut client = Client::new(&cluster.addresses, &counts);
    let mut slowest = Duration::ZERO;
    for node in 0..cluster.len() {
        for (call, what) in [
            (Call::post("/conversations/never/turns"), Expected::Away),
            (Call::post("/conversations/load-0/turns"), Expected::Away),
            (Call::post("/conversations/load-0/compactions"), Expected::Away),
            (Call::post("/conversations/load-0/refresh"), Expected::Away),
            (Call::get("/conversations/load-0/system-prompt"), Expected::Away),
            (Call::put("/system-prompt", "{\"template\":\"never\"}".to_owned()), Expected::Away),
            (Call::get("/system-prompt"), Expected::Default),
            (Call::get("/system-prompt/variables"), Expected::Well),
            (Call::get("/healthz"), Expected::Well),
            (Call::get("/readyz"), Expected::Away),
        ] {
            let began = Instant::now();
            let answer = client.ask(node, &call);
            let took = began.elapsed();
            slowest = slowest.max(took);
            let as_expected = answer.as_ref().is_ok_and(|reply| what.fits(reply)) && took < DEADLINE;
            if !as_expected {
                let fault =
                    format!("{call}, while the store is away: {answer:?} after {} ms", took.as_millis());
                load.ledger().fault(fault);
            }
        }
    }
    slowest
}

/// What is to be answered while the store is away.
enum Expected {
    /// That it is away.
    Away,
    /// What there always is.
    Well,
    /// The default template, marked as such (seed 002 §6).
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

/// Starts the store and waits until each node says that it is ready. Returns how long that took, the start included.
fn recover(cluster: &Cluster, server: &Server, load: &Load) -> Duration {
    let began = Instant::now();
    server.start_again();
    let counts = Counts::default();
    let mut client = Client::new(&cluster.addresses, &counts);
    for node in 0..cluster.len() {
        while !client.ask(node, &Call::get("/readyz")).is_ok_and(|reply| reply.status == 200) {
            if began.elapsed() > DEADLINE {
                load.ledger().fault(format_args!("node {node} does not recover"));
                break;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
    began.elapsed()
}
