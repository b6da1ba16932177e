//! `preface catalog show`: one prompt of a catalog as a template; or what a preset would take from it.

use super::format_tokens;
use crate::{
    CommandResult, Exit, ListDocument, OutputFormat, files,
    ui::{Cell, TextTable, Ui, count, number, one_line, short, style, wrap},
};
use preface_core::catalog::CatalogEntry;
use preface_engine::{BuildOptions, CatalogUse, Engine, ToolChoice, TrustChoice, catalogs};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface catalog show 2.1.37 --preset claude-code
  preface catalog show 2.1.37 'Tool Description: Glob'
  preface catalog show 2.1.37 glob
  preface catalog show 2.1.37 tool-description-glob
  preface catalog show 2.1.37 tool-description-glob --format json";

/// Show one prompt of a catalog, or what a preset would use from it
///
/// Without a name: each place of the preset that can have a text of the catalog, with the prompt that is used there, or the reason why
/// the preset's own text stays.
///
/// A prompt is shown as the template that it was converted to: `[catalog:KEY]` is a value that a profile binds, and `[if
/// catalog:!!KEY]` a condition on it. On a terminal a header shows the metadata of the prompt.
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

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,
}

/// Reads and shows.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let index = catalogs::index(files::system(), &args.version)?;
    let Some(name) = &args.name else { return uses(ui, args) };
    let entry = catalogs::find(&index, name)?;
    let template = index.template(&entry.name);
    if matches!(args.format, OutputFormat::Json) {
        ui.json(&json!({ "entry": entry, "template": template }))?;
        return Ok(Exit::Done);
    }
    if let Some(room) = ui.columns() {
        ui.eprint(&head(entry, room));
    }
    ui.prompt(template)?;
    Ok(Exit::Done)
}

/// Shows what a preset would take from the catalog.
fn uses(ui: &Ui, args: &Args) -> CommandResult {
    let request = BuildOptions {
        preset: args.preset.clone(),
        sets: vec![format!("catalog={}", args.version)],
        tools: ToolChoice::Profile,
        trust: TrustChoice::Deny,
        ..BuildOptions::default()
    };
    let uses = Engine::new(files::system()).look(&request)?.catalog_uses()?;
    if args.format == OutputFormat::Json {
        ui.json(&ListDocument::of("uses", uses))?;
        return Ok(Exit::Done);
    }
    let mut table = TextTable::headed(["place", "text", "prompt, or why it is not the catalog's"]);
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

/// Formats the properties of a prompt, and the expressions whose KEY is a digest.
fn head(entry: &CatalogEntry, room: usize) -> String {
    let (bold, dim, help) = (style::BOLD, style::DIM, style::ACCENT);
    let file = one_line(&entry.file);
    let changed = match entry.changed_in.as_str() {
        "" => String::new(),
        version => format!(", changed in {}", one_line(version)),
    };
    let mut out = format!("{bold}{}{bold:#}\n", one_line(&entry.name));
    if !entry.description.is_empty() {
        out.push_str(&format!("{dim}{}{dim:#}\n", wrap(&one_line(&entry.description), room, 0)));
    }
    let (tokens, bytes, values) = (
        format_tokens(entry.tokens.map(|tokens| tokens as usize)),
        number(entry.bytes),
        count(entry.values, "value"),
    );
    out.push_str(&format!("{dim}{file}, {tokens} tokens, {bytes} bytes, {values}{changed}{dim:#}\n"));
    for (key, expression) in &entry.expressions {
        let line = format!("{help}{key}{help:#}  {}", one_line(expression));
        out.push_str(&format!("{}\n", short(&line, room)));
    }
    out.push('\n');
    out
}
