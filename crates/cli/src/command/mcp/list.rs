//! `preface mcp list`: the merged servers of all layers, what of them is active, from where, hiding what, and what is recorded.

use crate::{
    advice::complete,
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    scopes_view::{InactiveRows, ListingFlags, ListingGroup, troubles, view, with_state},
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{count, one_line},
    },
};
use preface::{
    Engine,
    core::mcp_servers::{McpServer, RecordedBy, ServerEntry},
    mcp::{RecordingInfo, ServersReport},
};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface mcp list
  preface mcp list --active
  preface mcp list --format json | jq -r '.[] | select(.active).name'
  preface scopes --why mcp/git";

/// List the MCP servers of all layers
///
/// With layer, state, transport, and the program or address, and what is recorded of those that may run. A server of a
/// stronger layer replaces one of the same name whole; `"disable": true` takes one away. Values of variables and headers
/// never show. No server is started here: `preface mcp refresh` does.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Leave out what is not active
    #[arg(long)]
    active: bool,

    #[command(flatten)]
    listing: ListingFlags,
}

/// Lists them.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let servers = Engine::new(&system).servers(&args.listing.request()?);
    let servers = servers.map_err(|error| args.listing.failed(error))?;
    let report = &servers.scopes;
    match args.listing.format {
        OutputFormat::Json => {
            let row = |entry: &ServerEntry| {
                let mut row = with_state(entry);
                row["recorded"] = match &entry.active {
                    true => json!(servers.known.get(&entry.name)),
                    false => serde_json::Value::Null,
                };
                row
            };
            ui.json(&report.mcp.servers.iter().map(row).collect::<Vec<_>>())?;
        }
        OutputFormat::Text => {
            let inactive = if args.active { InactiveRows::LeftOut } else { InactiveRows::Shown };
            let mut out = view(report, ListingGroup::Mcp, inactive, ui.columns());
            out.push_str(&recorded(&servers, ui.columns()));
            ui.view(&out)?;
        }
    }
    args.listing.tell(ui, &troubles(report, &[ListingGroup::Mcp]));
    Ok(Exit::Done)
}

/// Says what is recorded of the servers that may run. When it was written is told here and nowhere else.
fn recorded(report: &ServersReport, room: Option<usize>) -> String {
    let mut table = TextTable::new([ColumnAlignment::Left, ColumnAlignment::Left]);
    let mut any = false;
    for server in report.scopes.mcp.servers.iter().filter(|server| server.runnable) {
        any = true;
        let name = Cell::from(format!("  {}", one_line(&server.name)));
        match report.known.get(&server.name) {
            Some(known) => table.row([name, about(known).into()]),
            None if matches!(server.value.server, Some(McpServer::Sse(_))) => {
                let why = "nothing: preface does not speak SSE, the older way";
                table.row([name, Cell::styled(why, style::DIM)]);
            }
            None => {
                let how = format!("nothing: `preface mcp refresh {}` asks it", server.word());
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
    let mut said =
        vec![count(known.tools, "tool"), count(known.prompts, "prompt"), count(known.resources, "resource")];
    said.retain(|one| !one.starts_with("0 "));
    let what = if said.is_empty() { "no tools".to_owned() } else { said.join(", ") };
    let when = match (known.by, known.age) {
        (RecordedBy::Hand, _) => format!("written by hand, which counts first: {}", one_line(&known.path)),
        (RecordedBy::Preface, Some(age)) => ago(age),
        (RecordedBy::Preface, None) => "nobody knows when".to_owned(),
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
    fn an_age_is_told_in_the_unit_that_people_use() {
        for (seconds, said) in [
            (0, "just now"),
            (61, "1 minute ago"),
            (7200, "2 hours ago"),
            (172_799, "47 hours ago"),
            (172_800, "2 days ago"),
        ] {
            assert_eq!(ago(seconds), said);
        }
    }
}
