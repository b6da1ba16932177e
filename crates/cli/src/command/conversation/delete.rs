//! `preface conversation delete`: removes conversations from the store.

use super::{id, in_steps, unknown};
use crate::{
    CommandFailure, CommandResult, Exit, OutputFormat, StoreFlag,
    flags::age,
    store::actor,
    ui::{Ui, count, one_line},
};
use preface_engine::store::{Actor, ConversationId, format_instant};
use serde_json::json;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  preface conversation delete 7f3a 80c1
  preface conversation delete 7f3a --dry-run
  preface conversation delete --older-than 30d --dry-run
  preface conversation delete --older-than 12h";

/// Delete conversations with their stored prompts and history
///
/// The next turn of a deleted conversation builds its first prompt again. `--older-than` deletes the conversations that had
/// neither a turn nor a request since that time; turns are recorded to two hours.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// The conversations
    #[arg(value_name = "ID", value_parser = id, add = crate::complete::conversations(), required_unless_present = "older_than", conflicts_with = "older_than")]
    ids: Vec<ConversationId>,

    /// Delete conversations that were not used for this time: a number with `s`, `m`, `h`, `d` or `w`
    #[arg(long, value_name = "AGE", value_parser = age)]
    older_than: Option<Duration>,

    /// Print what would be deleted, and delete nothing
    #[arg(long)]
    dry_run: bool,

    /// Compute ages from this time, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "TIME", requires = "older_than")]
    now: Option<String>,

    #[command(flatten)]
    store: StoreFlag,
}

/// The most conversations that are deleted in one transaction.
const STEP: u64 = 1_000;

/// Deletes them.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let actor = actor(args.now.as_deref())?;
    match args.older_than {
        Some(age) => old(ui, args, age, &actor),
        None => named(ui, args, &actor),
    }
}

/// Deletes the conversations of the arguments, even if some of them do not exist.
fn named(ui: &Ui, args: &Args, actor: &Actor) -> CommandResult {
    let mut deleted = Vec::new();
    let missing = args.store.open(async |store| {
        let mut missing = None;
        for id in &args.ids {
            let found = if args.dry_run {
                store.revision(id).await?.is_some()
            } else {
                store.delete(id, None, actor).await?
            };
            if found {
                if args.format == OutputFormat::Text {
                    let shown = one_line(id.as_str());
                    ui.eprint(&if args.dry_run {
                        format!("`{shown}` would be deleted.\n")
                    } else {
                        format!("Deleted `{shown}`.\n")
                    });
                }
                deleted.push(id.as_str());
            } else {
                missing = missing.or(Some(id));
            }
        }
        Ok(missing)
    })?;
    if args.format == OutputFormat::Json && !deleted.is_empty() {
        ui.json(&json!({ "deleted": deleted.len(), "ids": deleted, "dry_run": args.dry_run }))?;
    }
    match missing.unwrap_or(args.ids.first()) {
        Some(id) => Err(unknown(id)),
        None => Ok(Exit::Done),
    }
}

fn old(ui: &Ui, args: &Args, age: Duration, actor: &Actor) -> CommandResult {
    let before = actor.at.checked_sub(age).map_err(|_| CommandFailure::usage("the age is out of range"))?;
    let done = args.store.open(async |store| {
        if args.dry_run {
            return Ok(usize::try_from(store.count_unused(before).await?).unwrap_or(usize::MAX));
        }
        in_steps(STEP, async || store.purge(before, STEP, actor).await).await
    })?;
    let many = done.unwrap_or_default();
    let what = count(many, "conversation");
    let words = if args.dry_run {
        format!("{what} not used since {before} would be deleted.\n")
    } else {
        format!("Deleted {what} not used since {before}.\n")
    };
    let report = json!({ "deleted": many, "before": format_instant(before), "dry_run": args.dry_run });
    ui.result(args.format, &report, &words)
}
