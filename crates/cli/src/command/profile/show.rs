//! `preface profile show`: the TOML of a profile.

use super::find;
use crate::{CommandResult, Exit, OutputFormat, PlaceFlags, Ui};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface profile show default
  preface profile show default > mine.toml";

/// Print the TOML of a preset or of your own profile
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// The name of the profile
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Prints it.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let preset = find(&args.place, &args.name)?;
    let text = preset.text()?;
    match args.format {
        OutputFormat::Text => ui.prompt(&text)?,
        OutputFormat::Json => ui.json(&json!({
            "name": preset.name,
            "scope": preset.scope,
            "path": preset.path,
            "description": preset.description,
            "text": text,
        }))?,
    }
    Ok(Exit::Done)
}
