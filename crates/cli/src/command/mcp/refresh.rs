//! `preface mcp refresh`: queries servers and records their offers.

use super::query::{self, ServerFlags};
use crate::{CommandResult, Exit, Ui};
use preface_engine::{BuildOptions, mcp::QueryOptions};

const EXAMPLES: &str = "\
Examples:
  preface mcp refresh                  query all servers that may run
  preface mcp refresh git docs         ask two of them
  preface mcp refresh --timeout 90     give each a minute and a half
  preface mcp refresh --dry-run git    show what it offers, record nothing
  preface mcp refresh --format json | jq '.entries[].diagnostics'";

/// Query MCP servers for what they offer, and record it
///
/// Each server that may run is started or reached, asked for its tools, prompts and resources and for what the profile's
/// sections want of it, and let go. Its replies are recorded; builds read the recording and start nothing. A server that
/// does not answer leaves its recording as it is. `--format json` has everything that they offer. One of a project is asked once you allowed exactly what it would do:
/// `preface trust grant --allow-commands`.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Name the servers; without a name all that are active are asked
    #[arg(value_name = "SERVER")]
    servers: Vec<String>,

    /// Show what the servers offer, and record nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    flags: ServerFlags,
}

/// Queries and records.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let (names, deadline, record) = (args.servers.clone(), args.flags.timeout, !args.dry_run);
    let options = QueryOptions { names, deadline, record, ..QueryOptions::default() };
    let answers = query::query(ui, &args.flags.request()?, &options)?;
    ui.show(args.flags.format, &query::document(&answers), || {
        let offers = answers.servers.iter().filter(|_| args.dry_run);
        let offers = offers.map(|server| query::offers(server, ui.columns()));
        query::table(&answers.servers, ui.columns()) + &offers.collect::<String>()
    })?;
    query::print_diagnostics(ui, &answers);
    Ok(if answers.all_well() { Exit::Done } else { Exit::Failed })
}

/// Does it before a build, which goes on whatever came of it.
pub fn before_build(ui: &Ui, request: &BuildOptions) -> CommandResult<()> {
    let mut answers = query::query(ui, request, &QueryOptions::default())?;
    // The build reports the layers itself.
    answers.diagnostics.clear();
    query::print_diagnostics(ui, &answers);
    Ok(())
}
