//! `preface completions`: what a shell needs to complete the command line.

use crate::{Cli, CommandFailure, CommandResult, Exit, Ui, complete};
use clap::{Arg, ArgAction, CommandFactory};
use clap_complete::{CompleteEnv, Shell, env::Shells};
use std::env;

const EXAMPLES: &str = "\
Examples:
  preface completions bash > ~/.local/share/bash-completion/completions/preface
  preface completions zsh > ~/.zfunc/_preface
  preface completions fish > ~/.config/fish/completions/preface.fish";

/// Print the completion script of a shell
///
/// The script calls `preface` for the values: presets, agents, tools, variables, templates, labels and conversations of the
/// current directory and store.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// The environment variable of the script's calls.
const VARIABLE: &str = "COMPLETE";

/// Prints the suggestions and ends the process if the script of a shell runs it.
pub fn answer() {
    if env::var_os(VARIABLE).is_none() {
        return;
    }
    // Values are those of the directory that the command line names. If it cannot be entered, there are no suggestions of it.
    if let Some(dir) = complete::named("-C") {
        let _ = env::set_current_dir(dir);
    }
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

/// Returns the command line with the flags that are accepted before a command.
fn command() -> clap::Command {
    let flag = |id: &'static str| Arg::new(id).long(id).action(ArgAction::SetTrue).hide(true);
    let mut command = Cli::command().args([
        Arg::new("cwd").short('C').value_hint(clap::ValueHint::DirPath).hide(true),
        flag("trust-home"),
    ]);
    // The arguments of commands are added when it is built.
    command.build();
    complete::plain_paths(command)
}

/// Prints the script.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let name = args.shell.to_string();
    let shells = Shells::builtins();
    let shell =
        shells.completer(&name).ok_or_else(|| CommandFailure::new(format!("unknown shell: `{name}`")))?;
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "preface", "preface", "preface", &mut script)
        .map_err(|error| CommandFailure::cannot("write the script", &error))?;
    ui.data(&script)?;
    Ok(Exit::Done)
}
