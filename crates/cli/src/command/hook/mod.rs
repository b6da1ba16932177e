//! `preface hook`: the hooks of agents.

pub mod answer;

use crate::{CommandResult, Ui};

const EXAMPLES: &str = "\
Examples:
  preface hook answer --for claude    answer a hook of an agent
  preface list hooks                  list the hooks in their order";

/// Answer the hooks of an agent
#[derive(Debug, clap::Subcommand)]
#[command(after_long_help = EXAMPLES)]
pub enum Args {
    Answer(answer::Args),
}

/// Runs the subcommand.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    match args {
        Args::Answer(args) => Ok(answer::run(ui, args)),
    }
}
