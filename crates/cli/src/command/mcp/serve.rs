//! `preface mcp serve`: preface as an MCP server for the client that started it.

mod answer;
mod arguments;
mod offer;
mod schema;

use crate::{
    failure::{CommandFailure, Exit, words},
    files,
    flags::home_trust,
    roots::roots,
    ui::Ui,
};
use offer::PresetOffer;
use preface_engine::mcp_protocol::serve_stdio;
use std::{path::PathBuf, sync::Arc};

const EXAMPLES: &str = "\
Examples:
  preface mcp serve                     for the directory it is started in
  preface mcp serve --root ~/src        for everything below ~/src
  preface mcp serve --verbose 2> log    and log the requests

In the mcp.json of a client:
  {\"mcpServers\": {\"preface\": {\"command\": \"preface\", \"args\": [\"mcp\", \"serve\"]}}}

Prompts: one for each preset. Tools: build, explain, lint, request.
None of them changes anything.";

/// Run preface as an MCP server over stdin and stdout
///
/// For any MCP client, which starts it: prompts, one for each preset, and the tools build, explain, lint and request. It writes nothing,
/// trusts nothing and opens no store: untrusted files are left out and reported. A project is read
/// below the roots alone. It ends when stdin does. With `-v` each request and its result is logged to stderr.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Let clients name DIR and what lies below, instead of the current directory; may be given again
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,

    /// Use HOME, XDG_CONFIG_HOME and PREFACE_HOME as they are, even inside of the project
    #[arg(long)]
    trust_home: bool,
}

/// Serves until stdin ends.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let roots = roots(&files::system(), &args.root)?;
    let prompts = PresetOffer::new(*ui, roots, home_trust(args.trust_home))?;
    serve_stdio(Arc::new(prompts))
        .map(|()| Exit::Done)
        .map_err(|error| CommandFailure::new(format!("the MCP client was not served: {}", words(&error))))
}
