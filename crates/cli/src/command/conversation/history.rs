//! `preface conversation history`: the prompts of a conversation.

use super::{document, id, requests, template, unknown};
use crate::{
    conversation_prompt::known,
    failure::{CommandFailure, Exit},
    flags::OutputFormat,
    json::ListDocument,
    store::StoreFlag,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{minute, number, one_line},
    },
};
use preface_engine::store::{
    ConversationId, PageRequest, PromptSummary, ReplacedPrompt, Store, format_instant,
};
use std::{cmp::Reverse, sync::Arc};

const EXAMPLES: &str = "\
Examples:
  preface conversation history 7f3a
  preface conversation history 7f3a 1 > first-prompt.md
  preface conversation history 7f3a --requests";

/// List the current and the earlier prompts of a conversation, or print one of them
///
/// A compaction or a refresh replaces the prompt. The latest revision is the first row.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The conversation
    #[arg(value_name = "ID", value_parser = id, add = crate::complete::conversations())]
    id: ConversationId,

    /// Print the prompt of this revision; off a terminal exactly its bytes
    #[arg(value_name = "REVISION", conflicts_with = "format")]
    revision: Option<u64>,

    /// List the recorded requests instead, and how far each extends the one before
    #[arg(long, conflicts_with = "revision")]
    requests: bool,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    store: StoreFlag,
}

/// Prints the list, or one prompt.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    if args.requests {
        return requests::list(ui, &args.store, &args.id, args.format);
    }
    let found = args.store.look(async |store| {
        let history = replaced(&store, &args.id).await?;
        Ok((known(&store, &args.id).await?, history))
    })?;
    let (current, history) = found.ok_or_else(|| unknown(&args.id))?;
    let earlier = history.iter().map(|one| (&one.was.head, Some(one.replaced_at)));
    let mut prompts: Vec<_> = earlier.chain([(&current.head, None)]).collect();
    prompts.sort_by_key(|(head, _)| Reverse(head.revision.revision));
    if let Some(revision) = args.revision {
        let Some((head, _)) = prompts.iter().find(|(head, _)| head.revision.revision == revision) else {
            return Err(CommandFailure::new(format!("unknown revision: {revision}"))
                .help("`preface conversation history ID` lists the revisions"));
        };
        ui.prompt(&head.text)?;
        return Ok(Exit::Done);
    }
    match args.format {
        OutputFormat::Json => {
            let rows: Vec<_> = prompts
                .iter()
                .map(|(head, replaced_at)| {
                    let mut row = document(head);
                    row["replaced_at"] = replaced_at.map(format_instant).into();
                    row
                })
                .collect();
            ui.json(&ListDocument { kind: "prompts", entries: rows, diagnostics: &[] })?;
        }
        OutputFormat::Text => ui.view(&view(&prompts, ui.columns()))?,
    }
    Ok(Exit::Done)
}

fn view(prompts: &[(&PromptSummary, Option<jiff::Timestamp>)], room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut table = TextTable::new([
        ColumnAlignment::Right,
        ColumnAlignment::Left,
        ColumnAlignment::Left,
        ColumnAlignment::Left,
        ColumnAlignment::Right,
        ColumnAlignment::Left,
    ]);
    let heads = ["rev", "reason", "built", "replaced", "bytes", "from"];
    table.row(heads.map(|head| Cell::styled(head, dim)));
    for (head, replaced_at) in prompts {
        let from = template(head.template.as_ref());
        table.row([
            Cell::styled(head.revision.revision.to_string(), style::BOLD),
            head.reason.as_str().into(),
            Cell::styled(minute(&head.constructed_at.to_string()), dim),
            match replaced_at {
                Some(replaced_at) => Cell::styled(minute(&replaced_at.to_string()), dim),
                None => Cell::styled("current", style::GOOD),
            },
            number(head.text.len()).into(),
            if from.is_empty() { one_line(&head.preset) } else { from }.into(),
        ]);
    }
    table.show(room)
}

/// Returns the earlier prompts of a conversation, the latest first.
pub(super) async fn replaced(
    store: &Arc<dyn Store>,
    id: &ConversationId,
) -> Result<Vec<ReplacedPrompt>, CommandFailure> {
    if store.revision(id).await?.is_none() {
        return Err(unknown(id));
    }
    let mut history: Vec<ReplacedPrompt> = Vec::new();
    let mut page = PageRequest::first(50);
    loop {
        let answer = store.history(id, &page).await?;
        history.extend(answer.items);
        match answer.next {
            Some(next) => page.after = Some(next),
            None => return Ok(history),
        }
    }
}
