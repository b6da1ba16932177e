//! `preface trust diff`: what a grant would add, line by line.

use super::ungated;
use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::{OutputFormat, TurnFlags, pins},
    notes,
    stored_template::TemplateFlags,
    ui::{Ui, patch, text::visible},
};
use preface::{
    Engine, Request, WriteScope,
    consent::pin_root,
    core::{diagnostic::Diagnostics, trust::TrustMode},
    host::gate::GateVerdict,
};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface trust diff
  preface trust diff -C ../api | less";

/// Show what is new or changed since the grant
///
/// A unified diff from the text that was granted last to the text on disk. Text that was never granted is all new. Control
/// characters and hidden characters are written as `\u{…}`, in a pipe, too.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Also trust the files that FILE of `preface trust export` pins
    #[arg(long, value_name = "FILE")]
    trust_pins: Option<PathBuf>,

    #[command(flatten)]
    turn: TurnFlags,
}

/// Compares and prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let templates = TemplateFlags::default().source();
    let engine = Engine::new(&system).with_templates(&templates).writing(WriteScope::Nothing);
    let request = Request { pins: pins(args.trust_pins.as_deref())?, ..args.turn.request() };
    let built = engine.build_wide(&request)?;
    if built.mode != TrustMode::Pinned {
        let preset = &built.prompt.preset;
        let failure = CommandFailure::new(format!(
            "the profile `{preset}` pins no texts; there is nothing to compare with"
        ));
        return Err(match built.mode {
            TrustMode::Whole => failure.help("`preface trust status` shows whether the project changed"),
            _ => failure.help(format!("the {}", ungated(preset))),
        });
    }
    let (root, repository) = pin_root(&system, &built.places.cwd);
    let store = engine.store(&built)?.for_project(&root);
    let mut problems = Diagnostics::new();
    let pins = store.load(&mut problems).pins(&root, repository.as_deref());
    let mut out = String::new();
    let mut left_out = Vec::new();
    for seen in built.seen.iter().filter(|seen| seen.verdict != GateVerdict::Included) {
        let granted = pins.latest(&seen.pin).and_then(|pinned| store.copy(&pinned.digest));
        let now = String::from_utf8_lossy(&seen.bytes);
        let (from, then) = match &granted {
            Some(bytes) => (format!("a/{}", seen.shown), String::from_utf8_lossy(bytes)),
            None => ("/dev/null".to_owned(), "".into()),
        };
        left_out.push(seen.shown.as_str());
        out.push_str(&patch::unified(&from, &format!("b/{}", seen.shown), &then, &now));
    }
    let branch = engine.branch(&built).filter(|branch| !branch.granted && !out.is_empty());
    if let Some(branch) = &branch {
        // A comment before the first file of a patch: programs that apply one skip it.
        out.insert_str(0, &format!("# branch: {}\n", branch.name));
    }
    // Nobody has looked at these texts yet, so they are not sent raw to a pager either.
    match args.format {
        OutputFormat::Text => ui.patch(&visible(&out))?,
        OutputFormat::Json => ui.json(&json!({
            "path": root.display().to_string(),
            "branch": branch.map(|branch| branch.name),
            "paths": left_out,
            "text": out,
            "diagnostics": problems,
        }))?,
    }
    notes::all(ui, &problems);
    Ok(Exit::Done)
}
