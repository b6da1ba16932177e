//! `preface doctor`: whether what the layers bring is in order, on one screen.

use super::list::NO_TOOL_USED;
use crate::{
    CommandResult, DirectoryArgument, Exit, OutputFormat, StoreFlag,
    call::help_of,
    diagnostics, files,
    flags::ListingFlags,
    scopes_view::{ListingGroup, ListingRow, rows, scope_problems, totals},
    ui::{Cell, DiagnosticView, TextTable, Ui, one_line, style},
};
use preface_core::{
    diagnostic::{Diagnostic, Severity},
    extension::{Category, EntryState},
    trust::{Trust, TrustMode},
};
use preface_engine::{
    Engine, FileCount, ScopesReport, ServersReport,
    host::system::{FileKind, System},
};
use serde::Serialize;
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  preface doctor
  preface doctor ../api --preset stud
  preface doctor --format json | jq .startup.loadedCount";

/// Check the configuration for problems
///
/// Problems first, then the directories, trust, and how much each category has. Exits with 1 if a settings file, a
/// profile or the trust store is not valid; a broken extension is reported and leaves the exit code at 0, because the rest
/// works.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    dir: DirectoryArgument,

    #[command(flatten)]
    listing: ListingFlags,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    summary(ui, &ListingFlags { turn: args.dir.apply(&args.listing.turn), ..args.listing.clone() })
}

/// Prints the summary.
pub fn summary(ui: &Ui, listing: &ListingFlags) -> CommandResult {
    let (system, request) = (files::system(), listing.request()?);
    let build = Engine::new(system).look(&request)?;
    let ServersReport { scopes: report, used, .. } = build.servers()?;
    let (files, warnings) = build.file_counts();
    let problems = problems(&report, warnings);
    let (directories, settings) = layer_paths(system, &report);
    match listing.format {
        OutputFormat::Json => {
            let mut document = document(&report, [&directories, &settings], &files, &problems);
            document.sort_all_objects();
            ui.json_text(format!("{document:#}"))?;
        }
        OutputFormat::Text => {
            let used = match used.len() {
                0 => NO_TOOL_USED.to_owned(),
                count => count.to_string(),
            };
            let store = StoreFlag::default().for_request(&request).url(system);
            let store = store.ok().map(|url| one_line(&url.to_string()));
            ui.view(&view(&report, &directories, &files, &used, &problems, store))?;
        }
    }
    // Warnings and errors are in the view already.
    let more = problems.iter().filter(|diagnostic| diagnostic.severity < Severity::Warning);
    diagnostics::listing(ui, more);
    Ok(if has_errors_elsewhere(&report, &problems) { Exit::Failed } else { Exit::Done })
}

/// Returns whether anything but an extension or a server is at fault.
fn has_errors_elsewhere(report: &ScopesReport, problems: &[Diagnostic]) -> bool {
    let entries = report.scopes.entries.iter().map(|entry| &entry.diagnostics);
    let of_entries = entries.chain(report.mcp.servers.iter().map(|server| &server.diagnostics));
    let of_entries: Vec<&Diagnostic> = of_entries.flatten().collect();
    let mut errors = problems.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.any(|diagnostic| !of_entries.contains(&diagnostic))
}

/// Returns what there is to report, with the diagnostics about files that are no extensions, the worst first.
fn problems(report: &ScopesReport, of_files: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut diagnostics = scope_problems(report, &ListingGroup::ALL);
    diagnostics.extend(of_files);
    diagnostics.sort_by_key(|diagnostic| std::cmp::Reverse(diagnostic.severity));
    diagnostics
}

/// The directory or the settings file of a layer; `exists` is `None` if it must not be read.
#[derive(Serialize)]
struct CheckedPath {
    exists: Option<bool>,
    path: Option<String>,
}

/// The paths of both layers, by scope.
type LayerPaths = BTreeMap<&'static str, CheckedPath>;

/// Returns the directories and the settings files of both layers.
fn layer_paths(system: &dyn System, report: &ScopesReport) -> (LayerPaths, LayerPaths) {
    let places = &report.places;
    // Nothing inside of a project that is trusted as a whole is looked at before it is.
    let is_closed = report.mode == TrustMode::Whole && !matches!(report.trust, Trust::Trusted | Trust::Once);
    let checked = |path: Option<PathBuf>, kind: FileKind| CheckedPath {
        path: path.as_deref().map(|path| places.shown(path)),
        exists: Some(path.and_then(|path| system.stat(&path)).is_some_and(|stat| stat.kind == kind)),
    };
    let (mut directories, mut files) = (LayerPaths::new(), LayerPaths::new());
    for (scope, dir) in [("global", &places.global), ("project", &places.project)] {
        let mut file = checked(dir.as_ref().map(|dir| dir.join(places.own_settings())), FileKind::File);
        if is_closed && scope == "project" {
            file.exists = None;
        }
        directories.insert(scope, checked(dir.clone(), FileKind::Dir));
        files.insert(scope, file);
    }
    (directories, files)
}

