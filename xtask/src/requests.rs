//! `cargo xtask requests`: request bodies are validated with the types of the vendors' SDKs for Python, and the same SDKs
//! for Python and TypeScript send twenty turns of them to an endpoint on loopback.
//!
//! The bodies are the golden ones of `crates/core/tests/requests` and random ones, which the example `request_bodies` of
//! `preface-testkit` prints. The schemas are derived from the SDKs each time and are in no repository: they change weekly.

use crate::{
    Command, child,
    failure::Failure,
    flags::Flags,
    packages::{self, Node, Python},
};
use std::{
    path::Path,
    process::{self, Stdio},
};

pub const COMMAND: Command = Command {
    name: "requests",
    usage: "[--count N]",
    about: "Validates request bodies with the SDKs of Anthropic, OpenAI, Google and AWS.",
    run,
};

const PACKAGES: Python<'_> = Python {
    names: "the SDKs of four vendors",
    requirements: include_str!("requests/requirements.txt"),
    file: "xtask/src/requests/requirements.txt",
};

const MODULES: Node<'_> = Node {
    names: "the SDKs of four vendors for TypeScript",
    package: include_str!("requests/typescript/package.json"),
    lock: include_str!("requests/typescript/package-lock.json"),
    file: "xtask/src/requests/typescript/package.json",
};

const CHECK: &str = "xtask/src/requests/check.py";
const CLIENTS: &str = "xtask/src/requests/clients.py";

/// The random bodies of each format.
const COUNT: &str = "2000";

fn run(words: &[String]) -> Result<(), Failure> {
    let mut count = COUNT.to_owned();
    let mut flags = Flags::new("requests [--count N]", words);
    while let Some(word) = flags.next() {
        match word {
            "--count" => {
                let text = flags.next().unwrap_or_default();
                if text.parse::<u32>().is_err() {
                    return Err(Failure::usage(format!("not a number: `{text}`")));
                }
                text.clone_into(&mut count);
            }
            _ => return Err(flags.unknown(word)),
        }
    }
    let python = PACKAGES.ensure(&child::target().join("requests"))?;
    let cannot =
        |what: &str, error: &std::io::Error| Failure::new(format!("{what} cannot be started: {error}"));
    let words =
        ["run", "--quiet", "--package", "preface-testkit", "--example", "request_bodies", "--", &count];
    let mut bodies = child::cargo(&words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| cannot("the example `request_bodies`", &error))?;
    let mut check = process::Command::new(&python);
    check.arg(child::root().join(CHECK)).env("PYTHONDONTWRITEBYTECODE", "1");
    if let Some(printed) = bodies.stdout.take() {
        check.stdin(printed);
    }
    let checked = check.status().map_err(|error| cannot("Python", &error))?;
    let made = bodies.wait().map_err(|error| cannot("the example `request_bodies`", &error))?;
    match (made.success(), checked.success()) {
        (true, true) => clients(&python),
        (false, _) => Err(Failure::new("a body breaks a rule; the example `request_bodies` printed which")),
        (true, false) => {
            Err(Failure::new("a body is not what a service reads, or a planted error was not found"))
        }
    }
}

/// Lets the SDKs send what the program prints.
fn clients(python: &Path) -> Result<(), Failure> {
    let modules = child::target().join("requests-typescript");
    MODULES.ensure(&modules)?;
    packages::write(&modules.join("send.js"), include_str!("requests/typescript/send.js"))?;
    let program = child::debug_binary()?;
    let mut clients = process::Command::new(python);
    clients.arg(child::root().join(CLIENTS)).arg(program).arg(modules).env("PYTHONDONTWRITEBYTECODE", "1");
    child::run(clients)
}
