//! `preface conversation history --audit`: what happened in the store.

use super::in_steps;
use crate::{
    CommandFailure, CommandResult, Exit, ListDocument, OutputFormat, StoreFlag,
    flags::age,
    store::{actor, pages},
    ui::{Cell, TextTable, Ui, minute, one_line, style},
};
use preface_engine::store::{AuditEntry, format_instant};
use serde_json::{Value, json};
use std::time::Duration;

/// The flags of the audit.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Audit")]
pub struct AuditFlags {
    /// List the recorded changes of all templates, conversations and tokens instead, the newest first
    ///
    /// Entries have names, versions and digests, never a text. They stay until they are trimmed, also those of conversations
    /// that were deleted. `--all --format json` exports them.
    #[arg(long, conflicts_with_all = ["id", "revision", "requests"])]
    pub audit: bool,

    /// Show at most N entries
    #[arg(long, value_name = "N", default_value_t = 50, requires = "audit")]
    limit: usize,

    /// Show every entry
    #[arg(long, conflicts_with = "limit", requires = "audit")]
    all: bool,

    /// Remove the entries that are older, instead of listing: a number with `s`, `m`, `h`, `d` or `w`
    #[arg(long, value_name = "AGE", value_parser = age, conflicts_with_all = ["limit", "all"], requires = "audit")]
    trim_older_than: Option<Duration>,

    /// Count what would be removed, and remove nothing
    #[arg(long, requires = "trim_older_than")]
    dry_run: bool,

    /// Count the age from this instant, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "TIME", requires = "trim_older_than")]
    now: Option<String>,
}

/// The most entries that are removed in one transaction.
const STEP: u64 = 10_000;

/// Lists, or removes.
pub fn run(ui: &Ui, args: &AuditFlags, store: &StoreFlag, format: OutputFormat) -> CommandResult {
    if let Some(age) = args.trim_older_than {
        return trim(ui, args, store, format, age);
    }
    let most = if args.all { usize::MAX } else { args.limit.max(1) };
    let found = store.open(async |store| pages(most, async |page| store.audit(&page).await).await)?;
    let (found, more) = found.unwrap_or_default();
    let list = ListDocument::of("audit", found.iter().map(document));
    ui.show(format, &list, || view(&found, ui.columns()))?;
    if more && format == OutputFormat::Text {
        ui.eprint("There are more; `--limit N` or `--all` shows them.\n");
    }
    Ok(Exit::Done)
}

fn trim(ui: &Ui, args: &AuditFlags, store: &StoreFlag, format: OutputFormat, age: Duration) -> CommandResult {
    let actor = actor(args.now.as_deref())?;
    let before = actor.at.checked_sub(age).map_err(|_| CommandFailure::usage("nothing can be that old"))?;
    let done = store.open(async |store| {
        if args.dry_run {
            let (all, _) = pages(usize::MAX, async |page| store.audit(&page).await).await?;
            return Ok(all.iter().filter(|entry| entry.at < before).count());
        }
        in_steps(STEP, async || store.trim_audit(before, STEP, &actor).await).await
    })?;
    let done = done.unwrap_or_default();
    let what = if done == 1 { "1 entry".to_owned() } else { format!("{done} entries") };
    let words = if args.dry_run {
        format!("{what} from before {before} would be removed.\n")
    } else {
        format!("Removed {what} from before {before}.\n")
    };
    let report = json!({ "deleted": done, "before": format_instant(before), "dry_run": args.dry_run });
    ui.result(format, &report, &words)
}

fn document(entry: &AuditEntry) -> Value {
    json!({
        "id": entry.id,
        "at": format_instant(entry.at),
        "actor": entry.actor,
        "action": entry.action.as_str(),
        "subject": entry.subject,
        "detail": entry.detail,
    })
}

fn view(found: &[AuditEntry], room: Option<usize>) -> String {
    if found.is_empty() {
        return "Nothing happened yet.\n".to_owned();
    }
    let dim = style::DIM;
    let mut table = TextTable::headed(["at", "actor", "action", "subject", "detail"]);
    for entry in found {
        table.row([
            Cell::styled(minute(entry.at), dim),
            one_line(&entry.actor).into(),
            Cell::styled(entry.action.as_str(), style::BOLD),
            one_line(&entry.subject).into(),
            Cell::styled(detail(&entry.detail), dim),
        ]);
    }
    table.show(room)
}

/// Writes the rest of an entry in one line: `revision 2, reason refresh`.
fn detail(detail: &Value) -> String {
    let Some(keys) = detail.as_object() else { return String::new() };
    let shown = |(key, value): (&String, &Value)| match value {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(format!("{key} {}", one_line(text))),
        Value::Bool(true) => Some(key.clone()),
        other => Some(format!("{key} {other}")),
    };
    keys.iter().filter(|(key, _)| *key != "fingerprint").filter_map(shown).collect::<Vec<_>>().join(", ")
}
