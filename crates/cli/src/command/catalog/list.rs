//! `preface catalog list`: the catalogs that are kept, or the prompts of one of them.

use super::{format_tokens, is_of};
use crate::{
    CommandFailure, CommandResult, Exit, ListDocument, OutputFormat,
    call::command,
    diagnostics, files,
    ui::{Cell, TextTable, Ui, number, one_line, style},
};
use preface_core::catalog::{CatalogEntry, CatalogIndex};
use preface_engine::catalogs::{self, StoredCatalog};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  preface catalog list
  preface catalog list 2.1.37
  preface catalog list 2.1.37 --category 'Tool Description'
  preface catalog list --format json | jq -r '.entries[].pin'
  preface catalog list 2.1.37 --format json | jq -r '.entries[].name'";

/// List the imported catalogs, or the prompts of one
///
/// Tokens are those that the catalog's own README counts.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// List the prompts of this version
    #[arg(value_name = "VERSION")]
    version: Option<String>,

    /// Only prompts of this category, such as `system-prompt`
    #[arg(long, value_name = "CATEGORY", requires = "version")]
    category: Option<String>,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let Some(version) = &args.version else {
        let mut diagnostics = Vec::new();
        let found = catalogs::versions(files::system(), &mut diagnostics);
        let entries = found.iter().map(document).collect();
        let list = ListDocument { kind: "catalogs", entries, diagnostics: &diagnostics };
        ui.show(args.format, &list, || catalogs_view(&found, ui.columns()))?;
        diagnostics
            .extend(found.into_iter().filter_map(|kept| kept.index.err()).map(|diagnostic| *diagnostic));
        diagnostics::all(ui, &diagnostics);
        return Ok(Exit::Done);
    };
    let index = catalogs::index(files::system(), version)?;
    let wanted =
        |entry: &&CatalogEntry| args.category.as_deref().is_none_or(|category| is_of(entry, category));
    let rows: Vec<&CatalogEntry> = index.prompts.iter().filter(wanted).collect();
    if let (true, Some(category)) = (rows.is_empty(), &args.category) {
        return Err(no_category(&index, category));
    }
    ui.show(args.format, &ListDocument::of("prompts", &rows), || prompts_view(&rows, ui.columns()))
}

/// Creates the failure for an unknown category, with the known ones.
fn no_category(index: &CatalogIndex, category: &str) -> CommandFailure {
    let mut names: Vec<String> = index.prompts.iter().map(|entry| one_line(entry.category())).collect();
    names.sort();
    names.dedup();
    names.retain(|name| !name.is_empty());
    let what = format!("the catalog {} has no category `{}`", index.version, one_line(category));
    CommandFailure::usage(what).help(format!("it has {}", names.join(", ")))
}

fn document(kept: &StoredCatalog) -> Value {
    let index = match &kept.index {
        Ok(index) => index,
        Err(diagnostic) => return json!({ "version": kept.version, "diagnostics": [diagnostic] }),
    };
    let sum = |of: fn(&CatalogEntry) -> usize| index.prompts.iter().map(of).sum::<usize>();
    json!({
        "version": index.version,
        "generation": index.generation,
        "prompts": index.prompts.len(),
        "bytes": sum(|entry| entry.bytes),
        "tokens": tokens(index),
        "values": sum(|entry| entry.values),
        "digest": index.digest,
        "pin": index.pin(),
    })
}

/// Returns the tokens of all prompts; `None` if none of them is format_tokens.
fn tokens(index: &CatalogIndex) -> Option<usize> {
    index.prompts.iter().filter_map(|entry| entry.tokens).map(|tokens| tokens as usize).reduce(|a, b| a + b)
}

fn catalogs_view(found: &[StoredCatalog], room: Option<usize>) -> String {
    if found.is_empty() {
        return format!("Nothing is imported yet. {} takes in a catalog.\n", command("catalog import DIR"));
    }
    let mut table = TextTable::headed(["version", "prompts", "tokens", "pin"]).right(&[1, 2]);
    for stored in found {
        let version = Cell::styled(&stored.version, style::BOLD);
        table.row(match &stored.index {
            Ok(index) => [
                version,
                number(index.prompts.len()).into(),
                format_tokens(tokens(index)).into(),
                index.pin().into(),
            ],
            Err(_) => [version, Cell::default(), Cell::default(), Cell::styled("broken", style::BAD)],
        });
    }
    table.show(room)
}

fn prompts_view(rows: &[&CatalogEntry], room: Option<usize>) -> String {
    let mut table = TextTable::headed(["tokens", "values", "name"]).right(&[0, 1]);
    for entry in rows {
        // A column of zeros hides the others.
        let values = if entry.values == 0 { String::new() } else { number(entry.values) };
        let tokens = entry.tokens.map(|tokens| tokens as usize);
        table.row([format_tokens(tokens).into(), values.into(), one_line(&entry.name).into()]);
    }
    table.show(room)
}
