//! `preface facts`: what templates and conditions can name here.

use crate::{
    failure::{Exit, Failure},
    files,
    flags::{Format, TrustFlags, TurnFlags},
    ui::{
        Ui, style,
        table::{Cell, Side, Table},
        text::{one_line, short},
    },
};
use preface::{Engine, FactRow};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface facts
  preface facts --tz Europe/Berlin --now 2026-03-07T14:55:05Z
  preface facts --format json | jq -r '.[].fact'";

/// List every fact with its value here
///
/// For each: its value, how long that stays the same, and what looking it up costs. Templates write `[type:name]`.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Choose the form
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORM")]
    format: Format,

    #[command(flatten)]
    turn: TurnFlags,

    #[command(flatten)]
    trust: TrustFlags,
}

/// Asks for every fact and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let mut request = args.turn.request();
    args.trust.apply(&mut request)?;
    let system = files::system();
    let rows = Engine::new(&system).facts(&request)?;
    match args.format {
        Format::Text => ui.view(&view(&rows, ui.columns()))?,
        Format::Json => ui.json(&rows.iter().map(document).collect::<Vec<_>>())?,
    }
    Ok(Exit::Done)
}

/// Below so many columns, what a fact is about stands on a line of its own.
const ONE_LINE: usize = 110;
/// The widest value.
const VALUE: usize = 32;

fn view(rows: &[FactRow], room: Option<usize>) -> String {
    let dim = style::DIM;
    let narrow = room.is_some_and(|room| room < ONE_LINE);
    let mut table = Table::new([Side::Left; 5]);
    let about = if narrow { "" } else { "about" };
    table.row(["fact", "value", "stability", "cost", about].map(|head| Cell::styled(head, dim)));
    for row in rows {
        let info = &row.info;
        let value = match &row.fact {
            None => Cell::styled("any name", dim),
            Some(fact) => match &fact.value {
                None => Cell::styled(format!("absent: {}", short(&one_line(&fact.source), VALUE - 8)), dim),
                Some(value) if value.is_empty() => Cell::styled("(empty)", dim),
                Some(value) => Cell::styled(short(&one_line(value), VALUE).into_owned(), style::GOOD),
            },
        };
        table.row([
            Cell::styled(format!("{}:{}", info.kind, info.name), style::BOLD),
            value,
            Cell::styled(info.stability.as_str(), style::stability(info.stability)),
            info.cost.into(),
            Cell::styled(if narrow { "" } else { info.about }, dim),
        ]);
    }
    let lines = table.show(room);
    if !narrow {
        return lines;
    }
    let mut out = String::new();
    for (at, line) in lines.lines().enumerate() {
        out.push_str(line);
        out.push('\n');
        if let Some(row) = at.checked_sub(1).and_then(|at| rows.get(at)) {
            out.push_str(&format!("{dim}    {}{dim:#}\n", row.info.about));
        }
    }
    out
}

fn document(row: &FactRow) -> serde_json::Value {
    let info = &row.info;
    let fact = row.fact.as_ref();
    json!({
        "fact": format!("{}:{}", info.kind, info.name),
        "value": fact.and_then(|fact| fact.value.as_deref()),
        "source": fact.map(|fact| fact.source.as_str()),
        "dynamic": info.dynamic,
        "stability": fact.filter(|fact| fact.value.is_some()).map_or(info.stability, |fact| fact.stability),
        "cost": info.cost,
        "about": info.about,
        "example": info.example,
        "diagnostics": fact.map(|fact| fact.diagnostics.as_slice()).unwrap_or_default(),
    })
}
