//! `preface trust export`: the grants of this project as a file for `--trust-pins`.

use crate::{
    CommandFailure, CommandResult, Exit, TurnFlags, Ui, call::command, diagnostics, files, flags::pins,
};
use clap::ValueEnum;
use preface_core::{
    diagnostic::Diagnostics,
    lint::{character::escape_json, hidden::escape_hidden},
    trust::TrustMode,
};
use preface_engine::{
    Engine, TrustChoice, WriteScope,
    consent::pin_root,
    host::{
        system::System,
        trust::{PinPath, RootRecord},
    },
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface trust export > pins.json
  preface trust export --trust-pins pins.json > new.json
  preface build --trust require --trust-pins pins.json   in CI";

/// Print the grants of this project for `--trust-pins`
///
/// The file contains paths and digests, no text. `--trust-pins FILE` trusts these files.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format, which is always JSON
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: ExportFormat,

    /// Keep the pins of FILE for files that are not granted here
    ///
    /// Of a file that is granted here, the pins of its grants replace those of FILE. Files that no longer exist lose theirs. Of
    /// branches only those of FILE are kept, with the current one if its name needs a grant.
    #[arg(long, value_name = "FILE")]
    trust_pins: Option<PathBuf>,

    #[command(flatten)]
    turn: TurnFlags,
}

/// The formats of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// One JSON document
    #[default]
    Json,
}

/// Reads the store and prints.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let ExportFormat::Json = args.format;
    let base = pins(args.trust_pins.as_deref())?;
    let system = files::system();
    let engine = Engine::new(system).writing(WriteScope::Nothing);
    let built =
        engine.build(&preface_engine::BuildOptions { trust: TrustChoice::Deny, ..args.turn.request() })?;
    if built.mode == TrustMode::Whole {
        return Err(CommandFailure::new(format!(
            "the profile `{}` pins no texts; there is nothing to export",
            built.prompt.preset
        )));
    }
    let root = pin_root(system, &built.places.cwd);
    let mut problems = Diagnostics::new();
    let mut pins = engine.store(&built)?.for_project(&root).load(&mut problems).root(&root);
    if let Some(base) = base {
        let base = RootRecord::from_export(&base).map_err(|error| CommandFailure::new(error.to_string()))?;
        // A pin outside of the project is about the machine that exported it.
        let is_gone = |pin: &PinPath| {
            let path = pin.resolve(&root);
            path.starts_with(&root) && system.link_stat(&path).is_none()
        };
        let (mut merged, gone) = base.updated(&pins, is_gone);
        for path in gone {
            let path = escape_hidden(path.as_str());
            ui.eprint(&format!("warning: {path} does not exist any more and is not pinned\n"));
        }
        if let Some(branch) = engine.branch(&built)
            && branch.granted
            && (!branch.plain || merged.texts().next().is_none())
        {
            merged.add_branch(&branch.name);
        }
        pins = merged;
    }
    for (path, _) in pins.texts().filter(|(path, _)| !path.resolve(&root).starts_with(&root)) {
        let path = escape_hidden(path.as_str());
        ui.eprint(&format!(
            "warning: {path} is outside of the project: its pin has no effect on other machines\n"
        ));
    }
    ui.data(escape_json(pins.export()).as_bytes())?;
    if pins.texts().next().is_none() {
        let grant = command("trust grant");
        ui.eprint(&format!("warning: nothing is granted here, so no file is pinned\nhelp: review the files, then run {grant}\n"));
    }
    diagnostics::all(ui, &problems);
    Ok(Exit::Done)
}
