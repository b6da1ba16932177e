//! `preface catalog list`: the catalogs that are kept, or the prompts of one of them.

use super::{halves, in_tokens, is_of, some, sum, tokens};
use crate::{
    advice::complete,
    diagnostics,
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{count, number, one_line},
    },
};
use preface_engine::{
    catalogs::{self, StoredCatalog},
    core::catalog::{CatalogEntry, CatalogIndex, Generation},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

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
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let Some(version) = &args.version else {
        let mut diagnostics = Vec::new();
        let found = catalogs::versions(&system, &mut diagnostics);
        match args.format {
            OutputFormat::Json => {
                let entries = found.iter().map(document).collect();
                ui.json(&ListDocument { kind: "catalogs", entries, diagnostics: &diagnostics })?;
            }
            OutputFormat::Text => ui.view(&catalogs_view(&found, ui.columns()))?,
        }
        diagnostics
            .extend(found.into_iter().filter_map(|kept| kept.index.err()).map(|diagnostic| *diagnostic));
        diagnostics::all(ui, &diagnostics);
        return Ok(Exit::Done);
    };
    let index = catalogs::index(&system, version)?;
    let wanted =
        |entry: &&CatalogEntry| args.category.as_deref().is_none_or(|category| is_of(&entry.name, category));
    let rows: Vec<&CatalogEntry> = index.prompts.iter().filter(wanted).collect();
    if let (true, Some(category)) = (rows.is_empty(), &args.category) {
        return Err(no_category(&index, category));
    }
    match args.format {
        OutputFormat::Json => ui.json(&ListDocument { kind: "prompts", entries: rows, diagnostics: &[] })?,
        OutputFormat::Text => ui.view(&prompts_view(&rows, ui.columns()))?,
    }
    Ok(Exit::Done)
}

/// Creates the failure for an unknown category, with the known ones.
fn no_category(index: &CatalogIndex, category: &str) -> CommandFailure {
    let mut names: Vec<String> = index.prompts.iter().map(|entry| halves(&entry.name).0).collect();
    names.sort();
    names.dedup();
    let what = format!("the catalog {} has no category `{}`", index.version, one_line(category));
    CommandFailure::usage(what).help(format!("it has {}", names.join(", ")))
}

fn document(kept: &StoredCatalog) -> Value {
    let index = match &kept.index {
        Ok(index) => index,
        Err(diagnostic) => return json!({ "version": kept.version, "diagnostics": [diagnostic] }),
    };
    let sums = CatalogTotals::of(index.prompts.iter());
    json!({
        "version": index.version,
        "generation": index.generation,
        "prompts": sums.prompts,
        "bytes": sums.bytes,
        "tokens": sums.tokens,
        "values": sums.values,
        "digest": index.digest,
        "pin": index.pin(),
    })
}

/// The sums over some prompts.
#[derive(Clone, Copy, Debug, Default)]
struct CatalogTotals {
    prompts: usize,
    bytes: usize,
    tokens: Option<usize>,
    values: usize,
}

impl CatalogTotals {
    fn of<'e>(entries: impl Iterator<Item = &'e CatalogEntry> + Clone) -> Self {
        let mut sums = CatalogTotals { tokens: sum(entries.clone()), ..CatalogTotals::default() };
        for entry in entries {
            sums.prompts += 1;
            sums.bytes += entry.bytes;
            sums.values += entry.values;
        }
        sums
    }
}

fn catalogs_view(found: &[StoredCatalog], room: Option<usize>) -> String {
    let dim = style::DIM;
    if found.is_empty() {
        return complete("Nothing is imported yet. `preface catalog import DIR` takes in a catalog.\n")
            .into_owned();
    }
    let mut table = TextTable::new([
        ColumnAlignment::Left,
        ColumnAlignment::Left,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Left,
    ]);
    let heads = ["version", "gen", "prompts", "bytes", "tokens", "values", "pin"];
    table.row(heads.map(|head| Cell::styled(head, dim)));
    for kept in found {
        let version = Cell::styled(&kept.version, style::BOLD);
        let blank = Cell::default;
        table.row(match &kept.index {
            Ok(index) => {
                let sums = CatalogTotals::of(index.prompts.iter());
                let generation = match index.generation {
                    Generation::A => "A",
                    Generation::B => "B",
                };
                [
                    version,
                    generation.into(),
                    number(sums.prompts).into(),
                    number(sums.bytes).into(),
                    sums.tokens.map_or_else(|| "-".to_owned(), number).into(),
                    number(sums.values).into(),
                    index.pin().into(),
                ]
            }
            Err(_) => {
                [version, blank(), blank(), blank(), blank(), blank(), Cell::styled("broken", style::BAD)]
            }
        });
    }
    table.show(room)
}

fn prompts_view(rows: &[&CatalogEntry], room: Option<usize>) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let mut by_category: BTreeMap<String, Vec<&CatalogEntry>> = BTreeMap::new();
    for entry in rows {
        by_category.entry(halves(&entry.name).0).or_default().push(entry);
    }
    // One table, so that the columns of all categories line up; the headings are put between its lines.
    let mut table = TextTable::new([
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Left,
        ColumnAlignment::Left,
    ]);
    let heads = ["tokens", "bytes", "values", "changed", "name"];
    table.row(heads.map(|head| Cell::styled(head, dim)));
    for entry in by_category.values().flatten() {
        table.row([
            tokens(entry).into(),
            number(entry.bytes).into(),
            some(entry.values).into(),
            Cell::styled(one_line(&entry.changed_in), dim),
            halves(&entry.name).1.into(),
        ]);
    }
    let lines = table.show(room.map(|room| room.saturating_sub(2)));
    let mut lines = lines.lines();
    let mut out = String::new();
    out.extend(lines.next().map(|head| format!("  {head}\n")));
    for (category, entries) in &by_category {
        let sums = CatalogTotals::of(entries.iter().copied());
        let summary = format!("{}, {}", count(sums.prompts, "prompt"), in_tokens(sums.tokens));
        out.push_str(&format!("{bold}{category}{bold:#}  {dim}{summary}{dim:#}\n"));
        out.extend(lines.by_ref().take(entries.len()).map(|line| format!("  {line}\n")));
    }
    let sums = CatalogTotals::of(rows.iter().copied());
    out.push_str(&format!(
        "{bold}total{bold:#}  {}, {} bytes, {}, {}\n",
        count(sums.prompts, "prompt"),
        number(sums.bytes),
        in_tokens(sums.tokens),
        count(sums.values, "value")
    ));
    out
}
