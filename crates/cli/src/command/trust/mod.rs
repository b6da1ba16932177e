//! `preface trust`: which files of a project are trusted.

mod diff;
mod export;
mod grant;
mod list;
mod revoke;
mod status;

use crate::{CommandResult, Ui};
use preface_engine::host::trust::gate::{GateVerdict, GatedText};

const EXAMPLES: &str = "\
Examples:
  preface trust                   list the project's files and their state
  preface trust diff              show what is new or changed, line by line
  preface trust grant             trust all of them
  preface trust grant AGENTS.md   trust one file
  preface trust revoke            revoke every grant
  preface trust --preset stud     use another preset";

/// Manage which project files are trusted
///
/// A project's files are included in the prompt only after you trust them. In the preset `default` a grant is for the
/// content: a file that is new or changed is left out until you grant it again. `stud` trusts the project directory as a
/// whole: a changed file is included with a warning. Other presets include project files without a grant. Grants are stored
/// outside of every project. Without a subcommand: `status`.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<TrustCommand>,

    #[command(flatten)]
    status: status::Args,
}

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
enum TrustCommand {
    Diff(diff::Args),
    Export(export::Args),
    Grant(grant::Args),
    List(list::Args),
    Revoke(revoke::Args),
    Status(status::Args),
}

/// Runs the subcommand.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let Some(command) = &args.command else { return status::run(ui, &args.status) };
    match command {
        TrustCommand::Diff(args) => diff::run(ui, args),
        TrustCommand::Export(args) => export::run(ui, args),
        TrustCommand::Grant(args) => grant::run(ui, args),
        TrustCommand::List(args) => list::run(ui, args),
        TrustCommand::Revoke(args) => revoke::run(ui, args),
        TrustCommand::Status(args) => status::run(ui, args),
    }
}

/// The word for how a text fared.
fn word(seen: &GatedText) -> &'static str {
    match seen.verdict {
        GateVerdict::Included => "granted",
        GateVerdict::UntrustedNew | GateVerdict::Denied => "new",
        GateVerdict::UntrustedChanged => "changed",
        GateVerdict::UntrustedShared => "shared",
    }
}
