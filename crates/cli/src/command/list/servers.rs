//! `preface list servers`: the MCP servers of all layers, and what is recorded of them.

use crate::{
    advice::complete,
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    scopes_view::{
        InactiveRows, ListingFlags, ListingGroup, scope_problems, untrusted_servers, view, with_state,
    },
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{count, listed, one_line},
    },
};
use preface_engine::{
    Engine, ScopesReport,
    core::{
        diagnostic::Diagnostic,
        mcp_servers::{McpServer, RecordedBy, ServerEntry},
        scope::Scope,
    },
    mcp::{RecordingInfo, ServersReport},
};
use serde_json::json;

/// Lists the servers.
pub fn run(ui: &Ui, listing: &ListingFlags, inactive: InactiveRows) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let servers = Engine::new(&system).servers(&listing.request()?);
    let servers = servers?;
    let report = &servers.scopes;
    let problems = scope_problems(report, &[ListingGroup::Mcp]);
    match listing.format {
        OutputFormat::Json => {
            let row = |entry: &ServerEntry| {
                let mut row = with_state(entry);
                let recorded = if entry.active { servers.known.get(&entry.name) } else { None };
                row["recorded"] = json!(recorded);
                row
            };
            let entries = report.mcp.servers.iter().map(row).collect();
            ui.json(&ListDocument::<serde_json::Value> { kind: "servers", entries, diagnostics: &problems })?;
        }
        OutputFormat::Text => {
            let mut out = view(report, ListingGroup::Mcp, inactive, ui.columns());
            if report.mcp.servers.is_empty() {
                out.push_str(&none_found(report, &problems));
            }
            out.push_str(&recorded(&servers, ui.columns()));
            ui.view(&out)?;
        }
    }
    listing.print_diagnostics(ui, &problems);
    Ok(Exit::Done)
}

/// Names the files that would name servers.
fn none_found(report: &ScopesReport, problems: &[Diagnostic]) -> String {
    let dim = style::DIM;
    let places = &report.places;
    let dirs = places.global.iter().map(|dir| (Scope::Global, dir));
    let dirs = dirs.chain(places.project.iter().map(|dir| (Scope::Project, dir)));
    let files: Vec<String> =
        dirs.map(|(scope, dir)| one_line(&places.source(scope, &dir.join("mcp.json")).path)).collect();
    let unread = untrusted_servers(problems)
        .map_or_else(String::new, |path| format!("; {path} is not trusted and was not read"));
    format!("{dim}none found in {}{unread}{dim:#}\n", listed(&files))
}

/// Formats what is recorded of the servers that may run, and when it was recorded.
fn recorded(report: &ServersReport, room: Option<usize>) -> String {
    let mut table = TextTable::new([ColumnAlignment::Left, ColumnAlignment::Left]);
    let mut any = false;
    for server in report.scopes.mcp.servers.iter().filter(|server| server.runnable) {
        any = true;
        let name = Cell::from(format!("  {}", one_line(&server.name)));
        match report.known.get(&server.name) {
            Some(known) => table.row([name, about(known).into()]),
            None if matches!(server.value.server, Some(McpServer::Sse(_))) => {
                let why = "not supported: preface has no support for the SSE transport";
                table.row([name, Cell::styled(why, style::DIM)]);
            }
            None => {
                let how = format!("nothing recorded: run `preface mcp refresh {}`", server.word());
                table.row([name, Cell::styled(complete(&how).into_owned(), style::DIM)]);
            }
        }
    }
    if !any {
        return String::new();
    }
    let bold = style::BOLD;
    format!("{bold}recorded{bold:#}\n{}", table.show(room))
}

fn about(known: &RecordingInfo) -> String {
    let mut parts =
        vec![count(known.tools, "tool"), count(known.prompts, "prompt"), count(known.resources, "resource")];
    parts.retain(|one| !one.starts_with("0 "));
    let what = if parts.is_empty() { "no tools".to_owned() } else { parts.join(", ") };
    let when = match (known.by, known.age) {
        (RecordedBy::Hand, _) => {
            format!("written by hand, used instead of a recording: {}", one_line(&known.path))
        }
        (RecordedBy::Preface, Some(age)) => ago(age),
        (RecordedBy::Preface, None) => "at an unknown time".to_owned(),
    };
    let itself =
        known.calls_itself.as_deref().map(|name| format!("; {}", one_line(name))).unwrap_or_default();
    format!("{what}; {when}{itself}")
}

/// Formats an age: `3 minutes ago`.
fn ago(seconds: u64) -> String {
    let seconds = usize::try_from(seconds).unwrap_or(usize::MAX);
    let (many, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..172_800 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{} ago", count(many, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_one_unit() {
        for (seconds, expected) in [
            (0, "just now"),
            (61, "1 minute ago"),
            (7200, "2 hours ago"),
            (172_799, "47 hours ago"),
            (172_800, "2 days ago"),
        ] {
            assert_eq!(ago(seconds), expected);
        }
    }
}
