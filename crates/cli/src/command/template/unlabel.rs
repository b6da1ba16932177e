//! `preface template unlabel`: takes labels away.

use super::Target;
use crate::{
    failure::{Exit, Failure},
    store::actor,
    ui::{
        Ui,
        text::{listed, one_line},
    },
};
use preface::templates::{TemplatesError, check_label, set_label};

const EXAMPLES: &str = "\
Examples:
  preface template unlabel stable
  preface template unlabel stable reviewed -t review";

/// Take labels away
///
/// The version stays. Conversations that chose by the label cannot be built again until it is put back.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The words
    #[arg(value_name = "LABEL", required = true)]
    labels: Vec<String>,

    /// Write this instant down, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "RFC3339")]
    now: Option<String>,

    #[command(flatten)]
    target: Target,
}

/// Writes and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let name = &args.target.name;
    for label in &args.labels {
        check_label(label)?;
    }
    let actor = actor(args.now.as_deref())?;
    let done = args.target.store.look(async |store| {
        for label in &args.labels {
            set_label(&*store, name, label, None, &actor).await?;
        }
        Ok(())
    })?;
    if done.is_none() {
        let first = args.labels.first().cloned().unwrap_or_default();
        return Err(TemplatesError::NoLabel(name.clone(), first).into());
    }
    let labels: Vec<String> = args.labels.iter().map(|label| format!("`{}`", one_line(label))).collect();
    let are = if labels.len() == 1 { "is" } else { "are" };
    ui.say(&format!("{} {are} on no version of `{name}` now.\n", listed(&labels)));
    Ok(Exit::Done)
}
