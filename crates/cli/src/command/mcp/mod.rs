//! `preface mcp`: the MCP servers of the layers, and preface as one.

mod query;
mod refresh;
mod serve;

pub use refresh::before_build;

use crate::{CommandResult, Ui};

const EXAMPLES: &str = "\
Examples:
  preface mcp refresh             query all servers that may run, and record it
  preface mcp refresh --dry-run   show what they offer, record nothing
  preface mcp serve               serve prompts and tools over stdio
  preface list servers            list the servers of all layers";

/// Query MCP servers and record what they offer, or run preface as an MCP server
///
/// Servers are configured in the mcp.json of each layer. `refresh` queries them for what they offer and records it; builds read the
/// recordings and start nothing. `serve` offers preface itself to any MCP client.
#[derive(Debug, clap::Subcommand)]
#[command(after_long_help = EXAMPLES)]
pub enum Args {
    Refresh(Box<refresh::Args>),
    Serve(Box<serve::Args>),
}

/// Runs the subcommand.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    match args {
        Args::Refresh(args) => refresh::run(ui, args),
        Args::Serve(args) => serve::run(args),
    }
}
