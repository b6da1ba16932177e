//! `preface hooks`: the hooks in the order in which they run, and what they do to a conversation.

mod run;

use crate::{
    failure::{CommandFailure, Exit},
    scopes_view::{InactiveRows, ListingFlags, list},
    ui::Ui,
};
use preface::core::extension::Category;

const EXAMPLES: &str = "\
Examples:
  preface hooks
  preface hooks --all
  preface hooks --format json | jq -r '.[] | [.slot, .order, .name] | @tsv'
  preface hooks run --scenario chat.json --preset pi";

/// List the hooks, slot by slot, in the order in which they run
///
/// Below them stand the orders that an ordering.json rewrote. `--all` adds what is switched off, broken or held, and why.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    /// Show what is not active, too, and why
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    listing: ListingFlags,

    #[command(subcommand)]
    command: Option<HookSubcommand>,
}

/// What can be done with hooks beside listing them, by name.
#[derive(Debug, clap::Subcommand)]
#[command(defer = true)]
enum HookSubcommand {
    Run(run::Args),
}

/// Lists them, or does what is asked.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    match &args.command {
        None => list(ui, &args.listing, Category::Hooks, InactiveRows::of_all(args.all)),
        Some(HookSubcommand::Run(args)) => run::run(ui, args),
    }
}
