//! The `preface` command: parse, dispatch, exit code.
//!
//! A command is a file in `command/` with its arguments, its help and one function; [`command::Command`] is the list.
//! [`ui`] is the only printer.

mod advice;
mod ask;
mod command;
mod conversation;
mod events;
mod failure;
mod files;
mod flags;
mod kept;
mod notes;
mod roots;
mod scopes_view;
mod signals;
mod store;
mod stored_template;
mod subject;
mod ui;
mod usage;

use clap::{CommandFactory, Parser, error::ErrorKind};
use std::process::ExitCode;

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

const AFTER: &str = "`preface COMMAND --help` has examples.";

const AFTER_LONG: &str = "\
Examples:
  preface build                     print the prompt for this directory
  preface explain                   say where each part of it comes from
  preface trust grant               let this project's text speak
  preface build --format json | jq .tokens

Exit codes:
  0  done
  1  failed
  2  wrong usage
  3  held for trust (`--trust require`)
  4  lint found errors
  5  over budget
  129, 130, 143  ended by a signal; servers and hooks end with it

Environment:
  PREFACE_HOME   the directory with your own files, in place of the platform's
  PREFACE_STORE  where templates and conversations are kept
  NO_COLOR       no colours; CLICOLOR_FORCE=1 keeps them in a pipe";

fn main() -> ExitCode {
    let ui = ui::Ui::new();
    let words = usage::arguments();
    let exit = match Cli::try_parse_from(&words) {
        Ok(cli) => cli.command.run(&ui).unwrap_or_else(|failure| failure.report(&ui)),
        Err(version) if version.kind() == ErrorKind::DisplayVersion => usage::report(&version, &ui),
        // Help and advice are about all commands: they are worked out now.
        Err(first) => {
            let mut command = Cli::command();
            command.build();
            let error = command.try_get_matches_from(&words).err().unwrap_or(first);
            usage::report(&error, &ui)
        }
    };
    ExitCode::from(exit as u8)
}
