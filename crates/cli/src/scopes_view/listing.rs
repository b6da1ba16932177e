//! What the listings have in common: their flags, the question to the engine, and the diagnostics.

use super::{
    row::{LayerContents, ListingGroup},
    state::with_state,
    table::{restricted, rewrites, scope_problems, table, totals},
};
use crate::{
    diagnostics,
    failure::{CommandFailure, Exit},
    files,
    flags::{OutputFormat, TrustFlags, TurnFlags},
    ui::{Ui, style},
};
use preface_engine::{
    Engine, Request, ScopesReport,
    core::{diagnostic::Diagnostic, extension::Category},
};
use serde_json::json;

/// The flags of every list.
#[derive(clap::Args, Clone, Debug)]
pub struct ListingFlags {
    /// Set the output format; JSON includes what is not active
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    pub format: OutputFormat,

    #[command(flatten)]
    pub turn: TurnFlags,

    #[command(flatten)]
    pub trust: TrustFlags,
}

/// The treatment of inactive entries in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InactiveRows {
    /// Each has a row, with a reason.
    Shown,
    LeftOut,
}

impl InactiveRows {
    /// Reads `--all`.
    pub fn of_all(all: bool) -> Self {
        if all { InactiveRows::Shown } else { InactiveRows::LeftOut }
    }
}

impl ListingFlags {
    /// Lists the contents of the layers.
    pub fn report(&self) -> Result<ScopesReport, CommandFailure> {
        let system = files::system();
        Ok(Engine::new(&system).scopes(&self.request()?)?)
    }

    /// Returns the question.
    pub fn request(&self) -> Result<Request, CommandFailure> {
        let mut request = self.turn.request();
        self.trust.apply(&mut request)?;
        request.default_on_error = true;
        Ok(request)
    }

    /// Prints diagnostics: warnings and errors, all with `-v`, only errors with `-q`.
    pub fn print_diagnostics(&self, ui: &Ui, diagnostics: &[Diagnostic]) {
        diagnostics::listing(ui, diagnostics);
    }
}

/// Lists one category: `providers`, `hooks` and so on.
pub fn list(
    ui: &Ui,
    flags: &ListingFlags,
    category: Category,
    inactive: InactiveRows,
) -> Result<Exit, CommandFailure> {
    let report = flags.report()?;
    let group = ListingGroup::Extensions(category);
    match flags.format {
        OutputFormat::Json => {
            let entries: Vec<_> = report.scopes.of(category).map(with_state).collect();
            let diagnostics = scope_problems(&report, &[group]);
            ui.json(&json!({ "kind": group.as_str(), "entries": entries, "diagnostics": diagnostics }))?;
        }
        OutputFormat::Text => ui.view(&view(&report, group, inactive, ui.columns()))?,
    }
    flags.print_diagnostics(ui, &scope_problems(&report, &[group]));
    Ok(Exit::Done)
}

/// Writes the table of one group, with what an ordering did to it and the counts.
pub fn view(
    report: &ScopesReport,
    group: ListingGroup,
    inactive: InactiveRows,
    room: Option<usize>,
) -> String {
    let dim = style::DIM;
    let layers = restricted(&LayerContents::of(report), &[group]);
    let mut out = table(&layers, &[group], inactive, room);
    out.push_str(&rewrites(&layers.scopes));
    out.push_str(&totals(&layers, &scope_problems(report, &[group])));
    let left_out = layers.rows(group).iter().filter(|row| !row.active).count();
    if inactive == InactiveRows::LeftOut && left_out > 0 {
        out.push_str(&format!("{dim}; {left_out} not active, `--all` lists them{dim:#}"));
    }
    out.push('\n');
    out
}
