//! `preface conversations purge`: forgets what is old.

use super::heads;
use crate::{
    failure::{CommandFailure, Exit},
    store::{StoreFlag, actor},
    ui::{Ui, text::count},
};
use preface::store::Filter;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  preface conversations purge --older-than 30d --dry-run
  preface conversations purge --older-than 12h";

/// Forget the conversations whose prompts were built long ago
///
/// What counts is when the prompt was built last: at the first turn, at a compaction or at a refresh.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// How old they are at least: a number with `s`, `m`, `h`, `d` or `w`
    #[arg(long, value_name = "AGE", value_parser = age)]
    older_than: Duration,

    /// Count them, and forget none
    #[arg(long)]
    dry_run: bool,

    /// Count from this instant, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "RFC3339")]
    now: Option<String>,

    #[command(flatten)]
    store: StoreFlag,
}

/// The most conversations that are deleted in one transaction.
const STEP: u64 = 1_000;

/// Forgets and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let actor = actor(args.now.as_deref())?;
    let before = actor
        .at
        .checked_sub(args.older_than)
        .map_err(|_| CommandFailure::usage("nothing can be that old"))?;
    let done = args.store.look(async |store| {
        if args.dry_run {
            let (all, _) = heads(&store, &Filter::default(), usize::MAX).await?;
            return Ok(all.iter().filter(|head| head.constructed_at < before).count());
        }
        let mut done = 0;
        loop {
            let gone = store.purge(before, STEP, &actor).await?;
            done += usize::try_from(gone).unwrap_or(usize::MAX);
            if gone < STEP {
                return Ok(done);
            }
        }
    })?;
    let done = done.unwrap_or_default();
    let what = count(done, "conversation");
    match args.dry_run {
        true => ui.say(&format!("{what} built before {before} would be forgotten.\n")),
        false => ui.say(&format!("Forgot {what} built before {before}.\n")),
    }
    Ok(Exit::Done)
}

/// Reads `30d`.
pub(super) fn age(text: &str) -> Result<Duration, String> {
    let wrong = || "write a number and a unit, such as `30d`, `12h` or `90m`".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return Err(wrong()),
    };
    let digits = &text[..text.len() - unit.len_utf8()];
    let many: u64 = digits.parse().map_err(|_| wrong())?;
    many.checked_mul(seconds).map(Duration::from_secs).ok_or_else(|| "nothing can be that old".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_and_a_unit() {
        assert_eq!(age("30d"), Ok(Duration::from_secs(30 * 86_400)));
        assert_eq!(age("0s"), Ok(Duration::ZERO));
        for text in ["", "30", "d", "-1d", "30y", "1.5h", "99999999999999999999w", "9999999999999999w"] {
            assert!(age(text).is_err(), "{text}");
        }
    }
}
