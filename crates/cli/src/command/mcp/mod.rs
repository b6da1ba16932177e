//! `preface mcp`: the MCP servers of the layers, and preface as one.

mod list;
mod serve;

use crate::{
    failure::{Exit, Failure},
    ui::Ui,
};

const EXAMPLES: &str = "\
Examples:
  preface mcp list                every server of every layer, and why
  preface mcp list --active       only those that answer to their name
  preface scopes --why mcp/git    the story of one server
  preface mcp serve               be one: prompts and tools over stdio";

/// Show the MCP servers of the layers, or be one
///
/// They are read from the mcp.json of each layer. This version lists them; it starts none and connects to none. `serve`
/// offers preface itself to any MCP client.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

/// What can be done about servers, by name.
#[derive(Debug, clap::Subcommand)]
#[command(defer = true)]
enum Command {
    List(Box<list::Args>),
    Serve(serve::Args),
}

/// Does it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    match &args.command {
        Command::List(args) => list::run(ui, args),
        Command::Serve(args) => serve::run(ui, args),
    }
}
