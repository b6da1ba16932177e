//! The `preface` command: parse, dispatch, exit code.
//!
//! A command is a file in `command/` with its arguments, its help and one function; [`command::Command`] is the list.
//! [`ui`] is the only printer.

mod advice;
mod ask;
mod command;
mod complete;
mod conversation;
mod conversation_prompt;
mod diagnostics;
mod events;
mod failure;
mod files;
mod flags;
mod json;
mod prompt_format;
mod roots;
mod scopes_view;
mod signals;
mod store;
mod stored_template;
mod subject;
mod ui;
mod usage;

use clap::{CommandFactory, Parser, error::ErrorKind};
use std::{ffi::OsString, process::ExitCode};

/// Builds the system prompt that an agent gets in a directory, and explains every byte of it.
///
/// Data goes to stdout, everything else to stderr.
#[derive(Debug, Parser)]
#[command(
    name = "preface",
    version,
    styles = ui::style::HELP,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = AFTER,
    after_long_help = AFTER_LONG,
)]
pub struct Cli {
    #[command(subcommand)]
    command: command::Command,
}

const AFTER: &str =
    "`preface help COMMAND` prints details and examples; `preface --help` lists every command.";

const AFTER_LONG: &str = "\
Examples:
  preface build                     print the prompt for this directory
  preface explain ../api            show where each part of a prompt comes from
  preface trust grant               trust the files of this project
  preface list                      show what is active and what is left out
  preface build --format json | jq .tokens

Other commands:
  completions    print the completions of a shell
  man            print the manual page

Exit codes:
  0  done
  1  failed, or the texts differ (`diff --exit-code`)
  2  wrong usage
  3  a project file is not trusted (`--trust require`)
  4  lint found errors, or what `--deny` names
  5  over budget
  6  the prompt is not made of what the lock file records (`build --locked`)
  129, 130, 143  ended by a signal; servers and hooks end with it

The flags -q and -v work with every command; -C DIR and --trust-home with those
that work in a directory. All of them work before and after the command.

Environment:
  PREFACE_HOME   the directory of your own configuration
  PREFACE_STORE  the address of the store of templates and conversations
  NO_COLOR       print no colors; CLICOLOR_FORCE=1 prints them in a pipe

Words are explained in docs/glossary.md.";

fn main() -> ExitCode {
    command::completions::answer();
    let mut words = usage::arguments();
    let mut ui = ui::Ui::new().with_json_errors(usage::wants_json(&words));
    let (parsed, quiet) = usage::parse(&mut words, |words: &[OsString]| Cli::try_parse_from(words));
    if quiet {
        ui = ui.quiet();
    }
    let exit = match parsed {
        Ok(cli) => cli.command.run(&ui).unwrap_or_else(|failure| failure.report(&ui)),
        Err(version) if version.kind() == ErrorKind::DisplayVersion => usage::report(&version, &ui),
        // Help and advice are about all commands: they are worked out now.
        Err(first) => {
            let mut command = Cli::command();
            command.build();
            let error = command.try_get_matches_from(&words).err().unwrap_or(first);
            let exit = usage::report(&error, &ui);
            let refused = exit != failure::Exit::Done;
            // An agent must not be stopped by a hook with a wrong flag.
            refused.then(|| command::without_answer(&ui, &words)).flatten().unwrap_or(exit)
        }
    };
    ExitCode::from(exit as u8)
}
