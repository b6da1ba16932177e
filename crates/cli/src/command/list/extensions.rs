//! `preface list extensions`: the extensions and servers of all layers, and `--why NAME`.

use super::ListKind;
use crate::{
    advice::complete,
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    scopes_view::{
        InactiveRows, LayerContents, ListingFlags, ListingGroup, ListingRow, ProjectVisibility, entry_report,
        named, restricted, rewrites, scope_problems, table, totals, unknown, unread_servers, with_state,
    },
    ui::{Ui, text::one_line},
};
use preface_engine::{
    Engine, ScopesReport,
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
    diagnostics: &'a [preface_engine::core::diagnostic::Diagnostic],
    audit: &'a [preface_engine::core::audit::AuditEvent],
}

/// Lists the extensions and the servers.
pub fn run(ui: &Ui, listing: &ListingFlags, inactive: InactiveRows) -> Result<Exit, CommandFailure> {
    let report = listing.report()?;
    let shown = &ListingGroup::ALL;
    match listing.format {
        OutputFormat::Json => ui.json(&document(&report))?,
        OutputFormat::Text => ui.view(&view(&report, shown, inactive, ui.columns()))?,
    }
    listing.print_diagnostics(ui, &scope_problems(&report, shown));
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
    out.push_str(&totals(&layers, &scope_problems(report, shown)));
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
    let report = &listing.report()?;
    let of_name = name
        .split_once('/')
        .and_then(|(kind, _)| ListKind::OTHERS.into_iter().find(|one| one.as_str() == kind));
    let groups = match kind.or(of_name) {
        None => ListingGroup::every().collect(),
        Some(ListKind::Extensions) => ListingGroup::ALL.to_vec(),
        Some(ListKind::Group(group)) => vec![group],
        Some(kind) => {
            return Err(CommandFailure::usage(format!("`--why` cannot explain {}", kind.as_str()))
                .help(format!("`preface list {}` lists them", kind.as_str())));
        }
    };
    let shown = groups.as_slice();
    let mut layers = restricted(&LayerContents::of(report), shown);
    let (system, request) = (files::system(), listing.request()?);
    let engine = Engine::new(&system);
    if groups.contains(&ListingGroup::Skills) {
        layers.skills = engine.skills(&request)?.skills;
    }
    if groups.contains(&ListingGroup::Agents) {
        layers.agents = engine.agents(&request)?.agents;
    }
    let found = named(&layers, name, shown);
    let untrusted = report.mode == TrustMode::Whole
        && report.diagnostics.iter().any(|diagnostic| diagnostic.code == DiagnosticCode::TrustUntrusted);
    let project = match report.trust {
        Trust::Declined if untrusted => ProjectVisibility::Declined,
        _ if untrusted => ProjectVisibility::Untrusted,
        _ => ProjectVisibility::Seen,
    };
    if found.is_empty() {
        let is_server = groups.contains(&ListingGroup::Mcp)
            && of_name.is_none_or(|of_name| of_name == ListKind::Group(ListingGroup::Mcp));
        let message = format!("no layer has `{}`", one_line(name));
        if let Some(failure) = unread_servers(&message, &report.diagnostics).filter(|_| is_server) {
            return Err(failure);
        }
        return Err(unknown(&layers, name, shown, project));
    }
    match listing.format {
        OutputFormat::Json => {
            let entries = rows(&layers, &found.concat());
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

/// Returns the entries that rows show.
fn rows(layers: &LayerContents, shown: &[ListingRow<'_>]) -> Vec<Value> {
    let is = |group: ListingGroup, name: &str, origin| {
        shown.iter().any(|row| (row.group, row.name) == (group, name) && row.origin == origin)
    };
    let entries = layers
        .scopes
        .entries
        .iter()
        .filter(|entry| is(ListingGroup::Extensions(entry.value.category), &entry.name, &entry.origin));
    let servers =
        layers.mcp.servers.iter().filter(|server| is(ListingGroup::Mcp, &server.name, &server.origin));
    let skills = layers.skills.iter().filter(|skill| is(ListingGroup::Skills, &skill.name, &skill.origin));
    let agents = layers.agents.iter().filter(|agent| is(ListingGroup::Agents, &agent.name, &agent.origin));
    let extensions = entries.map(with_state).chain(servers.map(with_state));
    extensions.chain(skills.map(with_state)).chain(agents.map(with_state)).collect()
}
