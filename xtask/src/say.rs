//! The only printer of the chores. Results go to stdout, failures to stderr, both unbuffered by the line.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use crate::failure::Failure;
use std::{
    io::{Write, stdout},
    time::Duration,
};

/// Prints a line.
pub fn line(text: &str) {
    println!("{text}");
}

/// Prints a text that ends its own lines.
pub fn text(text: &str) {
    print!("{text}");
    // A reader that went away has seen enough.
    _ = stdout().flush();
}

/// Prints a line that `cargo xtask test` shows, too: what was counted or played.
pub fn figure(text: &str) {
    println!("{FIGURE}{text}");
}

/// How such a line starts.
pub const FIGURE: &str = "  | ";

/// Prints the start of a step.
pub fn step(name: &str, about: &str) {
    println!("==> {name}: {about}");
}

/// Prints the end of a step.
pub fn done(name: &str, word: &str, took: Duration) {
    println!("<== {name}: {word} in {:.1} s", took.as_secs_f64());
}

/// Prints a failure.
pub fn failure(failure: &Failure) {
    eprintln!("{failure}");
}
