//! `preface profile list`: the presets and your own profiles.

use crate::{
    command::list::{Preset, show_presets},
    failure::{CommandFailure, Exit},
    flags::{OutputFormat, PlaceFlags},
    ui::Ui,
};

const EXAMPLES: &str = "\
Examples:
  preface profile list
  preface profile list --format json | jq -r '.entries[].name'";

/// List the presets and your own profiles
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Lists them.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    show_presets(ui, &Preset::all(&args.place.request())?, args.format)
}
