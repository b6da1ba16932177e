//! `cargo xtask api`: tries the HTTP service as others do: against its own description, and through clients made from it.
//!
//! The built program is started with a store, a home and a root of its own. schemathesis sends it what the description
//! allows and what it forbids, and holds each answer to it. Then clients that others' generators make from the description
//! play a story: one in Python, one in TypeScript. What is generated lies below cargo's target directory and is not
//! committed; what is installed lies there too, in exact versions.

mod conformance;
mod install;
mod python;
mod service;
mod typescript;

use crate::{Command, child, failure::Failure, flags::Flags};
pub use service::Service;
use std::path::PathBuf;

pub const COMMAND: Command = Command {
    name: "api",
    usage: "[conformance|clients] [--seconds N] [--seed N] [--binary PATH]",
    about: "Tries the service against its own OpenAPI document, and through clients made from it.",
    run,
};

/// The default time limit of schemathesis.
const SECONDS: usize = 60;
/// The default seed.
const SEED: usize = 7677;

/// The arguments.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    part: Part,
    seconds: usize,
    seed: usize,
    binary: Option<PathBuf>,
}

/// The part to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    All,
    Conformance,
    Clients,
}

fn run(words: &[String]) -> Result<(), Failure> {
    let wanted = parse(words)?;
    let binary = match wanted.binary {
        Some(binary) => binary,
        None => child::debug_binary()?,
    };
    let python = install::python()?;
    if wanted.part != Part::Clients {
        conformance::run(&Service::start(&binary)?, &python, wanted.seconds, wanted.seed)?;
    }
    if wanted.part != Part::Conformance {
        // A story starts where nothing is stored yet.
        python::run(&Service::start(&binary)?, &python)?;
        typescript::run(&Service::start(&binary)?, &install::node()?)?;
    }
    Ok(())
}

fn parse(words: &[String]) -> Result<Options, Failure> {
    let mut wanted = Options { part: Part::All, seconds: SECONDS, seed: SEED, binary: None };
    let mut flags = Flags::new("api [conformance|clients] [--seconds N] [--seed N] [--binary PATH]", words);
    while let Some(word) = flags.next() {
        match word {
            "conformance" => wanted.part = Part::Conformance,
            "clients" => wanted.part = Part::Clients,
            "--seconds" => wanted.seconds = flags.number(word)?,
            "--seed" => wanted.seed = flags.number(word)?,
            "--binary" => {
                let path = flags.next().unwrap_or_default();
                wanted.binary = match std::path::absolute(path) {
                    Ok(path) if path.is_file() => Some(path),
                    _ => return Err(Failure::usage(format!("not a program: `{path}`"))),
                };
            }
            _ => return Err(flags.unknown(word)),
        }
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Options, Failure> {
        parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_parsed() {
        let all = Options { part: Part::All, seconds: SECONDS, seed: SEED, binary: None };
        assert_eq!(read(&[]), Ok(all));
        let long = Options { part: Part::Conformance, seconds: 600, seed: 3, binary: None };
        assert_eq!(read(&["conformance", "--seconds", "600", "--seed", "3"]), Ok(long));
        assert_eq!(read(&["clients"]).map(|wanted| wanted.part), Ok(Part::Clients));
    }

    #[test]
    fn invalid_arguments_are_refused() {
        for (words, why) in [
            (&["other"][..], "unexpected argument: `other`"),
            (&["--seconds"], "`--seconds` takes a number above zero: ``"),
            (&["--seconds", "0"], "`--seconds` takes a number above zero: `0`"),
            (&["--binary", "/no/such"], "not a program: `/no/such`"),
        ] {
            let failure = read(words).unwrap_err().to_string();
            assert_eq!(failure.lines().next(), Some(format!("error: {why}").as_str()), "{words:?}");
        }
    }
}
