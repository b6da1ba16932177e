//! `preface conversations past`: what a conversation was told before.

use super::{document, id, template, unknown};
use crate::{
    failure::{CommandFailure, Exit},
    flags::OutputFormat,
    store::StoreFlag,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{minute, number},
    },
};
use preface::store::{ConversationId, PageRequest, ReplacedPrompt, format_instant};

const EXAMPLES: &str = "\
Examples:
  preface conversations past 7f3a
  preface conversations past 7f3a 1 > first-prompt.md";

/// List the prompts that a conversation had before, or print one of them
///
/// A prompt comes here when a compaction or a refresh puts another in its place.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The conversation
    #[arg(value_name = "ID", value_parser = id)]
    id: ConversationId,

    /// Print the prompt of this revision; off a terminal exactly its bytes
    #[arg(value_name = "REVISION", conflicts_with = "format")]
    revision: Option<u64>,

    /// Choose the form
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORM")]
    format: OutputFormat,

    #[command(flatten)]
    store: StoreFlag,
}

/// Reads and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let found = args.store.look(async |store| {
        if store.seal(&args.id).await?.is_none() {
            return Err(unknown(&args.id));
        }
        let mut past: Vec<ReplacedPrompt> = Vec::new();
        let mut page = PageRequest::first(50);
        loop {
            let answer = store.past(&args.id, &page).await?;
            past.extend(answer.items);
            match answer.next {
                Some(next) => page.after = Some(next),
                None => return Ok(past),
            }
        }
    })?;
    let past = found.ok_or_else(|| unknown(&args.id))?;
    if let Some(revision) = args.revision {
        let Some(one) = past.iter().find(|past| past.was.head.seal.revision == revision) else {
            return Err(CommandFailure::new(format!("there is no past revision {revision}"))
                .hint("`preface conversations past ID` lists them; `show` has the one of now"));
        };
        ui.prompt(&one.was.head.text)?;
        return Ok(Exit::Done);
    }
    match args.format {
        OutputFormat::Json => {
            let rows: Vec<_> = past
                .iter()
                .map(|past| {
                    let mut row = document(&past.was.head);
                    row["replaced_at"] = format_instant(past.replaced_at).into();
                    row
                })
                .collect();
            ui.json(&rows)?;
        }
        OutputFormat::Text if past.is_empty() => ui.view("It still has its first prompt.\n")?,
        OutputFormat::Text => ui.view(&view(&past, ui.columns()))?,
    }
    Ok(Exit::Done)
}

fn view(past: &[ReplacedPrompt], room: Option<usize>) -> String {
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
    for ReplacedPrompt { was, replaced_at } in past {
        let head = &was.head;
        let from = template(head.template.as_ref());
        table.row([
            Cell::styled(head.seal.revision.to_string(), style::BOLD),
            head.reason.as_str().into(),
            Cell::styled(minute(&head.constructed_at.to_string()), dim),
            Cell::styled(minute(&replaced_at.to_string()), dim),
            number(head.text.len()).into(),
            if from.is_empty() { head.preset.clone() } else { from }.into(),
        ]);
    }
    table.show(room)
}
