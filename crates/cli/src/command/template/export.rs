//! `preface template export`: all templates as one document.

use crate::{
    failure::{Exit, Failure},
    store::StoreFlag,
    ui::Ui,
};
use preface::templates::{self, Document, FORMAT};

const EXAMPLES: &str = "\
Examples:
  preface template export > templates.json
  preface template export | preface template import - --store sqlite:other.db";

/// Print all templates with all their versions as one JSON document
///
/// `preface template import` and the service take it in elsewhere.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    store: StoreFlag,
}

/// Reads and prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let found = args.store.look(async |store| Ok(templates::export(&*store).await?))?;
    let nothing = || Document { format: FORMAT.to_owned(), templates: Vec::new() };
    ui.json(&found.unwrap_or_else(nothing))?;
    Ok(Exit::Done)
}
