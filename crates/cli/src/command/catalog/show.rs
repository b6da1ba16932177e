//! `preface catalog show`: one prompt of a catalog, its expressions marked.

use super::tokens;
use crate::{
    failure::{Exit, Failure},
    files,
    flags::Format,
    ui::{
        Ui, style,
        text::{count, listed, number, one_line, short, visible, wrap},
    },
};
use preface::{
    catalogs,
    core::catalog::{CatalogText, Chunk, Entry, Unread},
};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface catalog show 2.1.37 'Tool Description: Glob'
  preface catalog show 2.1.37 tool-description-glob
  preface catalog show 2.1.37 tool-description-glob --raw
  preface catalog show 2.1.37 tool-description-glob --format json";

/// How many `${…}` that stay as they are written are told of.
const FEW: usize = 8;

/// Show one prompt of a catalog
///
/// Off a terminal it is the body alone, escapes decoded, each `${…}` as it is written. On one, values are marked in one colour and
/// what stays as it is written in another, and a head says what is known of the prompt.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The version of the catalog
    #[arg(value_name = "VERSION")]
    version: String,

    /// The prompt, by its name or by the name of its file
    #[arg(value_name = "NAME")]
    name: String,

    /// Show the file as it was imported
    #[arg(long, conflicts_with = "format")]
    raw: bool,

    /// Choose the form
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORM")]
    format: Format,
}

/// Reads and shows.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let system = files::system();
    let index = catalogs::index(&system, &args.version)?;
    let entry = catalogs::find(&index, &args.name)?;
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
        (Format::Json, _) => {
            ui.json(&json!({ "entry": entry, "names": text.names(), "chunks": text.chunks }))?;
        }
        (Format::Text, None) => ui.prompt(&catalogs::body(&text))?,
        (Format::Text, Some(room)) => {
            ui.say(&head(entry, &text, room));
            ui.view(&marked(&text))?;
        }
    }
    Ok(Exit::Done)
}

/// What is known of a prompt.
fn head(entry: &Entry, text: &CatalogText, room: usize) -> String {
    let (bold, dim, hint, care) = (style::BOLD, style::DIM, style::HINT, style::CARE);
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
        let said = match names.as_slice() {
            [] => String::new(),
            names => format!(" of {}", listed(names)),
        };
        let values = count(entry.values, "value");
        out.push_str(&wrap(&format!("{hint}{values}{hint:#}{said}"), room, 2));
        out.push('\n');
    }
    let kept = text.chunks.iter().filter_map(|chunk| match chunk {
        Chunk::Kept { written, why, .. } => Some((written, why)),
        _ => None,
    });
    for (written, why) in kept.clone().take(FEW) {
        let (why, what) = match why {
            Unread::Unparsed(what) => ("no expression", what),
            Unread::Unsupported(what) => ("not supported", what),
            Unread::Undeclared(what) => ("not declared", what),
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
            Chunk::Text { text, .. } => (text, anstyle::Style::new()),
            Chunk::Value { written, .. } => (written, style::HINT),
            Chunk::Kept { written, .. } => (written, style::CARE),
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
