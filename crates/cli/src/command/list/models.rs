//! `preface list models`: the models that requests and cache plans have facts about.

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
    Engine,
    core::{
        diagnostic::Diagnostics,
        model::{CacheMarks, Model},
    },
    host::models,
};

/// Lists the rows of models, the user's first.
pub fn run(ui: &Ui, listing: &ListingFlags) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let places = Engine::new(&system).scopes(&listing.request()?)?.places;
    let mut diagnostics = Diagnostics::new();
    let models = models::read_in(&system, &places, &mut diagnostics);
    match listing.format {
        OutputFormat::Json => {
            let entries = models.rows().collect();
            ui.json(&ListDocument { kind: "models", entries, diagnostics: &diagnostics })?;
        }
        OutputFormat::Text => {
            let mut table = TextTable::new([
                ColumnAlignment::Left,
                ColumnAlignment::Left,
                ColumnAlignment::Right,
                ColumnAlignment::Left,
                ColumnAlignment::Left,
                ColumnAlignment::Left,
                ColumnAlignment::Left,
            ]);
            table.row(
                ["model", "vendor", "caches from", "lifetime", "marks", "tokenizer", "as of"]
                    .map(|head| Cell::styled(head, style::DIM)),
            );
            for row in models.rows() {
                model(&mut table, row);
            }
            ui.view(&table.show(ui.columns()))?;
            listing.print_diagnostics(ui, &diagnostics);
        }
    }
    Ok(Exit::Done)
}

/// Adds a line for each name of a row.
fn model(table: &mut TextTable<7>, row: &Model) {
    let lifetimes: Vec<&str> = row.cache_ttl.iter().map(|one| one.ttl.as_str()).collect();
    let marks = match row.cache_marks {
        CacheMarks::CacheControl | CacheMarks::Breakpoint => format!("at most {}", row.cache_mark_limit),
        CacheMarks::None => "none".to_owned(),
    };
    for name in &row.names {
        table.row([
            Cell::styled(one_line(name), style::BOLD),
            row.vendor.as_str().into(),
            format!("{} tokens", row.cache_minimum).into(),
            one_line(&lifetimes.join(", ")).into(),
            marks.clone().into(),
            one_line(row.tokenizer.as_deref().unwrap_or("not public")).into(),
            Cell::styled(one_line(&row.as_of), style::DIM),
        ]);
    }
}
