//! The only printer of the chores. Results go to stdout, failures to stderr, both unbuffered by the line.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use crate::failure::Failure;
use std::{
    fs,
    io::{self, Write, stdout},
    path::Path,
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

/// Prints the size of a file as a figure.
///
/// # Errors
/// The file cannot be read.
pub fn size(file: &Path) -> io::Result<()> {
    let bytes = fs::metadata(file)?.len();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let (size, unit) = if bytes < 1_000_000 { (1e3, "kB") } else { (1e6, "MB") };
    figure(&format!("{name}: {:.1} {unit}", bytes as f64 / size));
    Ok(())
}

/// The start of such a line.
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
