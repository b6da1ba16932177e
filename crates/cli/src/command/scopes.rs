//! `preface scopes`: what the three layers bring, what of it is active, from where, hiding what.

use crate::{
    failure::{Exit, Failure},
    flags::Format,
    scopes_view::{
        Inactive, ListingFlags, Project, named, restricted, rewrites, story, summary, table, troubles,
        unknown,
    },
    ui::Ui,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use preface::{
    ScopesReport,
    core::{
        extension::{Category, Entry},
        trust::TrustMode,
    },
};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  preface scopes                          everything, active or not, and why
  preface scopes tools hooks              these two categories
  preface scopes --active                 only what is active
  preface scopes --why Bash               the story of one name
  preface scopes --why tools/Bash         in one category
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
    categories: Vec<Category>,

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

fn categories() -> impl TypedValueParser<Value = Category> {
    let names = PossibleValuesParser::new(Category::ALL.map(Category::as_str));
    names.try_map(|name| name.parse::<Category>())
}

/// The document of `--format json`.
#[derive(Serialize)]
struct Document<'a> {
    entries: Vec<&'a Entry>,
    mcp: Vec<serde_json::Value>,
    diagnostics: &'a [preface::core::diagnostic::Diagnostic],
    audit: &'a [preface::core::audit::AuditEvent],
}

/// Asks, and shows the table, the story or the document.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let report = args.listing.ask()?;
    let asked: &[Category] = if args.categories.is_empty() { &Category::ALL } else { &args.categories };
    let mut shown = Category::ALL.to_vec();
    shown.retain(|category| asked.contains(category));
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

fn view(report: &ScopesReport, shown: &[Category], inactive: Inactive, room: Option<usize>) -> String {
    let scopes = restricted(&report.scopes, shown);
    let mut out = table(&scopes, shown, inactive, room);
    out.push_str(&rewrites(&scopes.rewrites));
    out.push_str(&summary(&scopes));
    out.push('\n');
    out
}

fn document<'a>(report: &'a ScopesReport, shown: &[Category]) -> Document<'a> {
    Document {
        entries: report.scopes.entries.iter().filter(|entry| shown.contains(&entry.category)).collect(),
        // The servers of mcp.json stand here once the report has them.
        mcp: Vec::new(),
        diagnostics: &report.diagnostics,
        audit: &report.audit,
    }
}

fn why(
    ui: &Ui,
    report: &ScopesReport,
    name: &str,
    shown: &[Category],
    format: Format,
) -> Result<Exit, Failure> {
    let found = named(&report.scopes, name, shown);
    if found.is_empty() {
        return Err(unknown(&report.scopes, name, shown));
    }
    match format {
        Format::Json => ui.json(&found.concat())?,
        Format::Text => {
            let held = report.mode == TrustMode::Whole
                && report.diagnostics.iter().any(|note| note.code == "trust/held");
            let project = if held { Project::Held } else { Project::Seen };
            let stories: Vec<String> = found.iter().map(|entries| story(entries, project)).collect();
            ui.view(&stories.join("\n"))?;
        }
    }
    Ok(Exit::Done)
}
