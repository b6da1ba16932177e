//! `preface list reminders`: the reminders of a profile, by event.

use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    scopes_view::ListingFlags,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::one_line,
    },
};
use preface_engine::{
    Engine, RemindersReport,
    core::reminder::{EventField, Reminder},
};
use serde_json::json;

/// Lists the reminders.
pub fn run(ui: &Ui, listing: &ListingFlags) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let report = Engine::new(&system).reminders(&listing.request()?)?;
    match listing.format {
        OutputFormat::Json => ui.json(&ListDocument {
            kind: "reminders",
            entries: report.catalogue.iter().map(document).collect(),
            diagnostics: &report.diagnostics,
        })?,
        OutputFormat::Text => ui.view(&view(&report, ui.columns()))?,
    }
    listing.print_diagnostics(ui, &report.diagnostics);
    Ok(Exit::Done)
}

fn view(report: &RemindersReport, room: Option<usize>) -> String {
    let dim = style::DIM;
    if report.catalogue.is_empty() {
        let help =
            report.help.as_ref().map_or_else(String::new, |help| format!("help: {}\n", one_line(help)));
        return format!("{dim}the profile `{}` has no reminders{dim:#}\n{help}", one_line(&report.profile));
    }
    let mut table = TextTable::new([ColumnAlignment::Left, ColumnAlignment::Left, ColumnAlignment::Left]);
    table.row(["event", "layer", "fields"].map(|head| Cell::styled(head, dim)));
    for one in report.catalogue.iter() {
        let scope = one.source.scope;
        let fields: Vec<String> = one.fields.iter().map(EventField::to_string).collect();
        table.row([
            Cell::styled(one_line(one.id.as_str()), if one.is_off() { dim } else { style::BOLD }),
            Cell::styled(scope.as_str(), style::scope(scope)),
            if one.is_off() { Cell::styled("switched off", dim) } else { fields.join(", ").into() },
        ]);
    }
    table.show_with(report.catalogue.iter().map(|one| vec![one_line(&one.description)]), room)
}

fn document(one: &Reminder) -> serde_json::Value {
    json!({
        "id": one.id.as_str(),
        "description": one.description,
        "fields": one.fields,
        "off": one.is_off(),
        "origin": { "scope": one.source.scope, "path": one.source.path },
    })
}
