//! `preface profile show`: the TOML of a profile.

use super::find;
use crate::{
    failure::{CommandFailure, Exit},
    flags::PlaceFlags,
    ui::Ui,
};

const EXAMPLES: &str = "\
Examples:
  preface profile show default
  preface profile show default > mine.toml";

/// Print the TOML of a preset or of your own profile
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The name of the profile
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Prints it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    ui.prompt(&find(&args.place, &args.name)?.text()?)?;
    Ok(Exit::Done)
}
