//! `preface list styles`: the output styles of all layers.

use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    scopes_view::{EntryState, InactiveRows, ListingFlags},
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::one_line,
    },
};
use preface_engine::{Engine, host::styles::StyleEntry};
use serde_json::json;

/// Lists the styles.
pub fn run(ui: &Ui, listing: &ListingFlags, inactive: InactiveRows) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let (styles, diagnostics) = Engine::new(&system).styles(&listing.request()?)?;
    let all = inactive == InactiveRows::Shown || listing.format == OutputFormat::Json;
    let rows: Vec<&StyleEntry> = styles.iter().filter(|entry| all || entry.active).collect();
    match listing.format {
        OutputFormat::Json => {
            let entries = rows.iter().map(|entry| {
                let mut row = json!(entry);
                row["state"] = EntryState::of_status(entry.status, entry.active).word().into();
                row
            });
            ui.json(&ListDocument { kind: "styles", entries: entries.collect(), diagnostics: &diagnostics })?;
        }
        OutputFormat::Text => ui.view(&view(&rows, ui.columns()))?,
    }
    listing.print_diagnostics(ui, &diagnostics);
    Ok(Exit::Done)
}

fn view(rows: &[&StyleEntry], room: Option<usize>) -> String {
    let dim = style::DIM;
    if rows.is_empty() {
        return format!("{dim}no output styles: the profile has none{dim:#}\n");
    }
    let mut table = TextTable::new([ColumnAlignment::Left; 4]);
    table.row(["name", "layer", "state", "path"].map(|head| Cell::styled(head, dim)));
    for entry in rows {
        let state = EntryState::of_status(entry.status, entry.active);
        table.row([
            Cell::styled(one_line(&entry.name), if entry.active { style::BOLD } else { dim }),
            Cell::styled(entry.origin.scope.as_str(), style::scope(entry.origin.scope)),
            Cell::styled(state.word(), state.style()),
            one_line(&entry.origin.path).into(),
        ]);
    }
    let about = rows.iter().map(|entry| {
        let style = entry.value.what.as_ref();
        style.and_then(|style| style.description.as_deref()).map(one_line).into_iter().collect()
    });
    table.show_with(about, room)
}
