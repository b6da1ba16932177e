//! First turns and compactions that race on several nodes: each conversation gets one prompt, and all get that one.

use super::{
    Size,
    answer::{Answer, template},
    cluster::Cluster,
    http::{Call, Client, Counts, Reply},
    json::quoted,
    ledger::Ledger,
    place::keep_changing,
    read_back,
};
use crate::failure::Failure;
use std::{
    io,
    sync::{
        Barrier, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

/// The first turns that a conversation gets at once.
const TURNS: usize = 10;
/// The compactions at once.
const COMPACTIONS: usize = 5;

/// Lets them race. Returns the figures.
pub fn run(cluster: &Cluster, size: &Size) -> Result<String, Failure> {
    let race = Race { cluster, counts: Counts::default(), ledger: Mutex::default() };
    let stop = AtomicBool::new(false);
    let compacted = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| keep_changing(&cluster.root(), &stop));
        race.store_template();
        race.first_turns(size.conversations);
        race.later(size.conversations, |id| Call::post(format!("/conversations/{id}/turns")));
        race.later(size.conversations, |id| Call::get(format!("/conversations/{id}/system-prompt")));
        race.compactions(size.conversations.min(size.waves.div_ceil(5)), size.waves, &compacted);
        stop.store(true, Ordering::Relaxed);
    });
    let mut ledger = race.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
    read_back::all(cluster, &race.counts, &mut ledger);
    ledger.all_built_once();
    let raced = cluster.sum_metric("preface_constructs_total{outcome=\"Raced\"}");
    if let Some(faults) = ledger.faults() {
        return Err(Failure::new(format!("the race was not fair:{faults}{}", cluster.last_log_lines())));
    }
    Ok(format!(
        "{} nodes; {} conversations of {TURNS} first turns at once, {} prompts built in vain; {} waves of {COMPACTIONS} \
         compactions, {} of which built; {}",
        cluster.len(),
        size.conversations,
        raced,
        size.waves,
        compacted.into_inner(),
        race.counts
    ))
}

struct Race<'c> {
    cluster: &'c Cluster,
    counts: Counts,
    ledger: Mutex<Ledger>,
}

fn id(number: usize) -> String {
    format!("race-{number:06}")
}

impl Race<'_> {
    fn client(&self) -> Client<'_> {
        Client::new(&self.cluster.addresses, &self.counts)
    }

    fn ledger<T>(&self, act: impl FnOnce(&mut Ledger) -> T) -> T {
        act(&mut self.ledger.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn store_template(&self) {
        let body = format!("{{\"template\":{}}}", quoted(&template("race")));
        match self.client().send(0, &Call::put("/system-prompt", body)) {
            Ok(reply) if reply.status == 200 => {}
            other => {
                self.ledger(|ledger| ledger.fault(format_args!("the template is not stored: {other:?}")));
            }
        }
    }

    /// Notes the reply for a conversation that was known to be at `floor`.
    fn note(&self, id: &str, floor: u64, call: &Call, reply: io::Result<Reply>) -> Option<Answer> {
        let read = reply.map_err(|error| error.to_string()).and_then(|reply| match reply.status {
            200 | 201 => Ok((Answer::of(&reply, id)?, reply.status)),
            status => Err(format!("{status} {}", reply.body)),
        });
        self.ledger(|ledger| match read {
            Ok((answer, status)) => {
                ledger.note(&answer, status, floor);
                Some(answer)
            }
            Err(why) => {
                ledger.fault(format_args!("{call}: {why}"));
                None
            }
        })
    }

    fn first_turns(&self, conversations: usize) {
        let start = Barrier::new(TURNS);
        thread::scope(|scope| {
            for runner in 0..TURNS {
                let start = &start;
                scope.spawn(move || {
                    let mut client = self.client();
                    for number in 0..conversations {
                        let id = id(number);
                        let call = Call::post(format!("/conversations/{id}/turns"));
                        start.wait();
                        let reply = client.send((number + runner) % self.cluster.len(), &call);
                        self.note(&id, 0, &call, reply);
                    }
                });
            }
        });
    }

    /// Sends a request for every conversation to every node.
    fn later(&self, conversations: usize, call: impl Fn(&str) -> Call + Sync) {
        thread::scope(|scope| {
            for runner in 0..TURNS {
                let call = &call;
                scope.spawn(move || {
                    let mut client = self.client();
                    for number in (runner..conversations).step_by(TURNS) {
                        for node in 0..self.cluster.len() {
                            let (id, call) = (id(number), call(&id(number)));
                            let reply = client.send(node, &call);
                            self.note(&id, 1, &call, reply);
                        }
                    }
                });
            }
        });
    }

    /// Lets compactions of one conversation race, wave after wave; then everybody reads what is kept, from another node.
    fn compactions(&self, conversations: usize, waves: usize, built: &AtomicU64) {
        let start = Barrier::new(COMPACTIONS);
        thread::scope(|scope| {
            for runner in 0..COMPACTIONS {
                let start = &start;
                scope.spawn(move || {
                    let mut client = self.client();
                    for wave in 0..waves {
                        let id = id(wave % conversations);
                        // All read the same revision before any of them sends.
                        let known = self.ledger(|ledger| ledger.newest(&id));
                        start.wait();
                        let call = Call::post(format!("/conversations/{id}/compactions"));
                        // Now and then on one node alone: the others do not notice.
                        let spread = if (wave / conversations) % 5 == 4 { 0 } else { runner };
                        let reply = client.send((wave + spread) % self.cluster.len(), &call);
                        let answer = self.note(&id, known + 1, &call, reply);
                        let ours = answer.is_some_and(|answer| answer.constructed);
                        built.fetch_add(ours.into(), Ordering::Relaxed);
                        start.wait();
                        // What a node has at hand must not be what another has replaced.
                        let known = self.ledger(|ledger| ledger.newest(&id));
                        let call = Call::get(format!("/conversations/{id}/system-prompt"));
                        let reply = client.send((wave + runner + 1) % self.cluster.len(), &call);
                        self.note(&id, known, &call, reply);
                        start.wait();
                    }
                });
            }
        });
    }
}
