//! `preface trust list`: every project that has a record.

use crate::{
    CommandResult, Exit, ListDocument, OutputFormat, TurnFlags, diagnostics, files,
    ui::{Cell, TextTable, Ui, count, style},
};
use preface_core::{
    diagnostic::Severity,
    lint::hidden::escape_hidden,
    trust::{Trust, TrustMode},
};
use preface_engine::{Engine, TrustChoice, WriteScope, host::trust::TrustRow};
use std::collections::BTreeSet;

/// Counts what has a plural of its own.
fn many(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

const EXAMPLES: &str = "\
Examples:
  preface trust list
  preface trust list --format json | jq -r '.entries[].path'";

/// List the projects with a recorded decision
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    turn: TurnFlags,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let engine = Engine::new(files::system()).writing(WriteScope::Nothing);
    let built =
        engine.build(&preface_engine::BuildOptions { trust: TrustChoice::Deny, ..args.turn.request() })?;
    let mut problems = Vec::new();
    let store = engine.store(&built)?;
    let rows = store.load(&mut problems).list();
    let unread = problems.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    // The content of a store that cannot be read is unknown.
    if !(rows.is_empty() && unread) {
        let file = built.places.shown(store.file());
        let list = ListDocument { kind: "projects", entries: rows.iter().collect(), diagnostics: &problems };
        ui.show(args.format, &list, || view(&rows, &file))?;
    }
    diagnostics::all(ui, &problems);
    Ok(if unread { Exit::Failed } else { Exit::Done })
}

fn view(rows: &[TrustRow], store: &str) -> String {
    if rows.is_empty() {
        return format!("No decision is recorded in {store}.\n");
    }
    let mut table = TextTable::new();
    for row in rows {
        let paths: BTreeSet<&str> = row.texts.iter().map(|text| text.path.as_str()).collect();
        let mut what = match row.mode {
            TrustMode::Whole => "as a whole".to_owned(),
            _ if row.trust == Trust::Declined => "nothing".to_owned(),
            TrustMode::Pinned | TrustMode::None => count(paths.len(), "text"),
        };
        if !row.branches.is_empty() {
            what.push_str(", ");
            what.push_str(&many(row.branches.len(), "branch", "branches"));
        }
        if !row.permissions.is_empty() {
            what.push_str(", ");
            what.push_str(&count(row.permissions.len(), "permission"));
        }
        let style = if row.trust == Trust::Trusted { style::GOOD } else { style::CARE };
        let day: String = row.at.to_string().chars().take(10).collect();
        table.row([
            Cell::styled(row.trust.as_str(), style),
            Cell::styled(day, style::DIM),
            what.into(),
            escape_hidden(&row.path).into_owned().into(),
        ]);
    }
    let dim = style::DIM;
    format!("{}{dim}grants are kept in {store}{dim:#}\n", table.show(None))
}
