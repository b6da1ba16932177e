//! `cargo xtask nodes`: several processes of `preface serve` on one store, and what must stay true of them.
//!
//! Five scenarios, each in a file of its own: first turns and compactions that race ([`race`]), nodes that die in the
//! middle of their work ([`kill`]), a PostgreSQL that goes away and comes back ([`outage`]), a standby that takes its place
//! ([`failover`]), two people who write into one template in the editor ([`two_people`]). What nodes return is checked by
//! itself ([`answer`]) and against all earlier replies ([`ledger`]); both have planted faults in their
//! tests. At the end everything is read again ([`read_back`]).
//!
//! It knows the service from outside, as a client does: it uses none of our crates.

mod answer;
mod blake3;
mod cluster;
mod dice;
mod failover;
mod http;
mod json;
mod kill;
mod ledger;
mod load;
mod moving;
mod outage;
mod place;
mod race;
mod read_back;
/// The PostgreSQL server of the store's tests. It is one file that needs nothing but the standard library, so both have it.
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../crates/testkit/src/contract/server.rs"]
mod server;
mod two_people;

use crate::{Command, child, failure::Failure, flags::Flags, postgres, print};
use cluster::{Cluster, Kind};
use std::{
    env,
    path::{Path, PathBuf},
    time::Instant,
};

pub const COMMAND: Command = Command {
    name: "nodes",
    usage: "[race|kill|outage|failover|two-people] [--short] …",
    about: "Races, kills and cuts off several `preface serve` on one store, and checks all they answer.",
    run,
};

const USAGE: &str = "nodes [race|kill|outage|failover|two-people] [--store sqlite|postgres] [--conversations N] [--rounds N] \
                     [--seconds N] [--seed N] [--short] [--binary FILE]";

/// The amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Conversations that are begun in a race.
    conversations: usize,
    /// Waves of compactions in a race.
    waves: usize,
    /// Nodes that are killed.
    kills: usize,
    /// Times that the store goes away.
    outages: usize,
    /// Times that a standby takes the place of the store.
    failovers: usize,
    /// The seconds that two people write.
    seconds: usize,
    /// The seed of what they do.
    seed: usize,
}

const FULL: Size =
    Size { conversations: 2000, waves: 500, kills: 200, outages: 6, failovers: 4, seconds: 300, seed: 1 };
const SHORT: Size =
    Size { conversations: 100, waves: 25, kills: 5, outages: 2, failovers: 2, seconds: 20, seed: 1 };

/// One thing that happens to nodes.
struct Scenario {
    name: &'static str,
    stores: &'static [Kind],
    pace: Pace,
    run: fn(&Cluster, &Size) -> Result<String, Failure>,
}

/// The part of a scenario in the short form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Fast,
    /// Only where it is named.
    Slow,
}

const SCENARIOS: &[Scenario] = &[
    Scenario { name: "race", stores: &[Kind::Sqlite, Kind::Postgres], pace: Pace::Fast, run: race::run },
    Scenario { name: "kill", stores: &[Kind::Sqlite, Kind::Postgres], pace: Pace::Fast, run: kill::run },
    Scenario { name: "outage", stores: &[Kind::Postgres], pace: Pace::Fast, run: outage::run },
    Scenario { name: "failover", stores: &[Kind::MovingPostgres], pace: Pace::Slow, run: failover::run },
    Scenario { name: "two-people", stores: &[Kind::Postgres], pace: Pace::Slow, run: two_people::run },
];

/// The arguments.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    scenario: Option<String>,
    store: Option<Kind>,
    conversations: Option<usize>,
    rounds: Option<usize>,
    seconds: Option<usize>,
    seed: Option<usize>,
    short: bool,
    binary: Option<PathBuf>,
}

fn run(words: &[String]) -> Result<(), Failure> {
    let wanted = parse(words)?;
    let size = wanted.size();
    let chosen: Vec<(&Scenario, Kind)> = SCENARIOS
        .iter()
        .filter(|scenario| wanted.scenario.as_deref().is_none_or(|name| name == scenario.name))
        .flat_map(|scenario| scenario.stores.iter().map(move |kind| (scenario, *kind)))
        .filter(|(_, kind)| wanted.store.is_none_or(|wanted| wanted.is_server() == kind.is_server()))
        .collect();
    if chosen.is_empty() {
        return Err(Failure::usage("`outage`, `failover` and `two-people` are of `postgres`"));
    }
    if chosen.iter().any(|(_, kind)| kind.is_server()) {
        postgres::ensure()?;
    }
    let binary = match &wanted.binary {
        Some(binary) => binary.clone(),
        None => built(wanted.short)?,
    };
    let mut failed = Vec::new();
    for (scenario, kind) in chosen {
        let name = format!("{} {kind}", scenario.name);
        if wanted.short && wanted.scenario.is_none() && scenario.pace == Pace::Slow {
            print::line(&format!("{name}: left out of --short; `nodes {} --short` runs it", scenario.name));
            continue;
        }
        match perform(scenario, kind, &binary, &size) {
            Ok(figures) => print::line(&format!("{name}: {figures}")),
            Err(failure) => {
                print::line(&format!("{name}: FAILED\n{failure}"));
                failed.push(name);
            }
        }
    }
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(Failure::new(format!("{} did not pass", failed.join(", ")))),
    }
}

