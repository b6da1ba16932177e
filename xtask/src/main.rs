//! The chores of this repository: `cargo xtask COMMAND`.
//!
//! One command is one file with a `COMMAND` of its own and one line in [`COMMANDS`]. What a command needs to run other
//! programs stands in `child` and `tool`; `print` is the only file that prints.

mod api;
mod bench;
mod child;
mod crash;
mod debian;
mod docs;
mod failure;
mod flags;
mod frameworks;
mod mcp;
mod mcp_serve;
mod node;
mod nodes;
mod npm;
mod packages;
mod peers;
mod postgres;
mod print;
mod props;
mod python;
mod real;
mod release;
mod requests;
mod tally;
mod test;
mod tool;
mod web;

use failure::Failure;
use std::{env, process::ExitCode};

/// One chore.
struct Command {
    /// The name.
    name: &'static str,
    /// The arguments.
    usage: &'static str,
    /// A description in one sentence.
    about: &'static str,
    /// The chore.
    run: fn(&[String]) -> Result<(), Failure>,
}

/// The chores, by name.
const COMMANDS: &[Command] = &[
    api::COMMAND,
    bench::COMMAND,
    crash::COMMAND,
    docs::COMMAND,
    frameworks::COMMAND,
    mcp::COMMAND,
    mcp_serve::COMMAND,
    node::COMMAND,
    nodes::COMMAND,
    peers::COMMAND,
    props::COMMAND,
    python::COMMAND,
    real::COMMAND,
    release::COMMAND,
    requests::COMMAND,
    test::COMMAND,
    web::COMMAND,
];

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let Some((name, rest)) = words.split_first() else {
        print::text(&help());
        return ExitCode::SUCCESS;
    };
    if matches!(name.as_str(), "help" | "-h" | "--help") {
        print::text(&help());
        return ExitCode::SUCCESS;
    }
    let wants_help = rest.iter().any(|word| matches!(word.as_str(), "-h" | "--help"));
    let result = match find(name) {
        Some(Command { usage, about, .. }) if wants_help => {
            print::text(&format!("{about}\n\nUsage: cargo xtask {name} {usage}\n"));
            Ok(())
        }
        Some(command) => (command.run)(rest),
        None => {
            Err(Failure::usage(format!("unknown command: `{name}`")).help("`cargo xtask help` lists them"))
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            print::failure(&failure);
            failure.exit_code()
        }
    }
}

/// Returns the chore of this name.
fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

fn help() -> String {
    let mut text = String::from("cargo xtask COMMAND\n\n");
    for Command { name, usage, about, .. } in COMMANDS {
        text += &format!("  {:<34} {about}\n", format!("{name} {usage}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_has_each_name_once() {
        assert!(COMMANDS.is_sorted_by(|a, b| a.name < b.name), "COMMANDS must stay sorted by name");
    }

    #[test]
    fn every_command_stands_in_the_justfile() {
        let justfile = include_str!("../../justfile");
        for Command { name, .. } in COMMANDS {
            let call = format!("cargo xtask {name}");
            assert!(justfile.contains(&call), "the justfile lists what a contributor needs: add `{call}`");
        }
    }

    #[test]
    fn ci_runs_the_test_command_in_full() {
        let script = include_str!("../../.ci/run");
        let last = script.lines().rfind(|line| !line.is_empty());
        assert_eq!(
            last,
            Some("cargo xtask test --all"),
            "CI runs what README lists for a contributor, with `--all`"
        );
    }

    #[test]
    fn help_has_a_line_for_each_command() {
        let text = help();
        for Command { name, about, .. } in COMMANDS {
            assert!(text.contains(about), "`{name}` is missing from the help");
            assert!(about.ends_with('.'), "the sentence of `{name}` ends with a period");
        }
    }
}
