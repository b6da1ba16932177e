//! `preface list`: a summary of all kinds on one screen.

use super::{presets::Preset, tools};
use crate::{
    advice::complete,
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    scopes_view::{LayerContents, ListingFlags, ListingGroup, ListingRow, details, scope_problems},
    ui::{
        Ui,
        diagnostic::DiagnosticView,
        style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{count, one_line, short},
    },
};
use preface_engine::{
    Engine,
    core::{
        diagnostic::{Diagnostic, Severity},
        extension::Category,
    },
};
use serde::Serialize;

/// A kind with the names that are active and the names that are left out.
#[derive(Debug, Serialize)]
struct KindSummary {
    kind: &'static str,
    active: Vec<String>,
    left_out: Vec<LeftOut>,
}

/// A name that is not active.
#[derive(Debug, Serialize)]
struct LeftOut {
    name: String,
    reason: String,
}

impl KindSummary {
    fn of<'e>(kind: &'static str, rows: impl IntoIterator<Item = ListingRow<'e>>) -> Self {
        let mut summary = KindSummary { kind, active: Vec::new(), left_out: Vec::new() };
        for row in rows {
            if row.active {
                summary.active.push(row.name.to_owned());
            } else {
                let reason = details(row).into_iter().next().unwrap_or_default();
                summary.left_out.push(LeftOut { name: row.name.to_owned(), reason });
            }
        }
        summary
    }
}

/// Prints the summary.
pub fn run(ui: &Ui, listing: &ListingFlags) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let engine = Engine::new(&system);
    let request = listing.request()?;
    let report = listing.report()?;
    let layers = LayerContents::of(&report);
    let mut kinds: Vec<KindSummary> = ListingGroup::ALL
        .into_iter()
        .map(|group| KindSummary::of(group.as_str(), layers.rows(group)))
        .collect();
    let skills = engine.skills(&request)?;
    let agents = engine.agents(&request)?;
    let (styles, _) = engine.styles(&request)?;
    let reminders = engine.reminders(&request)?;
    let variables = engine.variables(&request)?;
    kinds.push(KindSummary::of("skills", skills.skills.iter().map(ListingRow::from)));
    kinds.push(KindSummary::of("agents", agents.agents.iter().map(ListingRow::from)));
    let plain = |kind, active| KindSummary { kind, active, left_out: Vec::new() };
    let active_styles = styles.iter().filter(|entry| entry.active).map(|entry| entry.name.clone());
    kinds.push(plain("styles", active_styles.collect()));
    kinds
        .push(plain("reminders", reminders.catalogue.iter().map(|one| one.id.as_str().to_owned()).collect()));
    let with_value =
        variables.iter().filter(|row| row.variable.as_ref().is_some_and(|variable| variable.value.is_some()));
    let names = with_value.map(|row| format!("{}:{}", row.info.kind, row.info.name));
    kinds.push(plain("variables", names.collect()));
    kinds.push(plain("presets", Preset::all(&request)?.into_iter().map(|preset| preset.name).collect()));
    let mut problems = scope_problems(&report, &ListingGroup::ALL);
    problems.extend(skills.diagnostics.into_iter().chain(agents.diagnostics));
    problems.retain(|diagnostic| diagnostic.severity >= Severity::Warning);
    let mut seen: Vec<Diagnostic> = Vec::new();
    problems.retain(|diagnostic| {
        let is_new = !seen.contains(diagnostic);
        seen.push(diagnostic.clone());
        is_new
    });
    match listing.format {
        OutputFormat::Json => {
            ui.json(&ListDocument { kind: "summary", entries: kinds, diagnostics: &problems })?;
        }
        OutputFormat::Text => {
            let used = tools::used_count(&request)?;
            ui.view(&view(&kinds, &used, &problems, ui.columns().unwrap_or(100)))?;
        }
    }
    Ok(Exit::Done)
}

/// The most entries of a kind that are left out and named.
const MOST_LEFT_OUT: usize = 5;

fn view(kinds: &[KindSummary], used: &str, problems: &[Diagnostic], columns: usize) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let mut table = TextTable::new([ColumnAlignment::Left, ColumnAlignment::Right, ColumnAlignment::Left]);
    for kind in kinds.iter().filter(|kind| !kind.active.is_empty()) {
        let names: Vec<String> = kind.active.iter().map(|name| one_line(name)).collect();
        table.row([
            Cell::styled(kind.kind, bold),
            kind.active.len().to_string().into(),
            Cell::styled(short(&names.join(", "), columns.saturating_sub(26)).into_owned(), dim),
        ]);
        if kind.kind == ListingGroup::Extensions(Category::Tools).as_str() {
            let used = Cell::styled(complete(used).into_owned(), dim);
            table.row(["".into(), "".into(), used]);
        }
    }
    let mut out = format!("{bold}active{bold:#}\n{}", indented(&table.show(None)));
    if !problems.is_empty() {
        out.push_str(&format!("{bold}problems{bold:#}\n"));
        for diagnostic in problems {
            out.push_str(&format!("  {}\n", DiagnosticView::of(diagnostic, usize::MAX)));
        }
    }
    if kinds.iter().any(|kind| !kind.left_out.is_empty()) {
        out.push_str(&format!("{bold}left out{bold:#}\n"));
    }
    for kind in kinds.iter().filter(|kind| !kind.left_out.is_empty()) {
        for one in kind.left_out.iter().take(MOST_LEFT_OUT) {
            let reason = if one.reason.is_empty() { String::new() } else { format!(": {}", one.reason) };
            out.push_str(&format!("  {}/{}{dim}{reason}{dim:#}\n", kind.kind, one_line(&one.name)));
        }
        if kind.left_out.len() > MOST_LEFT_OUT {
            let more = count(kind.left_out.len() - MOST_LEFT_OUT, "more entry");
            let command = complete(&format!("`preface list {} --all`", kind.kind)).into_owned();
            out.push_str(&format!("  {dim}{more} of {}: {command}{dim:#}\n", kind.kind));
        }
    }
    out
}

fn indented(table: &str) -> String {
    table.lines().map(|line| format!("  {line}\n")).collect()
}