fn view(
    report: &ScopesReport,
    directories: &LayerPaths,
    files: &[FileCount],
    used: &str,
    problems: &[Diagnostic],
    store: Option<String>,
) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let mut out = String::new();
    for diagnostic in problems.iter().filter(|diagnostic| diagnostic.severity >= Severity::Warning) {
        out.push_str(&format!("{}\n", DiagnosticView::of(diagnostic, usize::MAX)));
        if let Some(help) = help_of(diagnostic) {
            out.push_str(&format!("  {dim}{}{dim:#}\n", one_line(&help)));
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let mut table = TextTable::new();
    let mut line = |name: &str, value: Cell| table.row([Cell::styled(name, dim), value]);
    line("preface", Cell::styled(env!("CARGO_PKG_VERSION"), bold));
    let is_fallback = problems
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error && diagnostic.code.topic() == "profile");
    let why = if is_fallback { ", as the chosen one cannot be loaded" } else { "" };
    line("preset", format!("{}{why}", one_line(&report.preset)).into());
    for (scope, directory) in directories {
        line(scope, path_text(directory).into());
    }
    line("store", store.unwrap_or_else(|| "none".to_owned()).into());
    line("trust", trust(report).into());
    if let Some(files) = &report.instructions {
        line("instructions", named(files).into());
    }
    for FileCount { kind, active, invalid } in files {
        let invalid = if *invalid > 0 { format!(", {invalid} invalid") } else { String::new() };
        line(kind, format!("{active} active{invalid}").into());
    }
    let rows = rows(&report.scopes, &report.mcp, &ListingGroup::ALL);
    let mut groups: Vec<_> = rows.chunk_by(|a, b| a.value.group == b.value.group).collect();
    // What an author looks for comes first.
    let first = [ListingGroup::Extensions(Category::Tools), ListingGroup::Mcp];
    groups.sort_by_key(|rows| {
        first.iter().position(|group| *group == rows[0].value.group).unwrap_or(first.len())
    });
    for rows in groups {
        let group = rows[0].value.group;
        let mut value = tally(rows);
        if group == ListingGroup::Extensions(Category::Tools) {
            value = format!("{value}; used by a build: {used}");
        }
        line(group.as_str(), value.into());
    }
    line("extensions", Cell::styled(totals(&rows, problems), bold));
    out.push_str(&table.show(None));
    out
}

fn path_text(spot: &CheckedPath) -> String {
    match (&spot.path, spot.exists) {
        (None, _) => "none".to_owned(),
        (Some(path), Some(true)) => path.clone(),
        (Some(path), _) => format!("{path} (not there)"),
    }
}

fn trust(report: &ScopesReport) -> String {
    match report.mode {
        TrustMode::None => {
            "text without a grant; configuration, and what a project would run, by a grant".to_owned()
        }
        TrustMode::Whole => format!("{}, as a whole", report.trust),
        TrustMode::Pinned => format!("{}, each text by its content", report.trust),
    }
}

/// Counts the rows of a group by state.
fn tally(rows: &[ListingRow]) -> String {
    let mut counts: BTreeMap<EntryState, usize> = BTreeMap::new();
    for row in rows {
        *counts.entry(row.state()).or_default() += 1;
    }
    let counts = counts.into_iter().map(|(state, many)| match state {
        EntryState::Hidden => format!("{many} hidden ({})", hidden(rows)),
        _ => format!("{many} {}", state.as_str()),
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// The most names on a line.
const MOST_NAMES: usize = 5;

/// Returns the first of some names, and how many more there are.
fn named(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| one_line(name)).collect();
    shown.extend(names.get(MOST_NAMES).map(|_| format!("{} more", names.len() - MOST_NAMES)));
    if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
}

/// Names what is hidden, with its layer: `bash of bundled`.
fn hidden(rows: &[ListingRow]) -> String {
    let rows = rows.iter().filter(|row| row.state() == EntryState::Hidden);
    named(&rows.map(|row| format!("{} of {}", row.name, row.origin.scope)).collect::<Vec<_>>())
}

/// The JSON document that docs/concepts/layers.md describes.
fn document(
    report: &ScopesReport,
    [directories, settings]: [&LayerPaths; 2],
    files: &[FileCount],
    problems: &[Diagnostic],
) -> Value {
    let extensions = report.scopes.entries.iter().map(|entry| {
        json!({
            "id": entry.name,
            "kind": entry.value.category.kind(),
            "state": entry.state().as_str(),
            "scope": entry.origin.scope,
            "configScope": entry.config_scope,
            "shadows": entry.shadows,
        })
    });
    let extensions: Vec<Value> = extensions.collect();
    let startup = report.scopes.startup();
    let of = |severity: Severity| {
        problems.iter().filter(|diagnostic| diagnostic.severity == severity).collect::<Vec<&Diagnostic>>()
    };
    let mut document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "preset": report.preset,
        "extensions": extensions,
        "startup": {
            "loadedCount": startup.loaded_count,
            "disabledCount": startup.disabled_count,
            "warnings": of(Severity::Warning),
            "errors": of(Severity::Error),
            "disabled": startup.disabled,
        },
        "trust": { "mode": report.mode, "state": report.trust },
        "directories": directories,
        "settings": settings,
    });
    if let Some(files) = &report.instructions {
        document["instructions"] = json!(files);
    }
    for FileCount { kind, active, invalid } in files {
        document["files"][kind] = json!({ "active": active, "invalid": invalid });
    }
    document
}
