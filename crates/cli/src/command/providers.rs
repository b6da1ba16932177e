//! `preface providers`: the model providers, and where each comes from.

use crate::{
    failure::{CommandFailure, Exit},
    scopes_view::{InactiveRows, ListingFlags, list},
    ui::Ui,
};
use preface::core::extension::Category;

const EXAMPLES: &str = "\
Examples:
  preface providers
  preface providers --all
  preface providers --format json | jq -r '.[].name'";

/// List the model providers
///
/// With its layer, its address, and what it hides. `--all` adds what is hidden, switched off, broken or held, and why.
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
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    list(ui, &args.listing, Category::Providers, InactiveRows::of_all(args.all))
}
