//! `preface scopes`: what the three layers bring, what of it is active, from where, hiding what.

use crate::{
    advice::complete,
    failure::{Exit, Failure},
    flags::Format,
    scopes_view::{
        Group, Inactive, Layers, ListingFlags, Project, Row, named, restricted, rewrites, story, summary,
        table, troubles, unknown,
    },
    ui::Ui,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use preface::{
    ScopesReport,
    core::{
        extension::{Category, Entry},
        mcp_servers::ServerEntry,
        trust::TrustMode,
    },
};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  preface scopes                          everything, active or not, and why
  preface scopes tools hooks              these two categories
  preface scopes --active                 only what is active
  preface scopes --why bash               the story of one name
  preface scopes --why tools/bash         in one category
  preface scopes --format json | jq '.entries[] | select(.shadows != [])'";

/// Show what is active, from which layer, hiding what
///
/// Every extension of every layer: bundled with preface, your own, the project's. Of one name the strongest sound one is
/// active; the others stand in the table with the reason. `--why` tells the story of one name.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Show these categories alone
    #[arg(value_name = "CATEGORY", value_parser = categories())]
    categories: Vec<Group>,

    /// Tell what each layer has under NAME, and what became of it
    #[arg(long, value_name = "NAME", conflicts_with = "active")]
    why: Option<String>,

    /// Leave out what is not active
    #[arg(long)]
    active: bool,

    /// Show what is not active, too, which is what happens anyway
    #[arg(long, conflicts_with = "active", hide = true)]
    all: bool,

    #[command(flatten)]
    listing: ListingFlags,
}

fn categories() -> impl TypedValueParser<Value = Group> {
    let names = PossibleValuesParser::new(Group::ALL.map(Group::as_str));
    names.try_map(|name| name.parse::<Group>())
}

/// The document of `--format json`.
#[derive(Serialize)]
struct Document<'a> {
    entries: Vec<&'a Entry>,
    mcp: Vec<&'a ServerEntry>,
    diagnostics: &'a [preface::core::diagnostic::Diagnostic],
    audit: &'a [preface::core::audit::AuditEvent],
}

/// Asks, and shows the table, the story or the document.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let report = args.listing.ask()?;
    let asked: &[Group] = if args.categories.is_empty() { &Group::ALL } else { &args.categories };
    let mut shown = Group::ALL.to_vec();
    shown.retain(|group| asked.contains(group));
    match (&args.why, args.listing.format) {
        (Some(name), format) => return why(ui, &report, name, &shown, format),
        (None, Format::Json) => ui.json(&document(&report, &shown))?,
        (None, Format::Text) => {
            let inactive = if args.active { Inactive::LeftOut } else { Inactive::Shown };
            ui.view(&view(&report, &shown, inactive, ui.columns()))?;
        }
    }
    args.listing.tell(ui, &troubles(&report, &shown));
    Ok(Exit::Done)
}

fn view(report: &ScopesReport, shown: &[Group], inactive: Inactive, room: Option<usize>) -> String {
    let layers = restricted(&Layers::of(report), shown);
    let mut out = table(&layers, shown, inactive, room);
    out.push_str(&rewrites(&layers.scopes.rewrites));
    out.push_str(&summary(&layers));
    out.push('\n');
    out
}

fn document<'a>(report: &'a ScopesReport, shown: &[Group]) -> Document<'a> {
    let is_shown = |category: Category| shown.contains(&Group::Extensions(category));
    let servers = || report.mcp.servers.iter();
    Document {
        entries: report.scopes.entries.iter().filter(|entry| is_shown(entry.category)).collect(),
        mcp: servers().filter(|_| shown.contains(&Group::Mcp)).collect(),
        diagnostics: &report.diagnostics,
        audit: &report.audit,
    }
}

fn why(ui: &Ui, report: &ScopesReport, name: &str, shown: &[Group], format: Format) -> Result<Exit, Failure> {
    let layers = restricted(&Layers::of(report), shown);
    let found = named(&layers, name, shown);
    if found.is_empty() {
        return Err(unknown(&layers, name, shown));
    }
    match format {
        Format::Json => ui.json(&rows(report, &found.concat()))?,
        Format::Text => {
            let held = report.mode == TrustMode::Whole
                && report.diagnostics.iter().any(|note| note.code == "trust/held");
            let project = if held { Project::Held } else { Project::Seen };
            let stories: Vec<String> = found.iter().map(|entries| story(entries, project)).collect();
            ui.view(&complete(&stories.join("\n")))?;
        }
    }
    Ok(Exit::Done)
}

/// A row of either kind, as its listing has it.
#[derive(Serialize)]
#[serde(untagged)]
enum Told<'a> {
    Extension(&'a Entry),
    Server(&'a ServerEntry),
}

/// Returns the entries and servers that rows show.
fn rows<'a>(report: &'a ScopesReport, shown: &[Row<'_>]) -> Vec<Told<'a>> {
    let is = |group: Group, name: &str, origin| {
        shown.iter().any(|row| (row.group, row.name) == (group, name) && row.origin == origin)
    };
    let entries = report
        .scopes
        .entries
        .iter()
        .filter(|entry| is(Group::Extensions(entry.category), &entry.name, &entry.origin));
    let servers = report.mcp.servers.iter().filter(|server| is(Group::Mcp, &server.name, &server.origin));
    entries.map(Told::Extension).chain(servers.map(Told::Server)).collect()
}
