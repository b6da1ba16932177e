//! `preface scopes`: what the three layers bring, what of it is active, from where, hiding what.

use crate::{
    advice::complete,
    failure::{CommandFailure, Exit},
    flags::OutputFormat,
    scopes_view::{
        InactiveRows, LayerContents, ListingFlags, ListingGroup, ListingRow, ProjectVisibility, named,
        restricted, rewrites, story, summary, table, troubles, unknown, with_state,
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
    categories: Vec<ListingGroup>,

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

fn categories() -> impl TypedValueParser<Value = ListingGroup> {
    let names = PossibleValuesParser::new(ListingGroup::ALL.map(ListingGroup::as_str));
    names.try_map(|name| name.parse::<ListingGroup>())
}

/// The document of `--format json`.
#[derive(Serialize)]
struct ListingJson<'a> {
    entries: Vec<Value>,
    mcp: Vec<Value>,
    diagnostics: &'a [preface::core::diagnostic::Diagnostic],
    audit: &'a [preface::core::audit::AuditEvent],
}

/// Asks, and shows the table, the story or the document.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let report = args.listing.ask()?;
    let asked: &[ListingGroup] =
        if args.categories.is_empty() { &ListingGroup::ALL } else { &args.categories };
    let mut shown = ListingGroup::ALL.to_vec();
    shown.retain(|group| asked.contains(group));
    match (&args.why, args.listing.format) {
        (Some(name), format) => return why(ui, &report, name, &shown, format),
        (None, OutputFormat::Json) => ui.json(&document(&report, &shown))?,
        (None, OutputFormat::Text) => {
            let inactive = if args.active { InactiveRows::LeftOut } else { InactiveRows::Shown };
            ui.view(&view(&report, &shown, inactive, ui.columns()))?;
        }
    }
    args.listing.tell(ui, &troubles(&report, &shown));
    Ok(Exit::Done)
}

fn view(
    report: &ScopesReport,
    shown: &[ListingGroup],
    inactive: InactiveRows,
    room: Option<usize>,
) -> String {
    let layers = restricted(&LayerContents::of(report), shown);
    let mut out = table(&layers, shown, inactive, room);
    out.push_str(&rewrites(&layers.scopes));
    out.push_str(&summary(&layers, &troubles(report, shown)));
    out.push('\n');
    out
}

fn document<'a>(report: &'a ScopesReport, shown: &[ListingGroup]) -> ListingJson<'a> {
    let is_shown = |category: Category| shown.contains(&ListingGroup::Extensions(category));
    let servers = || report.mcp.servers.iter();
    ListingJson {
        entries: report
            .scopes
            .entries
            .iter()
            .filter(|entry| is_shown(entry.value.category))
            .map(with_state)
            .collect(),
        mcp: servers().filter(|_| shown.contains(&ListingGroup::Mcp)).map(with_state).collect(),
        diagnostics: &report.diagnostics,
        audit: &report.audit,
    }
}

fn why(
    ui: &Ui,
    report: &ScopesReport,
    name: &str,
    shown: &[ListingGroup],
    format: OutputFormat,
) -> Result<Exit, CommandFailure> {
    let layers = restricted(&LayerContents::of(report), shown);
    let found = named(&layers, name, shown);
    let held = report.mode == TrustMode::Whole
        && report.diagnostics.iter().any(|note| note.code == DiagnosticCode::TrustHeld);
    let project = match report.trust {
        Trust::Declined if held => ProjectVisibility::Declined,
        _ if held => ProjectVisibility::Held,
        _ => ProjectVisibility::Seen,
    };
    if found.is_empty() {
        return Err(unknown(&layers, name, shown, project));
    }
    match format {
        OutputFormat::Json => ui.json(&rows(report, &found.concat()))?,
        OutputFormat::Text => {
            let stories: Vec<String> = found.iter().map(|entries| story(entries, project)).collect();
            ui.view(&complete(&stories.join("\n")))?;
        }
    }
    Ok(Exit::Done)
}

/// Returns the entries and servers that rows show.
fn rows(report: &ScopesReport, shown: &[ListingRow<'_>]) -> Vec<Value> {
    let is = |group: ListingGroup, name: &str, origin| {
        shown.iter().any(|row| (row.group, row.name) == (group, name) && row.origin == origin)
    };
    let entries = report
        .scopes
        .entries
        .iter()
        .filter(|entry| is(ListingGroup::Extensions(entry.value.category), &entry.name, &entry.origin));
    let servers =
        report.mcp.servers.iter().filter(|server| is(ListingGroup::Mcp, &server.name, &server.origin));
    entries.map(with_state).chain(servers.map(with_state)).collect()
}
