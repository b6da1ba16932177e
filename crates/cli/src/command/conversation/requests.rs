//! The recorded requests of a conversation, each with its first difference to the one before.

use super::unknown;
use crate::{
    CommandResult, Exit, ListDocument, OutputFormat, StoreFlag,
    call::command,
    store::conversations,
    ui::{Cell, TextTable, Ui, minute, number, one_line, style},
};
use preface_engine::{
    conversation::{RequestPurpose, RequestSummary},
    store::ConversationId,
};

/// Prints the recorded requests.
pub fn list(ui: &Ui, store: &StoreFlag, id: &ConversationId, format: OutputFormat) -> CommandResult {
    let found = store.open(async |store| Ok(conversations(store).request_summaries(id).await?))?;
    let summaries = found.ok_or_else(|| unknown(id))?;
    ui.show(format, &ListDocument::of("requests", &summaries), || match summaries.as_slice() {
        [] => {
            let record = command("build --conversation ID --format anthropic");
            format!("No request is recorded. {record} records one.\n")
        }
        summaries => table(summaries, ui.columns()),
    })?;
    Ok(Exit::Done)
}

fn table(summaries: &[RequestSummary], room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut table =
        TextTable::headed(["request", "built", "model", "bytes", "expected", "cached", "difference"])
            .right(&[0, 3, 4, 5]);
    let share = |share: f64| format!("{:.0}%", share * 100.0);
    for one in summaries {
        table.row([
            Cell::styled(one.number.to_string(), style::BOLD),
            Cell::styled(minute(&one.at), dim),
            one_line(one.model.as_deref().or(one.format.as_deref()).unwrap_or_default()).into(),
            one.format.as_ref().map_or_else(String::new, |_| number(one.bytes)).into(),
            one.format.as_ref().map_or_else(String::new, |_| share(one.expected_read)).into(),
            one.cache_read.map_or_else(String::new, share).into(),
            difference(one),
        ]);
    }
    table.show(room)
}

/// Returns the first difference to the request before. A compaction is meant to have one.
fn difference(summary: &RequestSummary) -> Cell {
    let change = summary.comparison.as_ref().and_then(|comparison| comparison.change.as_ref());
    match (summary.purpose, change) {
        (RequestPurpose::Compaction, _) if summary.format.is_none() => Cell::styled("compaction", style::DIM),
        (RequestPurpose::Compaction, _) => Cell::styled("request for the summary", style::DIM),
        (RequestPurpose::Turn, _) if summary.after_compaction => {
            Cell::styled("first request after the compaction", style::DIM)
        }
        (RequestPurpose::Turn, Some(change)) => Cell::styled(one_line(&change.to_string()), style::CARE),
        (RequestPurpose::Turn, None) => String::new().into(),
    }
}
