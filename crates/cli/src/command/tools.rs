//! `preface tools`: the tools that a model may be given, and where each comes from.

use crate::{
    failure::{Exit, Failure},
    files,
    flags::Format,
    scopes_view::{Group, Inactive, ListingFlags, troubles, view},
    ui::{
        Ui, style,
        table::{Cell, Side, Table},
        text::one_line,
    },
};
use preface::{
    Engine,
    core::{
        extension::Category,
        turn::{OF_SERVER, Tool},
    },
    mcp::ServersReport,
};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  preface tools
  preface tools --all
  preface tools --format json | jq -r '.[] | select(.active).name'
  preface scopes --why bash";

/// List the tools that a model may be given
///
/// With its layer, and what it hides, and those of MCP servers as they were recorded. `--all` adds what is hidden, switched off, broken or held, and why.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Show what is not active, too, and why
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    listing: ListingFlags,
}

/// Lists them.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let system = files::system();
    let servers = Engine::new(&system).servers(&args.listing.request()?);
    let servers = servers.map_err(|error| args.listing.failed(error))?;
    let group = Group::Extensions(Category::Tools);
    match args.listing.format {
        Format::Json => {
            let rows = servers.scopes.scopes.of(Category::Tools).map(|entry| json!(entry));
            ui.json(&rows.chain(servers.tools.iter().map(|tool| row(tool, &servers))).collect::<Vec<_>>())?;
        }
        Format::Text => {
            let mut out = view(&servers.scopes, group, Inactive::of_all(args.all), ui.columns());
            out.push_str(&of_servers(&servers, ui.columns()));
            ui.view(&out)?;
        }
    }
    args.listing.tell(ui, &troubles(&servers.scopes, &[group]));
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
        "server": server(tool),
        "about": tool.description,
    })
}

/// The tools of servers, as they were recorded.
fn of_servers(report: &ServersReport, room: Option<usize>) -> String {
    if report.tools.is_empty() {
        return String::new();
    }
    let mut table = Table::new([Side::Left, Side::Left, Side::Left]);
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
