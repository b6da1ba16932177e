//! `preface list tools`: the tools that a model may be given, and where each comes from.

use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    scopes_view::{EntryState, InactiveRows, ListingFlags, ListingGroup, scope_problems, view, with_state},
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::one_line,
    },
};
use preface_engine::{
    Engine, Request, ToolChoice,
    core::{
        extension::Category,
        turn::{OF_SERVER, Tool},
    },
    mcp::ServersReport,
};
use serde_json::{Value, json};

/// Lists the tools.
pub fn run(ui: &Ui, listing: &ListingFlags, inactive: InactiveRows) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let request = listing.request()?;
    let servers = Engine::new(&system).servers(&request);
    let mut servers = servers?;
    if let ToolChoice::Named(names) = &request.tools {
        let is_of = |category: Category, name: &String| category != Category::Tools || names.contains(name);
        servers.scopes.scopes.entries.retain(|entry| is_of(entry.value.category, &entry.name));
        servers.tools.retain(|tool| names.contains(&tool.name));
    }
    let group = ListingGroup::Extensions(Category::Tools);
    let problems = scope_problems(&servers.scopes, &[group]);
    match listing.format {
        OutputFormat::Json => {
            let rows = servers.scopes.scopes.of(Category::Tools).map(with_state);
            let entries = rows.chain(servers.tools.iter().map(|tool| row(tool, &servers))).collect();
            ui.json(&ListDocument::<Value> { kind: "tools", entries, diagnostics: &problems })?;
        }
        OutputFormat::Text => {
            let mut out = view(&servers.scopes, group, inactive, ui.columns());
            out.push_str(&of_servers(&servers, ui.columns()));
            out.push_str(&used(&servers));
            ui.view(&out)?;
        }
    }
    listing.print_diagnostics(ui, &problems);
    Ok(Exit::Done)
}

/// The server that a tool is of, by name.
fn server(tool: &Tool) -> &str {
    tool.source.as_deref().and_then(|source| source.strip_prefix(OF_SERVER)).unwrap_or_default()
}

/// A tool of a server with the keys of an extension's row, as far as it has them.
fn row(tool: &Tool, report: &ServersReport) -> Value {
    let origin = report.scopes.mcp.active(server(tool)).map(|server| &server.origin);
    json!({
        "category": Category::Tools,
        "name": tool.name,
        "origin": origin,
        "active": true,
        "runnable": true,
        "state": EntryState::Active.word(),
        "server": server(tool),
        "about": tool.description,
    })
}

/// Names the tools that a build lists in the prompt and defines in the request.
fn used(report: &ServersReport) -> String {
    match report.used.as_slice() {
        [] => format!("used by a build: {NONE_USED}\n"),
        names => format!("used by a build: {}\n", one_line(&names.join(", "))),
    }
}

/// The tools of a build that has none.
const NONE_USED: &str = "none; name tools with `--tools`";

/// Returns the number of tools that a build uses, beside the number of those that are active.
pub fn used_count(request: &Request) -> Result<String, CommandFailure> {
    Ok(match Engine::new(&files::system()).servers(request)?.used.len() {
        0 => format!("used by a build: {NONE_USED}"),
        count => format!("used by a build: {count}"),
    })
}

/// The tools of servers, as they were recorded.
fn of_servers(report: &ServersReport, room: Option<usize>) -> String {
    if report.tools.is_empty() {
        return String::new();
    }
    let mut table = TextTable::new([ColumnAlignment::Left, ColumnAlignment::Left, ColumnAlignment::Left]);
    for tool in &report.tools {
        let about = tool.description.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
        table.row([
            Cell::styled(format!("  {}", one_line(&tool.name)), style::BOLD),
            one_line(server(tool)).into(),
            one_line(about).into(),
        ]);
    }
    let bold = style::BOLD;
    format!("{bold}of MCP servers, as recorded{bold:#}\n{}", table.show(room))
}
