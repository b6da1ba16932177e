//! `cargo xtask bench`: measures preface side by side with what it is compared to.
//!
//! The measurements are package `preface-bench` (`bench/`), so that this one stays small. Both sides of a ratio are
//! taken in one interleaved run, on code that is built as it is shipped.

use crate::{Command, child, failure::Failure, flags::Flags, release};

pub const COMMAND: Command = Command {
    name: "bench",
    usage: "[NAME…] [--rounds N]",
    about: "Measures preface beside its bars: median, spread, ratio, pass or MISS.",
    run,
};

fn run(words: &[String]) -> Result<(), Failure> {
    let mut flags = Flags::new("bench [NAME…] [--rounds N]", words);
    while let Some(word) = flags.next() {
        match word {
            "--rounds" => _ = flags.number(word)?,
            _ if word.starts_with('-') => return Err(flags.unknown(word)),
            _ => {}
        }
    }
    // One after the other: built together, the bench's features would leak into the binary that is measured.
    release::build()?;
    let mut command = child::cargo(&["run", "--profile", "dist", "--package", "preface-bench", "--"]);
    command.args(words);
    child::run(command)
}
