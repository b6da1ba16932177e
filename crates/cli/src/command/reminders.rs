//! `preface reminders`: the events that a profile has a reminder for, and what they say.

use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::{OutputFormat, PlaceFlags, VerbosityFlags},
    notes,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::one_line,
    },
};
use preface::{
    Engine, RemindersReport,
    core::reminder::{EventField, Reminder},
};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface reminders
  preface reminders --format json | jq -r '.[].id'
  preface build --format request --event '{\"type\": \"…\"}'   send one";

/// List the reminders of a profile
///
/// A reminder is a short text that goes with the user's message when something happened. Each row is the type of an event,
/// the layer of the text, and the fields of the event (`?`: may be left out). Files in `reminders` of the global directory
/// replace or add; an empty one switches a reminder off.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Choose the form
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORM")]
    format: OutputFormat,

    #[command(flatten)]
    place: PlaceFlags,

    #[command(flatten)]
    talk: VerbosityFlags,
}

/// Lists them.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let report = Engine::new(&system).reminders(&args.place.request())?;
    match args.format {
        OutputFormat::Json => ui.json(&report.catalogue.iter().map(document).collect::<Vec<_>>())?,
        OutputFormat::Text => ui.view(&view(&report, ui.columns()))?,
    }
    notes::listing(ui, args.talk.talk(), &report.diagnostics);
    Ok(Exit::Done)
}

fn view(report: &RemindersReport, room: Option<usize>) -> String {
    let dim = style::DIM;
    if report.catalogue.is_empty() {
        return format!(
            "{dim}nothing: the profile `{}` has no reminders{dim:#}\n",
            one_line(&report.profile)
        );
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
