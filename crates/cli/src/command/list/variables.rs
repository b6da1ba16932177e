//! `preface list variables`: the variables that templates and conditions can name.

use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    scopes_view::ListingFlags,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{one_line, short},
    },
};
use preface_engine::{Engine, VariableRow};
use serde_json::json;

/// Lists the variables with their values in the directory.
pub fn run(ui: &Ui, listing: &ListingFlags) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let rows = Engine::new(&system).variables(&listing.request()?)?;
    match listing.format {
        OutputFormat::Text => ui.view(&view(&rows, ui.columns()))?,
        OutputFormat::Json => ui.json(&ListDocument {
            kind: "variables",
            entries: rows.iter().map(document).collect(),
            diagnostics: &[],
        })?,
    }
    Ok(Exit::Done)
}

/// With fewer columns the description of a variable has a line of its own.
const ONE_LINE: usize = 110;

fn view(rows: &[VariableRow], room: Option<usize>) -> String {
    if room.is_some_and(|room| room < ONE_LINE) { narrow(rows) } else { wide(rows, room) }
}

fn wide(rows: &[VariableRow], room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut table = TextTable::new([ColumnAlignment::Left; 5]);
    table.row(["variable", "value", "stability", "cost", "about"].map(|head| Cell::styled(head, dim)));
    for row in rows {
        let [name, value, stability] = cells(row, 32);
        table.row([name, value, stability, row.info.cost.into(), Cell::styled(row.info.about, dim)]);
    }
    table.show(room)
}

fn narrow(rows: &[VariableRow]) -> String {
    let dim = style::DIM;
    let mut table = TextTable::new([ColumnAlignment::Left; 3]);
    table.row(["variable", "value", "stability"].map(|head| Cell::styled(head, dim)));
    rows.iter().for_each(|row| table.row(cells(row, 36)));
    let lines = table.show(None);
    let mut lines = lines.lines();
    let mut out = format!("{}\n", lines.next().unwrap_or_default());
    for (line, row) in lines.zip(rows) {
        out.push_str(&format!("{line}\n{dim}    {}; costs: {}{dim:#}\n", row.info.about, row.info.cost));
    }
    out
}

/// Name, value and stability.
fn cells(row: &VariableRow, widest: usize) -> [Cell; 3] {
    let (info, dim) = (&row.info, style::DIM);
    let value = match row.variable.as_ref().map(|variable| (variable.value.as_deref(), &variable.source)) {
        None => Cell::styled("any name", dim),
        Some((None, why)) => {
            Cell::styled(short(&format!("absent: {}", one_line(why)), widest).into_owned(), dim)
        }
        Some((Some(""), _)) => Cell::styled("(empty)", dim),
        Some((Some(value), _)) => Cell::styled(short(&one_line(value), widest).into_owned(), style::GOOD),
    };
    let stability = Cell::styled(info.stability.as_str(), style::stability(info.stability));
    [Cell::styled(format!("{}:{}", info.kind, info.name), style::BOLD), value, stability]
}

fn document(row: &VariableRow) -> serde_json::Value {
    let info = &row.info;
    let variable = row.variable.as_ref();
    json!({
        "variable": format!("{}:{}", info.kind, info.name),
        "value": variable.and_then(|variable| variable.value.as_deref()),
        "source": variable.map(|variable| &*variable.source),
        "dynamic": info.dynamic,
        "stability": variable.filter(|variable| variable.value.is_some()).map_or(info.stability, |variable| variable.stability),
        "cost": info.cost,
        "about": info.about,
        "example": info.example,
        "diagnostics": variable.map(|variable| variable.diagnostics.as_slice()).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use preface_engine::{ASSETS, Request, host::system::testing::MemorySystem};

    #[test]
    fn the_document_is_the_catalogue_of_the_service() {
        let system = MemorySystem::new().with_bundle(ASSETS).with_dir("/work");
        let rows = Engine::new(&system).variables(&Request::new("/work")).unwrap();
        let of_list: Vec<_> = rows
            .iter()
            .map(document)
            .map(|row| json!([row["variable"], row["about"], row["dynamic"], row["example"], row["cost"]]))
            .collect();
        let of_service: Vec<_> = preface_engine::variables()
            .iter()
            .map(|one| {
                let name = format!("{}:{}", one.kind, one.name);
                json!([name, one.description, one.dynamic, one.example, one.cost])
            })
            .collect();
        assert_eq!(of_list, of_service, "`preface list variables` and `/system-prompt/variables` agree");
    }
}
