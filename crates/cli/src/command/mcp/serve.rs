//! `preface mcp serve`: preface as an MCP server for the client that started it.

mod server;

use crate::{CommandFailure, CommandResult, Exit, flags::home_trust, roots::roots};
use rmcp::{serve_server, service::ServerInitializeError, transport::stdio};
use std::{path::PathBuf, time::Duration};

const EXAMPLES: &str = "\
Examples:
  preface mcp serve                 for the directory it is started in
  preface mcp serve --root ~/src    for everything below ~/src

In the mcp.json of a client:
  {\"mcpServers\": {\"preface\": {\"command\": \"preface\", \"args\": [\"mcp\", \"serve\"]}}}

Prompts: one for each preset. Tools: build, explain, lint.
None of them changes anything.";

/// Run preface as an MCP server over stdin and stdout
///
/// For any MCP client, which starts it: prompts, one for each preset, and the tools build, explain and lint. It writes nothing,
/// trusts nothing and opens no store: untrusted files are left out and reported. A project is read
/// below the roots alone. It ends when stdin does.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Let clients name DIR and what lies below, instead of the current directory; may be given again
    #[arg(long, value_name = "DIR", value_parser = crate::roots::parse)]
    root: Vec<PathBuf>,

    /// Use HOME, XDG_CONFIG_HOME and PREFACE_HOME as they are, even inside of the project
    #[arg(long)]
    trust_home: bool,
}

/// Serves until stdin ends.
pub fn run(args: &Args) -> CommandResult {
    let server = server::Server::new(roots(&args.root)?, home_trust(args.trust_home))?;
    let failed = |error: String| CommandFailure::new(format!("the MCP client was not served: {error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(6)
        .enable_all()
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let served = runtime.block_on(async {
        match serve_server(server, stdio()).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
            // A client that leaves before its first message is no error.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    });
    // A thread may still wait for stdin.
    runtime.shutdown_timeout(Duration::from_millis(200));
    served.map(|()| Exit::Done).map_err(failed)
}
