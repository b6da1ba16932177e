//! `cargo xtask release`: the program as it is shipped, `target/dist/preface`, with the editor in it.
//!
//! On Linux with glibc it is linked statically (and still as a position-independent executable). A build takes about two
//! milliseconds, and half of that would be the dynamic linker and the page faults that it causes. preface looks up no
//! host or user names, which is what a static glibc is bad at.

use crate::{Command, child, failure::Failure, flags::Flags, web};

pub const COMMAND: Command = Command {
    name: "release",
    usage: "",
    about: "Builds the program as it is shipped: target/dist/preface.",
    run,
};

fn run(words: &[String]) -> Result<(), Failure> {
    let mut flags = Flags::new("release", words);
    if let Some(word) = flags.next() {
        return Err(flags.unknown(word));
    }
    build()
}

/// Builds it; `bench` measures the same binary.
pub fn build() -> Result<(), Failure> {
    web::for_release()?;
    let mut words = vec!["rustc", "--profile", "dist", "--package", "preface-cli", "--bin", "preface"];
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        words.extend(["--", "-C", "target-feature=+crt-static"]);
    }
    child::run(child::cargo(&words))
}
