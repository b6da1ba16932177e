//! `preface catalog show`: one prompt of a catalog, its expressions marked; or what a preset would take from it.

use super::tokens;
use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{count, listed, number, one_line, short, visible, wrap},
    },
};
use preface_engine::{
    CatalogUse, Engine, Request, ToolChoice, TrustChoice, catalogs,
    core::catalog::{CatalogChunk, CatalogEntry, CatalogText, UncompiledReason},
};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface catalog show 2.1.37 --preset claude-code
  preface catalog show 2.1.37 'Tool Description: Glob'
  preface catalog show 2.1.37 glob
  preface catalog show 2.1.37 tool-description-glob
  preface catalog show 2.1.37 tool-description-glob --raw
  preface catalog show 2.1.37 tool-description-glob --format json";

/// The most `${…}` kept as written that are listed.
const FEW: usize = 8;

/// Show one prompt of a catalog, or what a preset would use from it
///
/// Without a name: each place of the preset that can have a text of the catalog, with the prompt that is used there, or the reason why
/// the preset's own text stays.
///
/// Off a terminal it is the body alone, escapes decoded, each `${…}` as it is written. On one, values are marked in one colour and
/// what stays as it is written in another, and a header shows the metadata of the prompt.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The version of the catalog
    #[arg(value_name = "VERSION")]
    version: String,

    /// The prompt, by its name or by the name of its file
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// The preset, if no prompt is named
    #[arg(long, value_name = "NAME", required_unless_present = "name", conflicts_with = "name")]
    preset: Option<String>,

    /// Show the file as it was imported
    #[arg(long, conflicts_with = "format", requires = "name")]
    raw: bool,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,
}

/// Reads and shows.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let index = catalogs::index(&system, &args.version)?;
    let Some(name) = &args.name else { return uses(ui, args) };
    let entry = catalogs::find(&index, name)?;
    if args.raw {
        let bytes = catalogs::raw(&system, &index, &entry.name)?;
        match std::str::from_utf8(&bytes) {
            Ok(text) => ui.prompt(text)?,
            Err(_) => ui.data(&bytes)?,
        }
        return Ok(Exit::Done);
    }
    let text = catalogs::text(&system, &index, &entry.name)?;
    match (args.format, ui.columns()) {
        (OutputFormat::Json, _) => {
            ui.json(&json!({ "entry": entry, "names": text.names(), "chunks": text.chunks }))?;
        }
        (OutputFormat::Text, None) => ui.prompt(&catalogs::body(&text))?,
        (OutputFormat::Text, Some(room)) => {
            ui.eprint(&head(entry, &text, room));
            ui.view(&marked(&text))?;
        }
    }
    Ok(Exit::Done)
}

/// Shows what a preset would take from the catalog.
fn uses(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let request = Request {
        preset: args.preset.clone(),
        sets: vec![format!("catalog={}", args.version)],
        tools: ToolChoice::Profile,
        trust: TrustChoice::Deny,
        ..Request::default()
    };
    let uses = Engine::new(&system).catalog_uses(&request)?;
    if matches!(args.format, OutputFormat::Json) {
        ui.json(&ListDocument { kind: "uses", entries: uses, diagnostics: &[] })?;
        return Ok(Exit::Done);
    }
    let mut table = TextTable::new([ColumnAlignment::Left; 3]);
    table.row(
        ["place", "text", "prompt, or why it is not the catalog's"]
            .map(|head| Cell::styled(head, style::DIM)),
    );
    for CatalogUse { place, prompt, why } in &uses {
        let (of, what) = match prompt {
            Some(prompt) => (Cell::styled("catalog", style::ACCENT), prompt),
            None => (Cell::from("own"), why.as_ref().unwrap_or(place)),
        };
        table.row([one_line(place).into(), of, one_line(what).into()]);
    }
    ui.view(&table.show(ui.columns()))?;
    let theirs = uses.iter().filter(|place| place.prompt.is_some()).count();
    ui.eprint(&format!("{theirs} of {} texts would be the catalog's\n", uses.len()));
    Ok(Exit::Done)
}

/// Formats the properties of a prompt.
fn head(entry: &CatalogEntry, text: &CatalogText, room: usize) -> String {
    let (bold, dim, help, care) = (style::BOLD, style::DIM, style::ACCENT, style::CARE);
    let file = one_line(&entry.file);
    let changed = match entry.changed_in.as_str() {
        "" => String::new(),
        version => format!(", changed in {}", one_line(version)),
    };
    let mut out = format!("{bold}{}{bold:#}\n", one_line(&entry.name));
    if !entry.description.is_empty() {
        out.push_str(&format!("{dim}{}{dim:#}\n", wrap(&one_line(&entry.description), room, 0)));
    }
    let (tokens, bytes) = (tokens(entry), number(entry.bytes));
    out.push_str(&format!("{dim}{file}, {tokens} tokens, {bytes} bytes{changed}{dim:#}\n"));
    if entry.values > 0 {
        let names: Vec<String> = text.names().into_iter().map(one_line).collect();
        let suffix = match names.as_slice() {
            [] => String::new(),
            names => format!(" of {}", listed(names)),
        };
        let values = count(entry.values, "value");
        out.push_str(&wrap(&format!("{help}{values}{help:#}{suffix}"), room, 2));
        out.push('\n');
    }
    let kept = text.chunks.iter().filter_map(|chunk| match chunk {
        CatalogChunk::Kept { written, why, .. } => Some((written, why)),
        _ => None,
    });
    for (written, why) in kept.clone().take(FEW) {
        let (why, what) = match why {
            UncompiledReason::Unparsed(what) => ("no expression", what),
            UncompiledReason::Unsupported(what) => ("not supported", what),
            UncompiledReason::Undeclared(what) => ("not declared", what),
        };
        let written = short(&one_line(written), room / 2).into_owned();
        let line = format!("{written}  {why}: {}", one_line(what));
        out.push_str(&format!("{care}as written{care:#}  {}\n", short(&line, room.saturating_sub(12))));
    }
    if let Some(more) = kept.count().checked_sub(FEW).filter(|more| *more > 0) {
        out.push_str(&format!("{dim}and {} more as written{dim:#}\n", number(more)));
    }
    out.push('\n');
    out
}

/// The body with its expressions marked, line by line: a colour that is left open would colour the pager's next line.
fn marked(text: &CatalogText) -> String {
    let mut out = String::new();
    for chunk in &text.chunks {
        let (words, style) = match chunk {
            CatalogChunk::Text { text, .. } => (text, anstyle::Style::new()),
            CatalogChunk::Value { written, .. } => (written, style::ACCENT),
            CatalogChunk::Kept { written, .. } => (written, style::CARE),
        };
        for (at, line) in visible(words).split('\n').enumerate() {
            if at > 0 {
                out.push('\n');
            }
            if !line.is_empty() {
                out.push_str(&format!("{style}{line}{style:#}"));
            }
        }
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}
