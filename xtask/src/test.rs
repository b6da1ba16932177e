//! `cargo xtask test`: everything that must hold before a change goes in.
//!
//! The short form needs cargo, git and PostgreSQL. `--all` adds what takes longer or needs a tool, which it installs by name. Each
//! step is one line of [`steps::STEPS`]. A step that fails shows what it printed, and the steps after it run all the
//! same, so that one run tells everything. The last line sums up the tests.

mod steps;

use crate::{Command, child, failure::Failure, flags::Flags, say, tally::Tally};
use std::time::Instant;
use steps::{Prepared, STEPS, Step, When};

pub const COMMAND: Command = Command {
    name: "test",
    usage: "[--all] [--verbose]",
    about: "Runs every check; with --all the slow ones and those that need a tool.",
    run,
};

fn run(words: &[String]) -> Result<(), Failure> {
    let mut when = When::Always;
    let mut show = Show::Summaries;
    let flags = Flags::new("test [--all] [--verbose]", words);
    for word in words {
        match word.as_str() {
            "--all" => when = When::All,
            "--verbose" | "-v" => show = Show::Everything,
            _ => return Err(flags.unknown(word)),
        }
    }
    let started = Instant::now();
    let mut tally = Tally::default();
    let mut failed = Vec::new();
    for step in STEPS.iter().filter(|step| step.when <= when) {
        say::step(step.name, step.about);
        let began = Instant::now();
        let word = match perform(step, show, &mut tally) {
            Ok(Ended::Well) => "ok",
            Ok(Ended::Skipped(why)) => {
                say::line(&format!("    {why}"));
                "skipped"
            }
            Ok(Ended::Badly) => {
                failed.push(step.name);
                "FAILED"
            }
            Err(failure) => {
                say::line(&failure.to_string());
                failed.push(step.name);
                "FAILED"
            }
        };
        say::done(step.name, word, began.elapsed());
    }
    let seconds = started.elapsed().as_secs_f64();
    match failed.as_slice() {
        [] => say::line(&format!("every step is ok, {seconds:.0} s")),
        failed => say::line(&format!("failed: {}, {seconds:.0} s", failed.join(", "))),
    }
    // The summary is the last line of stdout, alone, for people and for CI.
    say::line(&tally.to_string());
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(Failure::new(format!("{} did not pass", failed.join(", ")))),
    }
}

/// How much of a step's output is shown while it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    /// The results of test binaries; all of it where the step fails.
    Summaries,
    /// Each line.
    Everything,
}

/// How a step ended.
enum Ended {
    Well,
    Badly,
    /// It does not apply here, for this reason.
    Skipped(&'static str),
}

fn perform(step: &Step, show: Show, tally: &mut Tally) -> Result<Ended, Failure> {
    let command = match (step.prepare)()? {
        Prepared::Run(command) => command,
        Prepared::Skip(why) => return Ok(Ended::Skipped(why)),
    };
    let mut held: Vec<String> = Vec::new();
    let ok = child::watch(command, |line| {
        let result = Tally::read(line);
        if let Some(result) = result {
            *tally += result;
        }
        if show == Show::Everything || result.is_some() || names_a_test_binary(line) {
            say::line(line);
        } else if !line.ends_with(" ... ok") {
            held.push(line.to_owned());
        }
    })?;
    if ok {
        return Ok(Ended::Well);
    }
    for line in held {
        say::line(&line);
    }
    Ok(Ended::Badly)
}

/// True for the lines with which cargo introduces a test binary.
fn names_a_test_binary(line: &str) -> bool {
    line.starts_with("     Running ") || line.starts_with("   Doc-tests ")
}
