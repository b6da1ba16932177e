//! `preface conversation list`: what is kept.

use super::{document, from};
use crate::{
    CommandResult, Exit, ListDocument, OutputFormat, StoreFlag,
    call::command,
    store::pages,
    ui::{Cell, TextTable, Ui, minute, number, one_line, short_middle, style},
};
use preface_engine::store::{Filter, PromptSummary, TemplateName};

const EXAMPLES: &str = "\
Examples:
  preface conversation list
  preface conversation list --prefix review- --limit 10
  preface conversation list --format json | jq -r '.entries[].id'";

/// List the conversations with a stored prompt, newest first
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Show those whose ids start so
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,

    /// Show those that were built from this template
    #[arg(long, value_name = "NAME")]
    template: Option<TemplateName>,

    /// Show at most N entries
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    store: StoreFlag,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let filter = Filter { id_prefix: args.prefix.clone(), template: args.template.clone() };
    let found = args.store.open(async |store| {
        pages(args.limit.max(1), async |page| store.conversations(&filter, &page).await).await
    })?;
    let (found, more) = found.unwrap_or_default();
    let list = ListDocument::of("conversations", found.iter().map(document));
    ui.show(args.format, &list, || match found.as_slice() {
        [] if filter == Filter::default() => {
            format!("No prompt is stored. {} stores one.\n", command("build --conversation ID"))
        }
        [] => "Nothing like that is kept.\n".to_owned(),
        found => view(found, ui.columns()),
    })?;
    if more && args.format == OutputFormat::Text {
        ui.eprint("More entries exist; `--limit N` shows them.\n");
    }
    Ok(Exit::Done)
}

/// The columns of an id on a narrow screen.
const ID: usize = 28;

fn view(found: &[PromptSummary], room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut table =
        TextTable::headed(["conversation", "rev", "built", "bytes", "from", "cwd"]).right(&[1, 3]);
    for head in found {
        let id = one_line(head.id.as_str());
        let id = if room.is_some() { short_middle(&id, ID).into_owned() } else { id };
        table.row([
            Cell::styled(id, style::BOLD),
            head.revision.revision.to_string().into(),
            Cell::styled(minute(head.constructed_at), dim),
            number(usize::try_from(head.bytes).unwrap_or(usize::MAX)).into(),
            from(head).into(),
            Cell::styled(one_line(&head.cwd), dim),
        ]);
    }
    table.show(room)
}
