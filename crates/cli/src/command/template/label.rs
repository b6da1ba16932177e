//! `preface template label`: words for versions.

use super::{Target, Wanted};
use crate::{
    failure::{Exit, Failure},
    store::actor,
    ui::{Ui, text::listed},
};
use preface::templates::{check_label, set_label};

const EXAMPLES: &str = "\
Examples:
  preface template label 3 stable
  preface template label stable reviewed   another label for that version
  preface build --template main@stable";

/// Put labels on a version
///
/// A label is on one version of a template at a time: putting it elsewhere moves it. `NAME@LABEL` chooses by it.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The version, by number or label
    #[arg(value_name = "VERSION", value_parser = Wanted::parse)]
    version: Wanted,

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
        let version = args.version.find(&*store, name).await?.version;
        for label in &args.labels {
            set_label(&*store, name, label, Some(version), &actor).await?;
        }
        Ok(version)
    })?;
    let Some(version) = done else { return Err(args.version.missing(name).into()) };
    let labels: Vec<String> = args.labels.iter().map(|label| format!("`{label}`")).collect();
    let are = if labels.len() == 1 { "is" } else { "are" };
    ui.say(&format!("{} {are} version {version} of `{name}` now.\n", listed(&labels)));
    Ok(Exit::Done)
}
