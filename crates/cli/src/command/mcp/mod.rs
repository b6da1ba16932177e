//! `preface mcp`: the MCP servers of the layers, and preface as one.

mod asking;
mod inspect;
mod list;
mod refresh;
mod serve;
mod test;

pub use refresh::before_build;

use crate::{
    failure::{CommandFailure, Exit},
    ui::Ui,
};

const EXAMPLES: &str = "\
Examples:
  preface mcp list                every server of every layer, and why
  preface mcp list --active       only those that answer to their name
  preface mcp refresh             ask all that may run, and record it
  preface mcp inspect git         all that one of them says
  preface mcp test                does each start and answer
  preface mcp serve               be one: prompts and tools over stdio
  preface scopes --why mcp/git    the story of one server";

/// Show and ask the MCP servers of the layers, or be one
///
/// They are read from the mcp.json of each layer. `refresh` asks them what they offer and records it; builds read the
/// recordings and start nothing. `serve` offers preface itself to any MCP client.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: McpCommand,
}

/// What can be done about servers, by name.
#[derive(Debug, clap::Subcommand)]
#[command(defer = true)]
enum McpCommand {
    Inspect(Box<inspect::Args>),
    List(Box<list::Args>),
    Refresh(Box<refresh::Args>),
    Serve(Box<serve::Args>),
    Test(Box<test::Args>),
}

/// Does it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    match &args.command {
        McpCommand::Inspect(args) => inspect::run(ui, args),
        McpCommand::List(args) => list::run(ui, args),
        McpCommand::Refresh(args) => refresh::run(ui, args),
        McpCommand::Serve(args) => serve::run(ui, args),
        McpCommand::Test(args) => test::run(ui, args),
    }
}
