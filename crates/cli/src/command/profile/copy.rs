//! `preface profile copy`: a profile as a file of your own.

use super::find;
use crate::{
    CommandFailure, CommandResult, OutputFormat, PlaceFlags,
    call::command,
    files,
    ui::{Ui, one_line},
};
use preface_core::diagnostic::Remedy;
use preface_engine::{Engine, host::system::System};
use serde_json::json;
use std::borrow::Cow;

const EXAMPLES: &str = "\
Examples:
  preface profile copy default mine
  preface profile copy pi                the copy overrides the preset";

/// Copy a preset or a profile to your own profiles
///
/// Writes `profiles/NEW.toml` and the texts that it names to your own configuration. An existing profile is never overwritten.
/// The copy does not change with the preset; a profile with `extends = "NAME"` and only its own keys does.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// The name of the profile to copy
    #[arg(value_name = "NAME")]
    name: String,

    /// The name of the copy; without it NAME
    #[arg(value_name = "NEW")]
    new: Option<String>,

    #[command(flatten)]
    place: PlaceFlags,
}

/// The bundled directory of the texts that presets name.
const SECTIONS: &str = "sections/";

/// Gives a profile another name: the key `name` before the first table. Without the key its file names it.
fn renamed(text: &str, new: &str) -> String {
    let mut is_head = true;
    text.split_inclusive('\n')
        .map(|line| {
            is_head &= !line.starts_with('[');
            let is_name = line.strip_prefix("name").is_some_and(|rest| rest.trim_start().starts_with('='));
            if is_head && is_name { Cow::Owned(format!("name = \"{new}\"\n")) } else { Cow::Borrowed(line) }
        })
        .collect()
}

/// Copies it.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let preset = find(&args.place, &args.name)?;
    let new = args.new.as_deref().unwrap_or(&args.name);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if new.is_empty() || new.starts_with('.') || !new.chars().all(is_name) {
        return Err(CommandFailure::usage(format!("invalid name: `{}`", one_line(new)))
            .help("use letters, digits, `-`, `_` and `.`"));
    }
    let system = files::system();
    let places = Engine::new(system).look(&args.place.request())?.places().clone();
    let Some(global) = &places.global else {
        return Err(CommandFailure::new(
            "no directory for your own configuration: neither PREFACE_HOME nor HOME is set",
        )
        .help("set PREFACE_HOME to a directory"));
    };
    let file = global.join("profiles").join(format!("{new}.toml"));
    if system.stat(&file).is_some() {
        return Err(CommandFailure::new(format!("`{}` exists", places.shown(&file)))
            .help(Remedy::command("choose another name", "profile copy NAME NEW")));
    }
    let mut text = renamed(&preset.text()?, new);
    let profiles = global.join("profiles");
    files::make_dir(&profiles)?;
    // A preset names bundled texts, a copy has its own.
    for bundled in system.bundled_list(SECTIONS) {
        let Some(name) = bundled.strip_prefix(SECTIONS) else { continue };
        let (quoted, own) = (format!("\"{name}\""), format!("{new}/{name}"));
        let Some(bytes) =
            system.bundled(&bundled).filter(|_| preset.file.is_none() && text.contains(&quoted))
        else {
            continue;
        };
        let file = profiles.join(&own);
        if let Some(dir) = file.parent() {
            files::make_dir(dir)?;
        }
        files::write_for_all(&file, &bytes)?;
        text = text.replace(&quoted, &format!("\"{own}\""));
    }
    files::write_for_all(&file, text.as_bytes())?;
    let done = json!({ "name": new, "from": preset.name, "path": places.shown(&file) });
    let words = format!(
        "Copied `{}` to {}. {} uses it.\n",
        one_line(&preset.name),
        places.shown(&file),
        command(&format!("build --preset {new}")),
    );
    ui.result(args.format, &done, &words)
}
