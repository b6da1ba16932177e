//! `preface hook`: the hooks of a conversation.

mod run;

use crate::{
    failure::{CommandFailure, Exit},
    ui::Ui,
};

const EXAMPLES: &str = "\
Examples:
  preface hook run --scenario chat.json --preset pi
  preface list hooks                  list the hooks in their order";

/// Run the hooks of a scenario
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: HookCommand,
}

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
#[command(defer = true)]
enum HookCommand {
    Run(run::Args),
}

/// Runs the subcommand.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    match &args.command {
        HookCommand::Run(args) => run::run(ui, args),
    }
}
