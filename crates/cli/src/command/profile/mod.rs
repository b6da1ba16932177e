//! `preface profile`: the profiles that define prompts.

mod copy;
mod show;

use crate::{CommandFailure, CommandResult, PlaceFlags, Ui, command::list::Preset};
use preface_core::{diagnostic::Remedy, suggestion::suggest_or};

const EXAMPLES: &str = "\
Examples:
  preface list presets
  preface profile show default           print the preset's TOML
  preface profile copy default mine      copy it to your own profiles
  preface build --preset mine";

/// Show the presets and your own profiles, and copy them
///
/// A profile is a TOML file that defines a prompt; a preset is a profile that ships with preface. A file in `profiles` of
/// your own configuration is selected by its name and overrides the preset of the same name.
#[derive(Debug, clap::Subcommand)]
#[command(after_long_help = EXAMPLES)]
pub enum Args {
    Copy(copy::Args),
    Show(show::Args),
}

/// Runs the subcommand.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    match args {
        Args::Copy(args) => copy::run(ui, args),
        Args::Show(args) => show::run(ui, args),
    }
}

/// Finds a preset by its name.
fn find(place: &PlaceFlags, name: &str) -> CommandResult<Preset> {
    let all = Preset::all(&place.request())?;
    let names: Vec<String> = all.iter().map(|preset| preset.name.clone()).collect();
    all.into_iter().find(|preset| preset.name == name).ok_or_else(|| {
        let help = suggest_or(name, names.iter().map(String::as_str), || Remedy::list("presets"));
        CommandFailure::usage(format!("unknown profile: `{}`", crate::ui::one_line(name))).help(help)
    })
}
