//! `preface conversation show`: one prompt that is kept.

use super::{document, id, template, unknown};
use crate::{
    CommandResult, Exit, OutputFormat, StoreFlag, Subject,
    command::explain,
    ui::{Cell, TextTable, Ui, one_line, style},
};
use preface_engine::{
    conversation::PromptRecord,
    store::{ConversationId, PromptSummary},
};

const EXAMPLES: &str = "\
Examples:
  preface conversation show 7f3a
  preface conversation show 7f3a --text > prompt.md
  preface conversation show 7f3a --format json | jq .conversation.revision";

/// Show the stored prompt of a conversation with the origin of each part
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The conversation
    #[arg(value_name = "ID", value_parser = id, add = crate::complete::conversations())]
    id: ConversationId,

    /// Print the prompt itself; off a terminal exactly its bytes
    #[arg(long, conflicts_with = "format")]
    text: bool,

    /// Choose the form: a view, or one document with everything that is known
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    store: StoreFlag,
}

/// Reads and shows.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let found = args.store.open(async |store| Ok(store.conversation(&args.id).await?))?.flatten();
    let conversation = found.ok_or_else(|| unknown(&args.id))?;
    if args.text {
        ui.prompt(&conversation.head.text)?;
        return Ok(Exit::Done);
    }
    let subject = Subject::kept(&conversation)?;
    let record = PromptRecord::of(&conversation)?;
    let document = serde_json::json!({
        "conversation": document(&conversation.head),
        "options": record.options,
        "variables": record.variables,
        "document": subject.document()?,
    });
    let parts = explain::parts(ui, &subject)?;
    ui.show(args.format, &document, || format!("{}\n{parts}", about(&conversation.head, ui.columns())))
}

/// Formats the properties of a stored prompt, a line each.
fn about(head: &PromptSummary, room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut table = TextTable::new();
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            table.row([Cell::styled(name, dim), value.into()]);
        }
    };
    line("conversation", one_line(head.id.as_str()));
    line("revision", format!("{} ({})", head.revision.revision, head.reason.as_str()));
    line("built", head.constructed_at.to_string());
    if head.created_at != head.constructed_at {
        line("began", head.created_at.to_string());
    }
    line("cwd", one_line(&head.cwd));
    line("model", head.model.as_deref().map(one_line).unwrap_or_default());
    line("template", template(head.template.as_ref()));
    line("fingerprint", head.fingerprint.clone());
    table.show(room)
}
