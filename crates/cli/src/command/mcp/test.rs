//! `preface mcp test`: which servers start and answer, how long that takes, and what is wrong.

use super::query::{self, ServerFlags};
use crate::{
    failure::{CommandFailure, Exit},
    flags::OutputFormat,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::one_line,
    },
};
use preface_engine::mcp::{ServerAnswer, ServerState};

const EXAMPLES: &str = "\
Examples:
  preface mcp test                 try all servers that may run
  preface mcp test git && echo up  try one
  preface mcp test --timeout 2     none may take more than two seconds";

/// Check that MCP servers start and answer
///
/// It records nothing. The exit code is 1 if a server failed, if one that you name may not run, and, if you name none,
/// if an entry of an mcp.json is broken.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Name the servers; without a name all that are active are tried
    #[arg(value_name = "SERVER")]
    servers: Vec<String>,

    #[command(flatten)]
    flags: ServerFlags,
}

/// Tries them.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let answers = args.flags.query(ui, &args.servers, false)?;
    match args.flags.format {
        OutputFormat::Json => ui.json(&query::document(&answers))?,
        OutputFormat::Text if answers.servers.is_empty() => ui.view(&query::table(&[], ui.columns()))?,
        OutputFormat::Text => {
            let mut table = TextTable::new([
                ColumnAlignment::Left,
                ColumnAlignment::Left,
                ColumnAlignment::Right,
                ColumnAlignment::Left,
            ]);
            table.row(
                ["server", "state", "ms", "what it is, or what is wrong"]
                    .map(|head| Cell::styled(head, style::DIM)),
            );
            for server in &answers.servers {
                table.row([
                    Cell::styled(one_line(&server.name), style::BOLD),
                    query::state(server.state),
                    server.ms.map_or_else(String::new, |ms| ms.to_string()).into(),
                    what(server).into(),
                ]);
            }
            ui.view(&table.show(ui.columns()))?;
        }
    }
    args.flags.print_diagnostics(ui, &answers);
    Ok(if answers.all_well() { Exit::Done } else { Exit::Failed })
}

fn what(server: &ServerAnswer) -> String {
    match server.state {
        ServerState::Answered => server.calls_itself.as_deref().map_or_else(String::new, one_line),
        _ => server.diagnostics.last().map_or_else(String::new, |diagnostic| diagnostic.code.to_string()),
    }
}
