//! `preface conversation refresh`: builds a prompt again outside of a compaction.

use super::{AgainFlags, document, id};
use crate::{
    CommandResult, Exit, OutputFormat,
    command::diff::{DiffSide, show},
    diagnostics,
    ui::{Ui, one_line},
};
use preface_core::{lint::hidden::escape_hidden, prompt::Prompt};
use preface_engine::{conversation::Refresh, store::ConversationId};

const EXAMPLES: &str = "\
Examples:
  preface conversation refresh 7f3a --dry-run    what it would change
  preface conversation refresh 7f3a
  preface conversation refresh 7f3a --model large-2
  preface conversation refresh 7f3a --tools read,bash";

/// Build the prompt of a conversation again, and show what that changes
///
/// Everything is looked up afresh, with the template as it is now. A prompt that comes out the same stays, unless
/// another directory, model, preset, template, tools, settings or budget is given. A new prompt takes the place of the
/// stored one, and a provider's cache starts anew at the first difference.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The conversation
    #[arg(value_name = "ID", value_parser = id, add = crate::complete::conversations())]
    id: ConversationId,

    /// Show what would change, and keep what is kept
    #[arg(long)]
    dry_run: bool,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    again: AgainFlags,
}

/// Builds, shows and keeps.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let how = if args.dry_run { Refresh::Show } else { Refresh::Keep };
    let done = args.again.again(&args.id, async |service, options, actor| {
        service.refresh(&args.id, &options, how, None, &actor).await
    })?;
    let revision = done.head.revision.revision;
    match args.format {
        OutputFormat::Json => {
            let mut json = document(&done.head);
            json["constructed"] = done.constructed.into();
            json["difference"] = serde_json::to_value(&done.difference)?;
            ui.json(&json)?;
        }
        OutputFormat::Text => {
            let name = one_line(args.id.as_str());
            let was = if done.constructed { revision.saturating_sub(1) } else { revision };
            let now = match (done.constructed, args.dry_run) {
                (true, _) => format!("revision {revision}"),
                (false, true) => "as it would be now".to_owned(),
                (false, false) => "as it is now".to_owned(),
            };
            let left = DiffSide { name: format!("{name} (revision {was})"), document: done.before };
            let right = DiffSide { name: format!("{name} ({now})"), document: done.after };
            show(ui, &left, &right, &done.difference)?;
        }
    }
    if !ui.is_quiet() {
        let name = escape_hidden(args.id.as_str());
        ui.eprint(&match (done.constructed, done.difference.same, args.dry_run) {
            (true, _, _) => format!("`{name}` is at revision {revision} now.\n"),
            (false, true, _) => format!("`{name}` stays at revision {revision}: nothing changed.\n"),
            (false, false, true) => format!("`{name}` stays at revision {revision}.\n"),
            (false, false, false) => {
                format!("another process was first: `{name}` is now at revision {revision}.\n")
            }
        });
    }
    diagnostics::print(ui, &Prompt { diagnostics: done.diagnostics, ..Prompt::default() });
    Ok(Exit::Done)
}
