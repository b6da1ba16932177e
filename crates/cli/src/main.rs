//! The `preface` command: parse, dispatch, exit code.
//!
//! A command is a file in `command/` with its arguments, its help and one function; [`command::Command`] is the list.
//! [`ui`] is the only printer.

mod ask;
mod call;
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

// What most commands need.
use failure::{CommandFailure, CommandResult, Exit};
use flags::{DirectoryArgument, OutputFormat, PlaceFlags, TrustFlags, TurnFlags};
use json::ListDocument;
use store::StoreFlag;
use stored_template::TemplateFlags;
use subject::{InteractionMode, Subject, SubjectFlags};
use ui::Ui;

use clap::{CommandFactory, FromArgMatches, Parser};
use std::{ffi::OsString, process::ExitCode};

/// Shows what an agent is really given (`preface capture claude`), and builds the system prompt of your own (`preface build`), with the
/// source of every byte.
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
    #[command(flatten)]
    verbosity: flags::VerbosityFlags,

    #[command(subcommand)]
    command: command::Command,
}

const AFTER: &str =
    "`preface help COMMAND` prints details and examples; `preface --help` lists every command.";

const AFTER_LONG: &str = "\
Examples:
  preface capture claude            see what your agent is given
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
    let words = arguments();
    let ui = Ui::new().with_json_errors(wants_json(&words));
    let exit = match Cli::command().try_get_matches_from(&words).and_then(|arguments| {
        call::set_arguments(Cli::command, &arguments);
        Cli::from_arg_matches(&arguments)
    }) {
        Ok(cli) => {
            let ui = ui.with_verbosity(cli.verbosity.into());
            cli.command.run(&ui).unwrap_or_else(|failure| failure.report(&ui))
        }
        Err(error) => {
            let exit = report(&error, &ui);
            let refused = exit != Exit::Done;
            // An agent must not be stopped by a hook with a wrong flag.
            refused.then(|| command::without_answer(&ui, &words)).flatten().unwrap_or(exit)
        }
    };
    ExitCode::from(exit as u8)
}

/// Returns whether `--format json` is given, so that an error is written in the same form.
fn wants_json(words: &[OsString]) -> bool {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let flags = &words[..end];
    flags.iter().any(|word| word == "--format=json")
        || flags.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
}

/// Returns the arguments of this process: `help COMMAND` is `COMMAND --help`, and `-C DIR` and `--trust-home` before a command
/// belong to it.
fn arguments() -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    let mut first = 1;
    while let Some(word) =
        words.get(first).and_then(|word| word.to_str()).filter(|word| word.starts_with('-'))
    {
        first += if word == "-C" { 2 } else { 1 };
    }
    let is_moved = |word: &OsString| word.as_encoded_bytes().starts_with(b"-C") || word == "--trust-home";
    if first < words.len() && words[1..first].iter().any(is_moved) {
        let flags: Vec<OsString> = words.drain(1..first).collect();
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.splice(end..end, flags);
    }
    words
}

/// Prints the help that was asked for, or why the arguments are wrong.
fn report(error: &clap::Error, ui: &Ui) -> Exit {
    let text = error.render();
    if !error.use_stderr() {
        return ui.view(&text.ansi().to_string()).map_or_else(|failure| failure.report(ui), |()| Exit::Done);
    }
    if ui.has_json_errors() {
        let text = text.to_string();
        let (message, help) = text.split_once("\n\n").unwrap_or((&text, ""));
        let message = message.strip_prefix("error: ").unwrap_or(message);
        return CommandFailure::usage(message).help(help.trim()).report(ui);
    }
    ui.eprint(&text.ansi().to_string());
    Exit::Usage
}
