//! `preface completions`: what a shell needs to complete the command line.

use crate::{
    failure::{CommandFailure, Exit, words},
    ui::Ui,
};
use clap_complete::{Shell, env::Shells};

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

/// The variable by which the script asks the program.
pub const VARIABLE: &str = "COMPLETE";

/// Prints the script.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let name = args.shell.to_string();
    let shells = Shells::builtins();
    let shell =
        shells.completer(&name).ok_or_else(|| CommandFailure::new(format!("unknown shell: `{name}`")))?;
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "preface", "preface", "preface", &mut script)
        .map_err(|error| CommandFailure::new(format!("cannot write the script: {}", words(&error))))?;
    ui.data(&script)?;
    Ok(Exit::Done)
}
