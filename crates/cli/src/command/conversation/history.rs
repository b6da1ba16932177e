//! `preface conversation history`: the prompts of a conversation.

use super::{audit, document, from, id, requests, unknown};
use crate::{
    CommandFailure, CommandResult, Exit, ListDocument, OutputFormat, StoreFlag,
    conversation_prompt::known,
    store::pages,
    ui::{Cell, TextTable, Ui, minute, number, style},
};
use preface_core::diagnostic::Remedy;
use preface_engine::store::{ConversationId, StoredPrompt, format_instant};
use std::cmp::Reverse;

const EXAMPLES: &str = "\
Examples:
  preface conversation history 7f3a
  preface conversation history 7f3a 1 > first-prompt.md
  preface conversation history 7f3a --requests
  preface conversation history --audit        all changes of the store
  preface conversation history --audit --all --format json > audit.json
  preface conversation history --audit --trim-older-than 90d";

/// List the current and the earlier prompts of a conversation, or print one of them
///
/// A compaction or a refresh replaces the prompt. The latest revision is the first row. `preface diff conversation:ID` compares two.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The conversation
    #[arg(value_name = "ID", value_parser = id, required_unless_present = "audit", add = crate::complete::conversations())]
    id: Option<ConversationId>,

    /// Print the prompt of this revision; off a terminal exactly its bytes
    #[arg(value_name = "REVISION", conflicts_with = "format")]
    revision: Option<u64>,

    /// List the recorded requests instead, and how far each extends the one before
    #[arg(long, conflicts_with = "revision")]
    requests: bool,

    #[command(flatten)]
    audit: audit::AuditFlags,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    store: StoreFlag,
}

/// Prints a list, or one prompt.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let Some(id) = &args.id else { return audit::run(ui, &args.audit, &args.store, args.format) };
    if args.requests {
        return requests::list(ui, &args.store, id, args.format);
    }
    let prompts = stored_prompts(&args.store, id)?;
    if let Some(revision) = args.revision {
        let Some((prompt, _)) = prompts.iter().find(|(prompt, _)| prompt.head.revision.revision == revision)
        else {
            return Err(CommandFailure::new(format!("unknown revision: {revision}"))
                .help(Remedy::command("see the revisions", "conversation history ID")));
        };
        ui.prompt(&prompt.head.text)?;
        return Ok(Exit::Done);
    }
    let rows = prompts.iter().map(|(prompt, replaced_at)| {
        let mut row = document(&prompt.head);
        row["replaced_at"] = replaced_at.map(format_instant).into();
        row
    });
    ui.show(args.format, &ListDocument::of("prompts", rows), || view(&prompts, ui.columns()))
}

fn view(prompts: &[(StoredPrompt, Option<jiff::Timestamp>)], room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut table = TextTable::headed(["rev", "reason", "built", "replaced", "bytes", "from"]).right(&[0, 4]);
    for (StoredPrompt { head, .. }, replaced_at) in prompts {
        table.row([
            Cell::styled(head.revision.revision.to_string(), style::BOLD),
            head.reason.as_str().into(),
            Cell::styled(minute(head.constructed_at), dim),
            match replaced_at {
                Some(replaced_at) => Cell::styled(minute(replaced_at), dim),
                None => Cell::styled("current", style::GOOD),
            },
            number(head.text.len()).into(),
            from(head).into(),
        ]);
    }
    table.show(room)
}

/// Returns the prompts of a conversation with the time when each was replaced; the first is the current one.
pub fn stored_prompts(
    store: &StoreFlag,
    id: &ConversationId,
) -> CommandResult<Vec<(StoredPrompt, Option<jiff::Timestamp>)>> {
    let found = store.open(async |store| {
        if store.revision(id).await?.is_none() {
            return Err(unknown(id));
        }
        let (earlier, _) = pages(usize::MAX, async |page| store.history(id, &page).await).await?;
        let mut prompts = vec![(known(&store, id).await?, None)];
        prompts.extend(earlier.into_iter().map(|one| (one.was, Some(one.replaced_at))));
        prompts.sort_by_key(|(prompt, _)| Reverse(prompt.head.revision.revision));
        Ok(prompts)
    })?;
    found.ok_or_else(|| unknown(id))
}
