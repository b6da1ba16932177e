//! `preface catalog delete`: forgets a catalog.

use crate::{
    failure::{CommandFailure, Exit},
    files, notes,
    ui::Ui,
};
use preface::catalogs;

const EXAMPLES: &str = "\
Examples:
  preface catalog delete 2.1.37";

/// Delete a catalog
///
/// The import is deleted; its source directory stays. A profile that pins the catalog warns at its next build.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The version
    #[arg(value_name = "VERSION")]
    version: String,
}

/// Removes it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let mut told = Vec::new();
    catalogs::remove(&files::system(), &args.version, &mut told)?;
    notes::all(ui, &told);
    ui.say(&format!("The catalog {} is deleted.\n", args.version));
    Ok(Exit::Done)
}
