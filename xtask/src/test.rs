//! `cargo xtask test`: everything that must hold before a change goes in.
//!
//! The short form needs cargo, git and PostgreSQL. `--all` adds what takes longer or needs a tool, which it installs by name. Each
//! step is one line of [`steps::STEPS`]. A step that fails shows what it printed, and the steps after it run all the
//! same, so that one run shows everything. The last line sums up the tests.

mod steps;

use crate::{Command, child, failure::Failure, flags::Flags, postgres, print, tally::Tally};
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
    let mut skipped = Vec::new();
    for step in STEPS.iter().filter(|step| step.when <= when) {
        print::step(step.name, step.about);
        let began = Instant::now();
        let word = match perform(step, show, &mut tally) {
            Ok(Ended::Well) => "ok",
            Ok(Ended::Skipped(why)) => {
                print::line(&format!("    {why}"));
                skipped.push(step.name);
                "skipped"
            }
            Ok(Ended::Badly) => {
                failed.push(step.name);
                "FAILED"
            }
            Err(failure) => {
                print::line(&failure.to_string());
                failed.push(step.name);
                "FAILED"
            }
        };
        print::done(step.name, word, began.elapsed());
    }
    let seconds = started.elapsed().as_secs_f64();
    print::line(&format!("{}, {seconds:.0} s", outcome(&failed, &skipped)));
    // The summary is the last line of stdout, alone, for people and for CI.
    print::line(&summary(&tally, &skipped, postgres::is_left_out()));
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(Failure::new(format!("{} did not pass", failed.join(", ")))),
    }
}

/// Returns how the steps ended.
fn outcome(failed: &[&str], skipped: &[&str]) -> String {
    match (failed, skipped) {
        ([], []) => "every step is ok".to_owned(),
        ([], skipped) => format!("every step that ran is ok; skipped: {}", skipped.join(", ")),
        (failed, []) => format!("failed: {}", failed.join(", ")),
        (failed, skipped) => format!("failed: {}; skipped: {}", failed.join(", "), skipped.join(", ")),
    }
}

/// Returns the closing line: the tests, the steps that were skipped, and the tests that passed without a check.
fn summary(tally: &Tally, skipped: &[&str], without_postgres: bool) -> String {
    let mut line = tally.to_string();
    match skipped {
        [] => {}
        [one] => line.push_str(&format!(", 1 step skipped ({one})")),
        more => line.push_str(&format!(", {} steps skipped ({})", more.len(), more.join(", "))),
    }
    if without_postgres {
        line.push_str(", the tests on PostgreSQL left out");
    }
    line
}

/// The part of a step's output that is shown while it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    /// The results of test binaries; all of it where the step fails.
    Summaries,
    /// Each line.
    Everything,
}

/// The end of a step.
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
        if show == Show::Everything
            || result.is_some()
            || names_a_test_binary(line)
            || line.starts_with(print::FIGURE)
        {
            print::line(line);
        } else if !line.ends_with(" ... ok") {
            held.push(line.to_owned());
        }
    })?;
    if ok {
        return Ok(Ended::Well);
    }
    for line in held {
        print::line(&line);
    }
    Ok(Ended::Badly)
}

/// True for the lines with which cargo introduces a test binary.
fn names_a_test_binary(line: &str) -> bool {
    line.starts_with("     Running ") || line.starts_with("   Doc-tests ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_steps_are_in_the_last_lines() {
        assert_eq!(outcome(&[], &[]), "every step is ok");
        assert_eq!(outcome(&[], &["wasm"]), "every step that ran is ok; skipped: wasm");
        assert_eq!(outcome(&["test"], &["wasm", "nodes"]), "failed: test; skipped: wasm, nodes");
        let tally = Tally::read("test result: ok. 3 passed; 0 failed; 0 ignored").unwrap();
        assert_eq!(summary(&tally, &[], false), "3 passed, 0 failed");
        assert_eq!(summary(&tally, &["wasm"], false), "3 passed, 0 failed, 1 step skipped (wasm)");
        assert_eq!(
            summary(&tally, &["nodes", "wasm"], true),
            "3 passed, 0 failed, 2 steps skipped (nodes, wasm), the tests on PostgreSQL left out"
        );
    }
}
