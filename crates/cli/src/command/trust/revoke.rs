//! `preface trust revoke`: takes grants back.

use super::{grant::paths, status::texts};
use crate::{
    failure::{Exit, Failure},
    files,
    flags::TurnFlags,
    notes,
    ui::{Ui, style},
};
use preface::{
    Engine,
    core::{audit::AuditEvent, lint::hidden::escape_hidden},
};
use std::{fmt::Write, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  preface trust revoke              everything of this project
  preface trust revoke AGENTS.md    only this file, in all its versions";

/// Take back what was granted
///
/// All versions of a text are forgotten, in every work tree of the repository.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Revoke only these files, or what lies in these directories; relative to `-C`
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    turn: TurnFlags,
}

/// Revokes and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let system = files::system();
    let engine = Engine::new(&system);
    let request = args.turn.request();
    let report = engine.revoke(&request, &paths(&engine, &request, &args.paths)?)?;
    let bold = style::BOLD;
    let root = report.path.display().to_string();
    let root = escape_hidden(&root);
    let mut out = String::new();
    let as_a_whole = report.audit.iter().any(|event| matches!(event, AuditEvent::ProjectDeclined { .. }));
    if as_a_whole {
        let _ = writeln!(out, "{bold}{root}{bold:#} is no longer trusted.");
    } else if report.added.is_empty() && report.permits.is_empty() {
        let _ = writeln!(out, "Nothing was granted in {bold}{root}{bold:#}.");
    } else if !report.added.is_empty() {
        let _ = writeln!(out, "Revoked {} in {bold}{root}{bold:#}:", texts(report.added.len()));
    }
    for (name, _) in &report.added {
        let _ = writeln!(out, "  {}", escape_hidden(name));
    }
    if !report.permits.is_empty() {
        let _ = writeln!(out, "May not run any more in {bold}{root}{bold:#}:");
    }
    for subject in &report.permits {
        let _ = writeln!(out, "  {}", escape_hidden(subject));
    }
    ui.view(&out)?;
    notes::all(ui, &report.diagnostics);
    Ok(Exit::Done)
}
