//! `preface scopes`: what the three layers bring, what of it is active, from where, hiding what.

use crate::{
    advice::complete,
    failure::{Exit, Failure},
    flags::Format,
    scopes_view::{
        Group, Inactive, Layers, ListingFlags, Project, Row, named, restricted, rewrites, story, summary,
        table, troubles, unknown, with_state,
    },
    ui::Ui,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use preface::{
    ScopesReport,
    core::{
        extension::Category,
        trust::{Trust, TrustMode},
    },
};
use preface_core::diagnostic::DiagnosticCode;
use serde::Serialize;
use serde_json::Value;

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
    entries: Vec<Value>,
    mcp: Vec<Value>,
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
    out.push_str(&rewrites(&layers.scopes));
    out.push_str(&summary(&layers, &troubles(report, shown)));
    out.push('\n');
    out
}

fn document<'a>(report: &'a ScopesReport, shown: &[Group]) -> Document<'a> {
    let is_shown = |category: Category| shown.contains(&Group::Extensions(category));
    let servers = || report.mcp.servers.iter();
    Document {
        entries: report
            .scopes
            .entries
            .iter()
            .filter(|entry| is_shown(entry.value.category))
            .map(with_state)
            .collect(),
        mcp: servers().filter(|_| shown.contains(&Group::Mcp)).map(with_state).collect(),
        diagnostics: &report.diagnostics,
        audit: &report.audit,
    }
}

fn why(ui: &Ui, report: &ScopesReport, name: &str, shown: &[Group], format: Format) -> Result<Exit, Failure> {
    let layers = restricted(&Layers::of(report), shown);
    let found = named(&layers, name, shown);
    let held = report.mode == TrustMode::Whole
        && report.diagnostics.iter().any(|note| note.code == DiagnosticCode::TrustHeld);
    let project = match report.trust {
        Trust::Declined if held => Project::Declined,
        _ if held => Project::Held,
        _ => Project::Seen,
    };
    if found.is_empty() {
        return Err(unknown(&layers, name, shown, project));
    }
    match format {
        Format::Json => ui.json(&rows(report, &found.concat()))?,
        Format::Text => {
            let stories: Vec<String> = found.iter().map(|entries| story(entries, project)).collect();
            ui.view(&complete(&stories.join("\n")))?;
        }
    }
    Ok(Exit::Done)
}

/// Returns the entries and servers that rows show.
fn rows(report: &ScopesReport, shown: &[Row<'_>]) -> Vec<Value> {
    let is = |group: Group, name: &str, origin| {
        shown.iter().any(|row| (row.group, row.name) == (group, name) && row.origin == origin)
    };
    let entries = report
        .scopes
        .entries
        .iter()
        .filter(|entry| is(Group::Extensions(entry.value.category), &entry.name, &entry.origin));
    let servers = report.mcp.servers.iter().filter(|server| is(Group::Mcp, &server.name, &server.origin));
    entries.map(with_state).chain(servers.map(with_state)).collect()
}
