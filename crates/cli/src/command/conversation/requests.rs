//! The recorded requests of a conversation: the list, and where one differs from another.

use super::{diff, unknown};
use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    store::StoreFlag,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{count, minute, number, one_line},
    },
};
use preface_engine::{
    conversation::{ConversationError, ConversationService, InlineOffload, RequestPurpose, RequestSummary},
    core::format::PrefixComparison,
    store::ConversationId,
};
use std::sync::Arc;

/// Reads from the store of a conversation.
fn read<T>(
    store: &StoreFlag,
    id: &ConversationId,
    read: impl AsyncFnOnce(ConversationService) -> Result<T, ConversationError>,
) -> Result<T, CommandFailure> {
    let found = store.look(async |store| {
        let system = Arc::new(files::system());
        Ok(read(ConversationService::new(system, store, Arc::new(InlineOffload))).await?)
    })?;
    found.ok_or_else(|| unknown(id))
}

/// Prints the recorded requests.
pub fn list(
    ui: &Ui,
    store: &StoreFlag,
    id: &ConversationId,
    format: OutputFormat,
) -> Result<Exit, CommandFailure> {
    let summaries = read(store, id, async |service| service.request_summaries(id).await)?;
    match format {
        OutputFormat::Json => {
            ui.json(&ListDocument { kind: "requests", entries: summaries, diagnostics: &[] })?;
        }
        OutputFormat::Text if summaries.is_empty() => {
            ui.view(
                "No request is recorded. `preface build --conversation ID --format anthropic` records one.\n",
            )?;
        }
        OutputFormat::Text => ui.view(&table(&summaries, ui.columns()))?,
    }
    Ok(Exit::Done)
}

fn table(summaries: &[RequestSummary], room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut table = TextTable::new([
        ColumnAlignment::Right,
        ColumnAlignment::Left,
        ColumnAlignment::Left,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Left,
    ]);
    let heads = ["request", "built", "model", "bytes", "expected", "cached", "difference"];
    table.row(heads.map(|head| Cell::styled(head, dim)));
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

/// Compares two recorded requests and prints the first difference.
pub fn diff(ui: &Ui, args: &diff::Args) -> Result<Exit, CommandFailure> {
    let requests = read(&args.store, &args.id, async |service| service.requests(&args.id).await)?;
    let find = |number: u64| {
        requests
            .iter()
            .find(|request| request.number == number)
            .ok_or_else(|| ConversationError::UnknownRequest(args.id.clone(), number))
    };
    let behind = |number: u64| requests.iter().map(|one| one.number).find(|other| *other > number);
    let before = |number: u64| requests.iter().map(|one| one.number).rfind(|other| *other < number);
    let (from, to) = match (args.from_request, args.to_request) {
        (Some(from), Some(to)) => (from, to),
        (Some(from), None) => (from, behind(from).unwrap_or(from)),
        (None, Some(to)) => (before(to).unwrap_or(to), to),
        (None, None) => (0, 0),
    };
    let comparison = find(from)?.record.compare(&find(to)?.record);
    let is_alone = from == to && (args.from_request.is_none() || args.to_request.is_none());
    if is_alone && args.format == OutputFormat::Text {
        let which = if args.from_request.is_some() { "last" } else { "first" };
        ui.view(&format!("request {to} is the {which} one, so there is nothing to compare.\n"))?;
        return Ok(Exit::Done);
    }
    match args.format {
        OutputFormat::Json => ui.json(&comparison)?,
        OutputFormat::Text => ui.view(&view(from, to, &comparison))?,
    }
    Ok(if args.exit_code && !comparison.extends { Exit::Failed } else { Exit::Done })
}

fn view(from: u64, to: u64, comparison: &PrefixComparison) -> String {
    let PrefixComparison { common_bytes, earlier_bytes, common_blocks, .. } = comparison;
    let common = format!(
        "{} of {} bytes ({}) of request {from} are the beginning of request {to}",
        number(*common_bytes),
        number(*earlier_bytes),
        count(*common_blocks, "block"),
    );
    match &comparison.change {
        None => format!("request {to} extends request {from}: {common}.\n"),
        Some(change) => {
            format!(
                "request {to} does not extend request {from}: {}.\n{common}.\n",
                one_line(&change.to_string())
            )
        }
    }
}
