//! `preface hooks`: the hooks in the order in which they run.

use crate::{
    failure::{Exit, Failure},
    scopes_view::{Inactive, ListingFlags, list},
    ui::Ui,
};
use preface::core::extension::Category;

const EXAMPLES: &str = "\
Examples:
  preface hooks
  preface hooks --all
  preface hooks --format json | jq -r '.[] | [.slot, .order, .name] | @tsv'";

/// List the hooks, slot by slot, in the order in which they run
///
/// Below them stand the orders that an ordering.json rewrote. `--all` adds what is switched off, broken or held, and why.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Show what is not active, too, and why
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    listing: ListingFlags,
}

/// Lists them.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    list(ui, &args.listing, Category::Hooks, Inactive::of_all(args.all))
}
