//! `preface access`: who may ask a service that listens beyond its own machine.

mod add;
mod list;
mod remove;

use crate::{
    failure::{CommandFailure, Exit},
    ui::Ui,
};

const EXAMPLES: &str = "\
Examples:
  preface access add ci --expires 90d      print a new token, once
  preface access list                      who may ask, and since when
  preface access remove ci                 end that";

/// Manage the access tokens of the service
///
/// A service that listens beyond its own machine, or that runs with `--require-token`, answers only requests with a token. Each
/// token has a name, which is recorded with the changes made with it, a role, and where wanted an end. Roles: `metrics`
/// (numbers and health), `read` (stored prompts and templates), `analyze` (also previews, which read files below the
/// roots), `converse` (also turns of conversations), `write` (everything). The store keeps a digest of the token and never
/// the token itself.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: TokenCommand,
}

/// What can be done about access, by name.
#[derive(Debug, clap::Subcommand)]
#[command(defer = true)]
enum TokenCommand {
    Add(add::Args),
    List(list::Args),
    Remove(remove::Args),
}

/// Does it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    match &args.command {
        TokenCommand::Add(args) => add::run(ui, args),
        TokenCommand::List(args) => list::run(ui, args),
        TokenCommand::Remove(args) => remove::run(ui, args),
    }
}
