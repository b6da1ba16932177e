//! `preface trust diff`: what a grant would add, line by line.

use super::{
    status::{permission, state_name},
    ungated,
};
use crate::{
    advice::complete,
    diagnostics,
    failure::{CommandFailure, Exit},
    files,
    flags::{OutputFormat, TurnFlags, pins},
    stored_template::TemplateFlags,
    ui::{Ui, patch, text::visible},
};
use preface_engine::{
    Engine, PermissionChange, Request, WriteScope,
    consent::pin_root,
    core::{diagnostic::Diagnostics, lint::hidden::escape_hidden, trust::TrustMode},
    host::{
        gate::GateVerdict,
        trust::{Permission, PermissionLine, PermissionLineKind, PermissionState, Pins, ProgramChange},
    },
};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface trust diff
  preface trust diff -C ../api | less";

/// Show what is new or changed since the grant
///
/// A unified diff from the text that was granted last to the text on disk. Text that was never granted is all new, and so is
/// text of which only pins are known, which have no text. Programs
/// of extensions and servers that are not granted follow, with their files. Control characters and hidden characters are
/// written as `\u{…}`, in a pipe, too. Tokens that look like credentials are masked in commands and addresses, not in the text
/// of files.
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
    let templates = TemplateFlags::default().source(&args.turn.request());
    let engine = Engine::new(&system).with_templates(&templates).writing(WriteScope::Nothing);
    let request = Request { pins: pins(args.trust_pins.as_deref())?, ..args.turn.request() };
    let built = engine.build_wide(&request)?;
    let changes = engine.permission_changes(&request)?;
    if built.mode != TrustMode::Pinned && changes.is_empty() {
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
    let mut pins = store.load(&mut problems).pins(&root, repository.as_deref());
    if let Some(given) = request.pins.as_deref() {
        // A file may have been granted here with the content that it is pinned with.
        pins.join(Pins::from_export(given).map_err(|error| CommandFailure::new(error.to_string()))?);
    }
    let mut out = String::new();
    let mut left_out = Vec::new();
    let is_pinned = built.mode == TrustMode::Pinned;
    for seen in built.seen.iter().filter(|seen| is_pinned && seen.verdict != GateVerdict::Included) {
        let name = seen.name_in(&root);
        let versions = pins.versions(&seen.pin).iter().rev();
        let granted = versions.filter_map(|pinned| store.copy(&pinned.digest)).next();
        let now = String::from_utf8_lossy(&seen.bytes);
        let (from, then) = match &granted {
            Some(bytes) => (format!("a/{name}"), String::from_utf8_lossy(bytes)),
            None => ("/dev/null".to_owned(), "".into()),
        };
        if granted.is_none() && seen.verdict == GateVerdict::UntrustedChanged {
            let what = "changed; the trusted text is not here, only its digest: `git diff` shows the change";
            out.push_str(&format!("# {name}: {what}\n"));
        }
        out.push_str(&patch::unified(&from, &format!("b/{name}"), &then, &now));
        left_out.push(name);
    }
    let branch = engine.branch(&built).filter(|branch| !branch.granted && !out.is_empty());
    if let Some(branch) = &branch {
        // A comment before the first file of a patch: programs that apply one skip it.
        out.insert_str(0, &format!("# branch: {}\n", branch.name));
    }
    for change in &changes {
        out.push_str(&permission_diff(change));
    }
    // These texts are not reviewed yet, so they are not sent raw to a pager either.
    match args.format {
        OutputFormat::Text if out.is_empty() => ui.eprint("Nothing to review.\n"),
        OutputFormat::Text => ui.patch(&visible(&out))?,
        OutputFormat::Json => ui.json(&json!({
            "path": root.display().to_string(),
            "branch": branch.map(|branch| branch.name),
            "paths": left_out,
            "permissions": changes.iter().map(entry).collect::<Vec<_>>(),
            "text": out,
            "diagnostics": problems,
        }))?,
    }
    diagnostics::all(ui, &problems);
    Ok(Exit::Done)
}

const ALLOW: &str = "`preface trust grant --allow-commands` allows it";

/// Returns the state of what is not granted.
fn state(change: &PermissionChange) -> PermissionState {
    if change.granted.is_some() { PermissionState::Changed } else { PermissionState::New }
}

/// Returns the entry of what is not granted, with the paths of the files that differ.
fn entry(change: &PermissionChange) -> serde_json::Value {
    let mut entry = permission(&(change.permission.clone(), state(change)));
    entry["paths"] = change.files.iter().map(|file| file.path.as_str()).collect();
    entry
}

/// Compares what the project would do with what was granted: in comments, which programs that apply a patch skip, and the
/// files of its program as a patch.
fn permission_diff(change: &PermissionChange) -> String {
    let subject = escape_hidden(&change.permission.subject);
    let lines = change.permission.lines();
    let mut out = format!("# {subject}: {}; {}\n", state_name(state(change)), complete(ALLOW));
    let before = change.granted.as_ref().map(Permission::lines).unwrap_or_default();
    // The files themselves follow. What is not pinned follows from the rest: a grant has no record of it.
    let is_action = |line: &&PermissionLine| match line.kind {
        PermissionLineKind::Action => true,
        PermissionLineKind::Unpinned => change.granted.is_none(),
        PermissionLineKind::Digest => false,
    };
    for line in before.iter().filter(|line| is_action(line) && !lines.contains(line)) {
        out.push_str(&format!("# - {line}\n"));
    }
    for line in lines.iter().filter(|line| is_action(line) && !before.contains(line)) {
        out.push_str(&format!("# + {line}\n"));
    }
    change.files.iter().for_each(|file| out.push_str(&file_diff(file)));
    out
}

fn file_diff(file: &ProgramChange) -> String {
    let path = escape_hidden(&file.path);
    let name = |side: &str, bytes: &Option<Vec<u8>>| match bytes {
        Some(_) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let (from, to) = (name("a", &file.before), name("b", &file.after));
    let (before, after) =
        (file.before.as_deref().unwrap_or_default(), file.after.as_deref().unwrap_or_default());
    if before == after && file.before.is_some() {
        return format!("# {path}: the executable bit changed\n");
    }
    if before.contains(&0) || after.contains(&0) {
        return format!("Binary files {from} and {to} differ\n");
    }
    patch::unified(&from, &to, &String::from_utf8_lossy(before), &String::from_utf8_lossy(after))
}
