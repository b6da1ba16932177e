//! `cargo xtask crash`: kills writers in the middle of their work, many times, and looks at what they left.
//!
//! The rounds themselves are tests named `killed…` in `preface-host` (files, the trust store) and `preface-cli` (the
//! program itself, at its scaffold and its grants), which run a few of them in the ordinary suite. This chore runs as many as requested, on optimised code.

use crate::{Command, child, failure::Failure, flags::Flags};

pub const COMMAND: Command = Command {
    name: "crash",
    usage: "[--rounds N]",
    about: "Kills writers N times (500) and checks what is left on the disk.",
    run,
};

/// The default number of rounds.
const ROUNDS: usize = 500;

fn run(words: &[String]) -> Result<(), Failure> {
    let mut rounds = ROUNDS;
    let mut flags = Flags::new("crash [--rounds N]", words);
    while let Some(word) = flags.next() {
        match word {
            "--rounds" => rounds = flags.number(word)?,
            _ => return Err(flags.unknown(word)),
        }
    }
    let mut command = child::cargo(&[
        "test",
        "--release",
        "--package",
        "preface-host",
        "--package",
        "preface-cli",
        "--tests",
        "killed",
    ]);
    command.args(["--", "--nocapture", "--test-threads=1"]).env("PREFACE_CRASH_ROUNDS", rounds.to_string());
    child::run(command)
}
