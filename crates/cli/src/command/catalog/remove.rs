//! `preface catalog remove`: forgets a catalog.

use crate::{
    failure::{CommandFailure, Exit},
    files, notes,
    ui::Ui,
};
use preface::catalogs;

const EXAMPLES: &str = "\
Examples:
  preface catalog remove 2.1.37";

/// Forget a catalog
///
/// What was imported goes; the directory that it came from stays. A profile that pins it says so at its next build.
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
    ui.say(&format!("The catalog {} is not kept any more.\n", args.version));
    Ok(Exit::Done)
}
