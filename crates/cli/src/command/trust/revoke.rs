//! `preface trust revoke`: takes grants back.

use super::{grant::paths, status::texts};
use crate::{
    CommandResult, Exit, ListDocument, OutputFormat, TurnFlags, diagnostics, files,
    ui::{Ui, style},
};
use preface_core::{audit::AuditEvent, diagnostic::Diagnostics, lint::hidden::escape_hidden};
use preface_engine::{Engine, grant::GrantReport};
use serde_json::json;
use std::{fmt::Write, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  preface trust revoke              everything of this project
  preface trust revoke AGENTS.md    only this file, in all its versions
  preface trust revoke /old/clone   what `trust list` shows, gone or not";

/// Revoke grants
///
/// All versions of a text are forgotten.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Revoke only these files, what lies in these directories, or a project that `trust list` shows; relative to `-C`, or to the project's root
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    turn: TurnFlags,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let engine = Engine::new(files::system());
    let request = args.turn.request();
    let reports = engine.revoke(&request, &paths(files::system(), &engine, &request, &args.paths)?)?;
    if args.format == OutputFormat::Json {
        let diagnostics: Diagnostics =
            reports.iter().flat_map(|report| report.diagnostics.iter().cloned()).collect();
        let row = |report: &GrantReport| {
            json!({
                "path": report.path.display().to_string(),
                "revoked": report.added.iter().map(|(path, _)| path).collect::<Vec<_>>(),
                "permissions": report.permissions,
                "branches": report.branches,
            })
        };
        let entries = reports.iter().map(row).collect();
        ui.json(&ListDocument { kind: "projects", entries, diagnostics: &diagnostics })?;
    }
    for report in &reports {
        if args.format == OutputFormat::Text {
            ui.view(&revoked(report))?;
        }
        diagnostics::all(ui, &report.diagnostics);
    }
    Ok(Exit::Done)
}

fn revoked(report: &GrantReport) -> String {
    let bold = style::BOLD;
    let root = report.path.display().to_string();
    let root = escape_hidden(&root);
    let mut out = String::new();
    let as_a_whole = report.audit.iter().any(|event| matches!(event, AuditEvent::ProjectDeclined { .. }));
    if report.added.is_empty() && report.permissions.is_empty() {
        let is_recorded = |event: &AuditEvent| matches!(event, AuditEvent::TrustDecision { .. });
        let is_recorded = as_a_whole || report.audit.iter().any(is_recorded);
        let what = if is_recorded { "Nothing" } else { "Nothing of that" };
        let _ = writeln!(out, "{what} was granted in {bold}{root}{bold:#}.");
        if is_recorded {
            out.push_str("That is recorded: a service leaves its files out, too, until they are granted.\n");
        }
    } else if as_a_whole && !report.added.is_empty() {
        let _ = writeln!(out, "{bold}{root}{bold:#} is no longer trusted.");
    } else if !report.added.is_empty() {
        let _ = writeln!(out, "Revoked {} in {bold}{root}{bold:#}:", texts(report.added.len()));
        for (name, _) in &report.added {
            let _ = writeln!(out, "  {}", escape_hidden(name));
        }
        for name in &report.branches {
            let _ = writeln!(out, "  branch {}", escape_hidden(name));
        }
    }
    if !report.permissions.is_empty() {
        let _ = writeln!(out, "May not run any more in {bold}{root}{bold:#}:");
    }
    for subject in &report.permissions {
        let _ = writeln!(out, "  {}", escape_hidden(subject));
    }
    out
}
