//! `preface access`: who may ask a service that listens beyond its own machine.

mod add;
mod list;
mod remove;

use crate::{
    failure::{Exit, Failure},
    ui::Ui,
};

const EXAMPLES: &str = "\
Examples:
  preface access add ci --role read        print a new token, once
  preface access list                      who may ask, and since when
  preface access remove ci                 end that";

/// Say who may ask the service from other machines
///
/// A service that listens beyond its own machine lets in only those who send a token. Each token has a name, under which
/// the changes are written down, and a role: `read` looks, `converse` has prompts constructed, too, `write` changes
/// templates, too. The store keeps a digest of the token and never the token itself.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

/// What can be done about access, by name.
#[derive(Debug, clap::Subcommand)]
#[command(defer = true)]
enum Command {
    Add(add::Args),
    List(list::Args),
    Remove(remove::Args),
}

/// Does it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    match &args.command {
        Command::Add(args) => add::run(ui, args),
        Command::List(args) => list::run(ui, args),
        Command::Remove(args) => remove::run(ui, args),
    }
}
