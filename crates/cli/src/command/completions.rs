//! `preface completions`: what a shell needs to complete the command line.

use crate::{
    Cli,
    failure::{Exit, Failure},
    ui::Ui,
};
use clap::CommandFactory;
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  preface completions bash > ~/.local/share/bash-completion/completions/preface
  preface completions zsh > ~/.zfunc/_preface
  preface completions fish > ~/.config/fish/completions/preface.fish";

/// Print the completions for a shell
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "preface", &mut script);
    ui.data(&script)?;
    Ok(Exit::Done)
}
