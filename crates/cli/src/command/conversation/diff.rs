//! `preface conversation diff`: the difference between two stored prompts of a conversation.

use super::{history::replaced, id, requests, unknown};
use crate::{
    command::diff::{DiffSide, show},
    conversation_prompt::known,
    failure::{CommandFailure, Exit},
    flags::OutputFormat,
    store::StoreFlag,
    subject::Subject,
    ui::{Ui, text::one_line},
};
use preface_engine::{
    core::diff::Difference,
    store::{ConversationId, StoredPrompt},
};

const EXAMPLES: &str = "\
Examples:
  preface conversation diff 7f3a          what the last change was
  preface conversation diff 7f3a 1        revision 1 against the current one
  preface conversation diff 7f3a 1 2
  preface conversation diff 7f3a --to 4   request 4 against request 3";

/// Show what changed between two revisions of a stored prompt
///
/// Without FROM it is the revision before the current one, without TO the current one. `preface conversation history` lists
/// the revisions, and with `--requests` the requests that `preface build --conversation ID --format anthropic` recorded.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The conversation
    #[arg(value_name = "ID", value_parser = id, add = crate::complete::conversations())]
    pub(super) id: ConversationId,

    /// The revision before
    #[arg(value_name = "FROM")]
    from: Option<u64>,

    /// The revision after
    #[arg(value_name = "TO")]
    to: Option<u64>,

    /// Compare recorded requests instead: request N with the one of `--to`
    #[arg(long = "from", value_name = "N", conflicts_with = "from")]
    pub(super) from_request: Option<u64>,

    /// Compare recorded requests instead: the one of `--from`, or the one before, with request N
    #[arg(long = "to", value_name = "N", conflicts_with = "from")]
    pub(super) to_request: Option<u64>,

    /// Exit with 1 if they differ
    #[arg(long)]
    pub(super) exit_code: bool,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    pub(super) format: OutputFormat,

    #[command(flatten)]
    pub(super) store: StoreFlag,
}

/// Compares and prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    if args.from_request.is_some() || args.to_request.is_some() {
        return requests::diff(ui, args);
    }
    let found = args.store.look(async |store| {
        let history = replaced(&store, &args.id).await?;
        Ok((known(&store, &args.id).await?, history))
    })?;
    let (current, history) = found.ok_or_else(|| unknown(&args.id))?;
    let last = current.head.revision.revision;
    let all: Vec<&StoredPrompt> = history.iter().map(|one| &one.was).chain([&current]).collect();
    let operand = |revision: u64| -> Result<DiffSide, CommandFailure> {
        let stored = all.iter().find(|one| one.head.revision.revision == revision);
        let stored = stored.ok_or_else(|| {
            CommandFailure::new(format!("unknown revision: {revision}"))
                .help("`preface conversation history ID` lists the revisions")
        })?;
        let document = Subject::kept(stored)?.document()?;
        Ok(DiffSide { name: format!("{} (revision {revision})", one_line(args.id.as_str())), document })
    };
    let before = all.iter().map(|one| one.head.revision.revision).filter(|revision| *revision < last).max();
    if before.is_none() && args.from.is_none() && args.to.is_none() && args.format == OutputFormat::Text {
        ui.view(&format!(
            "`{}` has one revision, so there is nothing to compare.\n",
            one_line(args.id.as_str())
        ))?;
        return Ok(Exit::Done);
    }
    let left = operand(args.from.or(before).unwrap_or(last))?;
    let right = operand(args.to.unwrap_or(last))?;
    let counter = Subject::kept(&current)?.counter()?;
    let difference = Difference::of(&left.document, &right.document, counter.as_ref());
    match args.format {
        OutputFormat::Json => ui.json(&difference)?,
        OutputFormat::Text => show(ui, &left, &right, &difference)?,
    }
    Ok(if args.exit_code && !difference.same { Exit::Failed } else { Exit::Done })
}
