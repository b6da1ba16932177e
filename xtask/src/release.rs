//! `cargo xtask release`: the program as it is shipped, `target/dist/preface`, with the editor in it, and the packages of it in
//! `target/release-files`. `--program FILE` packs another one.
//!
//! On Linux with glibc it is linked statically (and still as a position-independent executable). A build takes about two
//! milliseconds, and half of that would be the dynamic linker and the page faults that it causes. preface looks up no
//! host or user names, which is what a static glibc is bad at.

mod package;

use crate::{Command, child, failure::Failure, flags::Flags, print, web};
use std::{env, path::PathBuf};

pub const COMMAND: Command = Command {
    name: "release",
    usage: "[--program FILE]",
    about: "Builds the program as it is shipped, and packs it: archive, Debian package, checksums in target/release-files.",
    run,
};

fn run(words: &[String]) -> Result<(), Failure> {
    let mut flags = Flags::new("release [--program FILE]", words);
    let mut program = None;
    while let Some(word) = flags.next() {
        match word {
            "--program" => {
                let file = flags.next().ok_or_else(|| Failure::usage("`--program` takes a file"))?;
                program = Some(PathBuf::from(file));
            }
            _ => return Err(flags.unknown(word)),
        }
    }
    let program = program.map_or_else(build, Ok)?;
    for file in package::pack(&program, &child::target().join("release-files"))? {
        print::line(&file.display().to_string());
    }
    Ok(())
}

/// The name of cargo's profile, and further options of the compiler.
pub const PROFILE: &str = "dist";
pub const COMPILER_WORDS: &[&str] = match cfg!(all(target_os = "linux", target_env = "gnu")) {
    true => &["--", "-C", "target-feature=+crt-static"],
    false => &[],
};

/// Builds it and returns its path; `bench` measures the same binary, and the packages have it.
///
/// # Errors
/// It does not build.
pub fn build() -> Result<PathBuf, Failure> {
    web::for_release()?;
    let mut words = vec!["rustc", "--profile", PROFILE, "--package", "preface-cli", "--bin", "preface"];
    words.extend(COMPILER_WORDS);
    child::run(child::cargo(&words))?;
    Ok(child::target().join(PROFILE).join(format!("preface{}", env::consts::EXE_SUFFIX)))
}
