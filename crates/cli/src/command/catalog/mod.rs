//! `preface catalog`: prompt catalogs, imported from a directory.

mod delete;
mod import;
mod list;
mod show;

use crate::{
    CommandResult, files,
    ui::{Ui, number},
};
use preface_core::catalog::CatalogEntry;
use preface_engine::host::places::{HomeTrust, user_state};
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  preface catalog import ~/prompts          import the catalog in a directory
  preface catalog list                      all catalogs
  preface catalog list 2.1.37               the prompts of one
  preface catalog show 2.1.37 'Tool Description: Glob'";

/// Import prompt catalogs and look at them
///
/// A catalog is a directory with a README.md and a directory `system-prompts`, as public catalogs of prompts have them. It is
/// read and converted to templates once, and kept in your own state directory; nothing of it is run. A profile pins the catalog that it
/// uses by version and digest.
#[derive(Debug, clap::Subcommand)]
#[command(after_long_help = EXAMPLES)]
pub enum Args {
    Delete(delete::Args),
    Import(import::Args),
    List(list::Args),
    Show(show::Args),
}

/// Runs the subcommand.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    user_state(files::system(), &files::absolute(Path::new("."))?, HomeTrust::OutsideProject)?;
    match args {
        Args::Import(args) => import::run(ui, args),
        Args::List(args) => list::run(ui, args),
        Args::Delete(args) => delete::run(ui, args),
        Args::Show(args) => show::run(ui, args),
    }
}

/// True for a prompt of this category, whatever its case; its files' prefix counts, too.
fn is_of(entry: &CatalogEntry, category: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace([' ', '_'], "-");
    plain(entry.category()) == plain(category)
}

/// Formats a number of tokens, or `-`.
fn format_tokens(tokens: Option<usize>) -> String {
    tokens.map_or_else(|| "-".to_owned(), number)
}
