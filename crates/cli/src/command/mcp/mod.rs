//! `preface mcp`: the MCP servers of the layers, and preface as one.

mod asking;
mod inspect;
mod list;
mod refresh;
mod serve;
mod test;

pub use refresh::before_build;

use crate::{
    failure::{Exit, Failure},
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
    command: Command,
}

/// What can be done about servers, by name.
#[derive(Debug, clap::Subcommand)]
#[command(defer = true)]
enum Command {
    Inspect(Box<inspect::Args>),
    List(Box<list::Args>),
    Refresh(Box<refresh::Args>),
    Serve(Box<serve::Args>),
    Test(Box<test::Args>),
}

/// Does it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    match &args.command {
        Command::Inspect(args) => inspect::run(ui, args),
        Command::List(args) => list::run(ui, args),
        Command::Refresh(args) => refresh::run(ui, args),
        Command::Serve(args) => serve::run(ui, args),
        Command::Test(args) => test::run(ui, args),
    }
}
