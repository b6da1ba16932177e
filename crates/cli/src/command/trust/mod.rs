//! `preface trust`: which text of a project may speak.

mod diff;
mod export;
mod grant;
mod list;
mod revoke;
mod status;

use crate::{
    failure::{CommandFailure, Exit},
    ui::Ui,
};
use preface::host::gate::{GateVerdict, GatedText};

const EXAMPLES: &str = "\
Examples:
  preface trust status            what would be held, and why
  preface trust diff              what is new or changed, line by line
  preface trust grant             let all of it speak
  preface trust grant AGENTS.md   or only this file
  preface trust revoke            take everything back
  preface trust status --preset stud   or of another preset";

/// Say which text of a project may speak
///
/// Text of a project reaches the prompt only after you granted it. In the preset `default` a grant is pinned to the content:
/// text that is new or changed is held until you grant it again. `stud` trusts the project directory as a whole: an edit takes
/// effect, with a warning. Other presets have no gate for text. Grants are kept outside of every project.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: TrustCommand,
}

/// What can be done about trust, by name.
#[derive(Debug, clap::Subcommand)]
#[command(defer = true)]
enum TrustCommand {
    Diff(diff::Args),
    Export(export::Args),
    Grant(grant::Args),
    List(list::Args),
    Revoke(revoke::Args),
    Status(status::Args),
}

/// Does it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    match &args.command {
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
        GateVerdict::Speaks => "granted",
        GateVerdict::HeldNew | GateVerdict::Denied => "new",
        GateVerdict::HeldChanged => "changed",
        GateVerdict::HeldShared => "shared",
    }
}

/// States that a profile without a gate needs no grant for files, for a sentence that begins with "the".
fn ungated(preset: &str) -> String {
    format!("profile `{preset}` includes the files of a project without a grant")
}
