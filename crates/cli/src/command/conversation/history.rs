//! `preface conversation history`: what a conversation was told before.

use super::{document, id, requests, template, unknown};
use crate::{
    failure::{CommandFailure, Exit},
    flags::OutputFormat,
    json::ListDocument,
    store::StoreFlag,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{minute, number},
    },
};
use preface::store::{ConversationId, PageRequest, ReplacedPrompt, Store, format_instant};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  preface conversation history 7f3a
  preface conversation history 7f3a 1 > first-prompt.md
  preface conversation history 7f3a --requests";

/// List the earlier prompts of a conversation, or print one of them
///
/// A prompt comes here when a compaction or a refresh puts another in its place.
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
    let found = args.store.look(async |store| replaced(&store, &args.id).await)?;
    let history = found.ok_or_else(|| unknown(&args.id))?;
    if let Some(revision) = args.revision {
        let Some(one) = history.iter().find(|history| history.was.head.revision.revision == revision) else {
            return Err(CommandFailure::new(format!("unknown earlier revision: {revision}"))
                .help("`preface conversation history ID` lists them; `preface conversation show ID` prints the current one"));
        };
        ui.prompt(&one.was.head.text)?;
        return Ok(Exit::Done);
    }
    match args.format {
        OutputFormat::Json => {
            let rows: Vec<_> = history
                .iter()
                .map(|history| {
                    let mut row = document(&history.was.head);
                    row["replaced_at"] = format_instant(history.replaced_at).into();
                    row
                })
                .collect();
            ui.json(&ListDocument { kind: "prompts", entries: rows, diagnostics: &[] })?;
        }
        OutputFormat::Text if history.is_empty() => ui.view("The first prompt is the current one.\n")?,
        OutputFormat::Text => ui.view(&view(&history, ui.columns()))?,
    }
    Ok(Exit::Done)
}

fn view(history: &[ReplacedPrompt], room: Option<usize>) -> String {
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
    for ReplacedPrompt { was, replaced_at } in history {
        let head = &was.head;
        let from = template(head.template.as_ref());
        table.row([
            Cell::styled(head.revision.revision.to_string(), style::BOLD),
            head.reason.as_str().into(),
            Cell::styled(minute(&head.constructed_at.to_string()), dim),
            Cell::styled(minute(&replaced_at.to_string()), dim),
            number(head.text.len()).into(),
            if from.is_empty() { head.preset.clone() } else { from }.into(),
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
