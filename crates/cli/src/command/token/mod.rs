//! `preface token`: the credentials of the service.

mod create;
mod list;
mod revoke;

use crate::{CommandResult, Ui};

const EXAMPLES: &str = "\
Examples:
  preface token create ci --expires 90d      print a new token
  preface token list                      list the tokens
  preface token revoke ci                 make it invalid";

/// Manage the tokens of the service
///
/// A service that listens beyond its own machine, or that runs with `--require-token`, answers only requests with a token. Each
/// token has a name, which is recorded with the changes made with it, a role, and optionally an end. Roles: `metrics`
/// (numbers and health), `read` (stored prompts and templates), `analyze` (also previews, which read files below the
/// roots), `converse` (also turns of conversations), `write` (everything). The store keeps a digest of the token and never
/// the token itself.
#[derive(Debug, clap::Subcommand)]
#[command(after_long_help = EXAMPLES)]
pub enum Args {
    Create(create::Args),
    List(list::Args),
    Revoke(revoke::Args),
}

/// Runs the subcommand.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    match args {
        Args::Create(args) => create::run(ui, args),
        Args::List(args) => list::run(ui, args),
        Args::Revoke(args) => revoke::run(ui, args),
    }
}
