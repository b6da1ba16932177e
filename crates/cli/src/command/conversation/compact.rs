//! `preface conversation compact`: the prompt of a compaction turn.

use super::{AgainFlags, document, id};
use crate::{
    failure::{CommandFailure, Exit},
    flags::{OutputFormat, VerbosityFlags},
    notes,
    ui::{Ui, Verbosity},
};
use preface::{
    core::{lint::hidden::escape_hidden, prompt::Prompt},
    store::ConversationId,
};

const EXAMPLES: &str = "\
Examples:
  preface conversation compact 7f3a
  preface conversation compact 7f3a -C ../api --model large-2
  preface conversation compact 7f3a --format json | jq -r .instructions";

/// Build the prompt again for a compaction, and print that turn's prompt
///
/// Everything is looked up afresh, with the template as it is now. What is kept for later turns is the prompt alone; what is
/// printed is the prompt and behind it what the model is to do in this one turn.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The conversation
    #[arg(value_name = "ID", value_parser = id, add = crate::complete::conversations())]
    id: ConversationId,

    /// Choose the form: the text, or a document with prompt and instructions apart
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    again: AgainFlags,

    #[command(flatten)]
    talk: VerbosityFlags,
}

/// Builds, keeps and prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let done = args.again.again(&args.id, async |service, asked, actor| {
        service.compact(&args.id, &asked, None, &actor).await
    })?;
    match args.format {
        OutputFormat::Text => ui.prompt(&done.system_prompt())?,
        OutputFormat::Json => {
            let mut json = document(&done.head);
            json["constructed"] = done.constructed.into();
            json["system_prompt"] = done.system_prompt().into();
            json["prompt"] = (*done.head.text).into();
            json["instructions"] = done.instructions.clone().into();
            ui.json(&json)?;
        }
    }
    let talk = args.talk.talk();
    if talk != Verbosity::Quiet {
        let name = escape_hidden(args.id.as_str());
        let revision = done.head.revision.revision;
        ui.say(&match done.constructed {
            true => format!("`{name}` is at revision {revision} now, without the instructions.\n"),
            false => format!("`{name}` stays at revision {revision}.\n"),
        });
    }
    notes::tell(ui, talk, &Prompt { diagnostics: done.notes, ..Prompt::default() });
    Ok(Exit::Done)
}
