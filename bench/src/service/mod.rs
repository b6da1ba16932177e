//! The service under load: reading kept prompts and constructing new ones, beside servers that do only the one thing.
//!
//! Each server is a process of its own on one core, the load (`wrk`) a process on another. What is compared is the
//! processor time of the server for a request and the time between two answers; a run with a single answer that is no
//! success counts as wrong.

mod bare;
mod fill;
mod load;

pub use bare::serve;

use crate::{
    Bench, BenchError,
    harness::Measured,
    start::binary,
    table::{Bar, Table},
};
use fill::{Shape, fill};
use load::{Contestant, Requests, Served};
use std::{path::Path, time::Duration};

pub const BENCH: Bench = Bench {
    name: "service",
    about: "Kept prompts read and constructed over HTTP, beside a bare axum server on the same store.",
    run,
};

/// The size of a prompt.
const PROMPT: usize = 20 << 10;
/// The number of conversations that are read again and again.
const HOT: usize = 100;

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    load::check_tools()?;
    let rounds = rounds.unwrap_or(7);
    let dir = tempfile::tempdir()?;
    let mut tables = reads(dir.path(), rounds)?;
    tables.extend(constructs(dir.path(), rounds)?);
    tables.push(growth(dir.path(), rounds)?);
    Ok(tables)
}

/// One prompt of 20 KiB, read again and again.
fn reads(dir: &Path, rounds: usize) -> Result<Vec<Table>, BenchError> {
    let preface = binary()?;
    let store = dir.join("reads.db");
    fill(&store, Shape { conversations: 1000, bytes: PROMPT })?;
    let read = |of| Requests::Read { of };
    let mut contestants = [
        Contestant::new("axum, 5 bytes", Served::bare("hello", &store, dir)?, Requests::Hello),
        Contestant::new("axum on the same store", Served::bare("read", &store, dir)?, read(HOT)),
        Contestant::new("preface", Served::preface(&preface, &store, dir, &[])?, read(HOT)),
        Contestant::new(
            "preface, nothing at hand",
            Served::preface(&preface, &store, dir, &["--cache", "0"])?,
            read(HOT),
        ),
    ];
    let [hello, bare, ours, cold] = load::interleave(&mut contestants, rounds)?;
    let cpu = vec![hello.cpu, bare.cpu.clone(), ours.cpu, cold.cpu];
    let pace = vec![bare.pace, ours.pace, cold.pace];
    Ok(vec![
        Table::new(
            "a kept prompt of 20 KiB: processor time of the server for a request",
            cpu,
            vec![Bar { of: "preface", to: "axum, 5 bytes", at_most: 2.2 }],
        ),
        Table::new(
            "the same: time between two answers, 32 connections",
            pace,
            vec![Bar { of: "preface", to: "axum on the same store", at_most: 1.0 / 0.9 }],
        ),
    ])
}

/// First turns: each request is a new conversation with a prompt of 20 KiB that is on disk when the answer leaves.
fn constructs(dir: &Path, rounds: usize) -> Result<Vec<Table>, BenchError> {
    let preface = binary()?;
    let new = |prefix| Requests::Construct { prefix };
    let mut contestants = [
        Contestant::new(
            "axum, the store's group commit",
            Served::bare("put", &dir.join("put.db"), dir)?,
            new("p"),
        ),
        Contestant::new("preface", Served::preface(&preface, &dir.join("ours.db"), dir, &[])?, new("o")),
        Contestant::new(
            "axum, a write for each task",
            Served::bare("naive", &dir.join("naive.db"), dir)?,
            new("n"),
        ),
    ];
    let [group, ours, naive] = load::interleave(&mut contestants, rounds)?;
    Ok(vec![
        Table::new(
            "a first turn of 20 KiB, durable: time between two answers, 32 connections",
            vec![group.pace, ours.pace, naive.pace],
            vec![Bar { of: "preface", to: "axum, the store's group commit", at_most: 1.25 }],
        ),
        Table::new(
            "the same: 99 of 100 are answered within",
            vec![naive.late, ours.late, group.late],
            vec![Bar { of: "preface", to: "axum, a write for each task", at_most: 0.2 }],
        ),
        Table::new(
            "the same: processor time of the server for a request",
            vec![group.cpu, ours.cpu, naive.cpu],
            vec![],
        ),
    ])
}

/// The same reads, out of ever more conversations; any of them may be read.
fn growth(dir: &Path, rounds: usize) -> Result<Table, BenchError> {
    let preface = binary()?;
    let sizes = [
        ("10³ of 20 KiB", Shape { conversations: 1_000, bytes: PROMPT }),
        ("10⁵ of 20 KiB", Shape { conversations: 100_000, bytes: PROMPT }),
        ("10³ of 1 KiB", Shape { conversations: 1_000, bytes: 1 << 10 }),
        ("10⁶ of 1 KiB", Shape { conversations: 1_000_000, bytes: 1 << 10 }),
    ];
    let mut contestants = Vec::new();
    for (at, (name, shape)) in sizes.into_iter().enumerate() {
        let store = dir.join(format!("growth{at}.db"));
        fill(&store, shape)?;
        let served = Served::preface(&preface, &store, dir, &["--cache", "0"])?;
        contestants.push(Contestant::new(name, served, Requests::Read { of: shape.conversations }));
    }
    let mut contestants: [Contestant; 4] =
        contestants.try_into().map_err(|_| BenchError::Failed("four sizes are compared".to_owned()))?;
    let measured: Vec<Measured> =
        load::interleave(&mut contestants, rounds)?.into_iter().map(|runs| runs.cpu).collect();
    Ok(Table::new(
        "any of so many kept prompts, nothing at hand: processor time of the server for a request",
        measured,
        vec![
            Bar { of: "10⁵ of 20 KiB", to: "10³ of 20 KiB", at_most: 1.3 },
            Bar { of: "10⁶ of 1 KiB", to: "10³ of 1 KiB", at_most: 1.3 },
        ],
    ))
}

/// The duration of one measurement.
const LASTS: Duration = Duration::from_secs(2);