/// Lets a scenario happen to new nodes on a new store. Returns its figures.
fn perform(scenario: &Scenario, kind: Kind, binary: &Path, size: &Size) -> Result<String, Failure> {
    let began = Instant::now();
    let Some(cluster) = Cluster::start(binary, kind)? else {
        return Ok("left out".to_owned());
    };
    let figures = (scenario.run)(&cluster, size)?;
    cluster.end()?;
    Ok(format!("{figures}; {:.1} s", began.elapsed().as_secs_f64()))
}

fn parse(words: &[String]) -> Result<Options, Failure> {
    let mut wanted = Options::default();
    let mut flags = Flags::new(USAGE, words);
    while let Some(word) = flags.next() {
        match word {
            "--short" => wanted.short = true,
            "--conversations" => wanted.conversations = Some(flags.number(word)?),
            "--rounds" => wanted.rounds = Some(flags.number(word)?),
            "--seconds" => wanted.seconds = Some(flags.number(word)?),
            "--seed" => wanted.seed = Some(flags.number(word)?),
            "--store" => {
                wanted.store = match flags.next() {
                    Some("sqlite") => Some(Kind::Sqlite),
                    Some("postgres") => Some(Kind::Postgres),
                    _ => return Err(Failure::usage("`--store` takes `sqlite` or `postgres`")),
                }
            }
            "--binary" => {
                let file = flags
                    .next()
                    .and_then(|word| std::path::absolute(word).ok())
                    .filter(|path| path.is_file());
                wanted.binary = Some(file.ok_or_else(|| Failure::usage("`--binary` takes a file"))?);
            }
            name if SCENARIOS.iter().any(|scenario| scenario.name == name) => {
                wanted.scenario = Some(name.to_owned());
            }
            _ => return Err(flags.unknown(word)),
        }
    }
    Ok(wanted)
}

impl Options {
    /// Returns the size: a given number is that of the unit of the scenario.
    fn size(&self) -> Size {
        let usual = if self.short { SHORT } else { FULL };
        Size {
            conversations: self.conversations.unwrap_or(usual.conversations),
            waves: self.rounds.unwrap_or(usual.waves),
            kills: self.rounds.unwrap_or(usual.kills),
            outages: self.rounds.unwrap_or(usual.outages),
            failovers: self.rounds.unwrap_or(usual.failovers),
            seconds: self.seconds.unwrap_or(usual.seconds),
            seed: self.seed.unwrap_or(usual.seed),
        }
    }
}

/// Builds the command: as developers have it for the short form, optimised for the full one.
fn built(short: bool) -> Result<PathBuf, Failure> {
    let (directory, words) = match short {
        true => ("debug", &["build", "--quiet", "--bin", "preface"][..]),
        false => ("release", &["build", "--quiet", "--release", "--bin", "preface"][..]),
    };
    child::run(child::cargo(words))?;
    Ok(child::target().join(directory).join(format!("preface{}", env::consts::EXE_SUFFIX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Options, Failure> {
        parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn words_are_read() {
        assert_eq!(read(&[]).unwrap().size(), FULL);
        let wanted = read(&["kill", "--store", "sqlite", "--short", "--rounds", "7"]).unwrap();
        assert_eq!((wanted.scenario.as_deref(), wanted.store), (Some("kill"), Some(Kind::Sqlite)));
        assert_eq!(wanted.size(), Size { waves: 7, kills: 7, outages: 7, failovers: 7, ..SHORT });
        assert_eq!(
            read(&["two-people", "--seconds", "9", "--seed", "3"]).unwrap().size(),
            Size { seconds: 9, seed: 3, ..FULL }
        );
        for words in [&["riot"][..], &["--store", "memory"], &["--rounds"], &["--binary", "/no/such/file"]] {
            assert!(read(words).is_err(), "{words:?}");
        }
    }
}
