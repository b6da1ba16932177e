//! `preface list extensions`: the extensions and servers of all layers, and `--why NAME`.

use super::ListKind;
use crate::{
    advice::complete,
    failure::{CommandFailure, Exit},
    flags::OutputFormat,
    json::ListDocument,
    scopes_view::{
        InactiveRows, LayerContents, ListingFlags, ListingGroup, ListingRow, ProjectVisibility, entry_report,
        named, restricted, rewrites, scope_problems, summary, table, unknown, with_state,
    },
    ui::Ui,
};
use preface::{
    ScopesReport,
    core::{
        diagnostic::DiagnosticCode,
        trust::{Trust, TrustMode},
    },
};
use serde::Serialize;
use serde_json::Value;

/// The JSON document of `extensions`.
#[derive(Serialize)]
struct ExtensionsDocument<'a> {
    kind: &'static str,
    entries: Vec<Value>,
    servers: Vec<Value>,
    diagnostics: &'a [preface::core::diagnostic::Diagnostic],
    audit: &'a [preface::core::audit::AuditEvent],
}

/// Lists the extensions and the servers.
pub fn run(ui: &Ui, listing: &ListingFlags, inactive: InactiveRows) -> Result<Exit, CommandFailure> {
    let report = listing.ask()?;
    let shown = &ListingGroup::ALL;
    match listing.format {
        OutputFormat::Json => ui.json(&document(&report))?,
        OutputFormat::Text => ui.view(&view(&report, shown, inactive, ui.columns()))?,
    }
    listing.tell(ui, &scope_problems(&report, shown));
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
    out.push_str(&summary(&layers, &scope_problems(report, shown)));
    out.push('\n');
    out
}

fn document(report: &ScopesReport) -> ExtensionsDocument<'_> {
    ExtensionsDocument {
        kind: "extensions",
        entries: report.scopes.entries.iter().map(with_state).collect(),
        servers: report.mcp.servers.iter().map(with_state).collect(),
        diagnostics: &report.diagnostics,
        audit: &report.audit,
    }
}

/// Explains one name: every layer that has it, and which one is active.
pub fn why(
    ui: &Ui,
    listing: &ListingFlags,
    kind: Option<ListKind>,
    name: &str,
) -> Result<Exit, CommandFailure> {
    let report = &listing.ask()?;
    let groups = match kind {
        None | Some(ListKind::Extensions) => ListingGroup::ALL.to_vec(),
        Some(ListKind::Group(group)) if ListingGroup::ALL.contains(&group) => vec![group],
        Some(kind) => {
            return Err(CommandFailure::usage(format!("`--why` cannot explain {}", kind.as_str()))
                .help(format!("`preface list {} --all` lists them with the reasons", kind.as_str())));
        }
    };
    let shown = groups.as_slice();
    let layers = restricted(&LayerContents::of(report), shown);
    let found = named(&layers, name, shown);
    let untrusted = report.mode == TrustMode::Whole
        && report.diagnostics.iter().any(|note| note.code == DiagnosticCode::TrustUntrusted);
    let project = match report.trust {
        Trust::Declined if untrusted => ProjectVisibility::Declined,
        _ if untrusted => ProjectVisibility::Untrusted,
        _ => ProjectVisibility::Seen,
    };
    if found.is_empty() {
        return Err(unknown(&layers, name, shown, project));
    }
    match listing.format {
        OutputFormat::Json => {
            let entries = rows(report, &found.concat());
            ui.json(&ListDocument::<Value> {
                kind: "extensions",
                entries,
                diagnostics: &report.diagnostics,
            })?;
        }
        OutputFormat::Text => {
            let stories: Vec<String> = found.iter().map(|entries| entry_report(entries, project)).collect();
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
