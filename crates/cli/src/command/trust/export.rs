//! `preface trust export`: the grants of this project as a file for `--trust-pins`.

use crate::{
    advice::complete,
    failure::{CommandFailure, Exit},
    files,
    flags::TurnFlags,
    notes,
    ui::Ui,
};
use preface_engine::{
    Engine, TrustChoice, WriteScope,
    consent::pin_root,
    core::{diagnostic::Diagnostics, lint::character::escape_json, trust::TrustMode},
};

const EXAMPLES: &str = "\
Examples:
  preface trust export > trust-pins.json
  preface build --trust require --trust-pins trust-pins.json   in CI";

/// Print the grants of this project for `--trust-pins`
///
/// The file contains paths and digests, no text. `--trust-pins FILE` trusts these files.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    turn: TurnFlags,
}

/// Reads the store and prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let engine = Engine::new(&system).writing(WriteScope::Nothing);
    let built = engine.build(&preface_engine::Request { trust: TrustChoice::Deny, ..args.turn.request() })?;
    if built.mode != TrustMode::Pinned {
        return Err(CommandFailure::new(format!(
            "the profile `{}` pins no texts; there is nothing to export",
            built.prompt.preset
        )));
    }
    let (root, repository) = pin_root(&system, &built.places.cwd);
    let mut problems = Diagnostics::new();
    let pins =
        engine.store(&built)?.for_project(&root).load(&mut problems).pins(&root, repository.as_deref());
    ui.data(escape_json(pins.export()).as_bytes())?;
    if pins.iter().next().is_none() {
        ui.eprint(&complete("warning: nothing is granted here, so no file is pinned\nhelp: review the files, then run `preface trust grant`\n"));
    }
    notes::all(ui, &problems);
    Ok(Exit::Done)
}
