//! A standby takes the place of PostgreSQL while 48 clients use the nodes, in the two ways in which that happens: the primary
//! dies and the address leads to the standby before it is promoted; or the primary comes back as a standby, the other is
//! promoted, and the address moves. Meanwhile nodes answer 503; afterwards they go on by themselves, and nothing that was
//! acknowledged is lost.

use super::{
    Size,
    cluster::{Cluster, Store},
    http::{Call, Client, Counts, DEADLINE},
    load::{Clients, Load, is_store_away},
    read_back,
    server::PostgresServer,
};
use crate::failure::Failure;
use std::{
    thread,
    time::{Duration, Instant},
};

const CLIENTS: Clients = Clients { writers: 32, readers: 16 };

/// Fails over under load. Returns the figures.
pub fn run(cluster: &Cluster, size: &Size) -> Result<String, Failure> {
    let (Store::Server(first, _), Some(address)) = (&cluster.store, &cluster.moving) else {
        return Err(Failure::new("a file has no standby"));
    };
    let load = Load::new(cluster, CLIENTS);
    let mut recovery = Duration::ZERO;
    // The server at the end is needed until everything was read again.
    let last = load.during(|| {
        let mut current: Option<PostgresServer> = None;
        for round in 0..size.failovers {
            let primary = current.as_ref().unwrap_or(first);
            let standby = primary.standby();
            thread::sleep(Duration::from_secs(1));
            load.store_comes_or_goes();
            if round % 2 == 0 {
                primary.stop();
                address.move_to(standby.port());
                refuse(cluster, &load);
                standby.promote();
            } else {
                primary.demote();
                refuse(cluster, &load);
                standby.promote();
                address.move_to(standby.port());
            }
            let began = Instant::now();
            wait_until_written(cluster, &load);
            recovery = recovery.max(began.elapsed());
            load.store_comes_or_goes();
            thread::sleep(Duration::from_secs(1));
            current = Some(standby);
        }
        current
    });
    let mut ledger = load.ledger();
    if let Some(node) = cluster.stopped_node() {
        ledger.fault(format_args!("node {node} is not running any more"));
    }
    read_back::all(cluster, &load.counts, &mut ledger);
    if let Some(faults) = ledger.faults() {
        return Err(Failure::new(format!(
            "the failovers were not clean:{faults}{}",
            cluster.last_log_lines()
        )));
    }
    drop(last);
    Ok(format!(
        "{} nodes, {} clients; {} failovers, writes again within {} ms of a promotion; {} conversations, {} prompts, {} \
         versions of the template acknowledged, 0 lost; 0 restarts of nodes; {}",
        cluster.len(),
        CLIENTS.writers + CLIENTS.readers,
        size.failovers,
        recovery.as_millis(),
        ledger.begun().len(),
        ledger.built(),
        ledger.versions().len(),
        load.counts,
    ))
}

/// Sends writes to each node while the address leads to a server that takes none.
fn refuse(cluster: &Cluster, load: &Load) {
    let counts = Counts::default();
    let mut client = Client::new(&cluster.addresses, &counts);
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(2) {
        for node in 0..cluster.len() {
            let call =
                Call::post(format!("/conversations/refused-{node}-{}/turns", began.elapsed().as_micros()));
            let answer = client.send(node, &call);
            if !answer.as_ref().is_ok_and(is_store_away) {
                load.ledger().fault(format_args!("{call}, while the server takes no writes: {answer:?}"));
            }
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until each node begins a conversation again, and is ready.
fn wait_until_written(cluster: &Cluster, load: &Load) {
    let began = Instant::now();
    let counts = Counts::default();
    let mut client = Client::new(&cluster.addresses, &counts);
    for node in 0..cluster.len() {
        for (call, status) in [
            (Call::post(format!("/conversations/again-{node}-{}/turns", began.elapsed().as_nanos())), 201),
            (Call::get("/readyz"), 200),
        ] {
            while !client.send(node, &call).is_ok_and(|reply| reply.status == status) {
                if began.elapsed() > DEADLINE {
                    load.ledger().fault(format_args!("node {node} does not recover: {call}"));
                    return;
                }
                thread::sleep(Duration::from_millis(20));
            }
        }
    }
}
