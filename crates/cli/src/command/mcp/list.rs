//! `preface mcp list`: the merged servers of all layers, what of them is active, from where, hiding what.

use crate::{
    failure::{Exit, Failure},
    flags::Format,
    scopes_view::{Group, Inactive, ListingFlags, troubles, view},
    ui::{Ui, style},
};

const EXAMPLES: &str = "\
Examples:
  preface mcp list
  preface mcp list --active
  preface mcp list --format json | jq -r '.[] | select(.active).name'
  preface scopes --why mcp/git";

/// What no table of servers may leave open.
const NOT_STARTED: &str = "listed, not started: this version connects to no server";

/// List the MCP servers of all layers
///
/// With layer, state, transport, and the program or address. A server of a stronger layer replaces one of the same name
/// whole; `"disable": true` takes one away. Values of variables and headers never show. The servers are listed, not
/// started: this version of preface connects to none.
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
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let report = args.listing.ask()?;
    match args.listing.format {
        Format::Json => ui.json(&report.mcp.servers)?,
        Format::Text => {
            let dim = style::DIM;
            let inactive = if args.active { Inactive::LeftOut } else { Inactive::Shown };
            let mut out = view(&report, Group::Mcp, inactive, ui.columns());
            out.push_str(&format!("{dim}{NOT_STARTED}{dim:#}\n"));
            ui.view(&out)?;
        }
    }
    args.listing.tell(ui, &troubles(&report, &[Group::Mcp]));
    Ok(Exit::Done)
}
