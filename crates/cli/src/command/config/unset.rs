//! `preface config unset`: takes one value out of a file.

use super::{ChangeFlags, bad_key, file_of, key_path, request_for, shown, spot};
use crate::{
    CommandResult, Exit, OutputFormat, files,
    ui::{Ui, one_line, short},
};
use preface_core::settings::{SettingChange, setting_at};
use preface_engine::{Engine, host::settings_file::SettingsWriteOutcome};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface config unset budget.tokens
  preface config unset sections.style --scope project";

/// Remove one setting from a file
///
/// The rest of the file stays as you wrote it, comments too. A key that preface does not know can be taken out as well.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    change: ChangeFlags,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let key = key_path(&args.change.key)?;
    let name = one_line(&key.to_string());
    let request = request_for(&args.change.place, &key);
    let engine = Engine::new(files::system());
    let file = file_of(&engine, &request, &key, args.change.scope.scope())?;
    let changed = file.edit(&key, &SettingChange::Unset)? == SettingsWriteOutcome::Changed;
    let words = if changed {
        format!("unset {name} in {}\n", file.shown())
    } else {
        setting_at(&args.change.key).map_err(|error| bad_key(&error))?;
        format!("{name} is not set in {}\n", file.shown())
    };
    let settings = engine.look(&request)?.settings()?;
    let done = json!({
        "key": key.to_string(),
        "scope": args.change.scope.scope(),
        "path": file.shown(),
        "changed": changed,
        "still_set": settings.merged.get(&key).is_some(),
    });
    ui.result(args.change.format, &done, &words)?;
    if let Some(node) = settings.merged.get(&key).filter(|_| args.change.format == OutputFormat::Text) {
        let value = shown(node);
        ui.eprint(&format!("it is still {}: set by {}\n", short(&value, 60), spot(&node.place())));
    }
    Ok(Exit::Done)
}
