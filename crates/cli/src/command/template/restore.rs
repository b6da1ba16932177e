//! `preface template restore`: what an older version said, as a new one.

use super::{Target, Wanted, size};
use crate::{
    failure::{Exit, Failure},
    store::actor,
    ui::Ui,
};
use preface::{store::Expect, templates};

const EXAMPLES: &str = "\
Examples:
  preface template restore 3
  preface template restore stable -t review";

/// Bring back what an older version said
///
/// It becomes a new version, whose note names the old one.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The version, by number or label
    #[arg(value_name = "VERSION", value_parser = Wanted::parse)]
    version: Wanted,

    /// Do it only where version N is the current one
    #[arg(long, value_name = "N")]
    if_version: Option<u64>,

    /// Write this instant down, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "RFC3339")]
    now: Option<String>,

    #[command(flatten)]
    target: Target,
}

/// Writes and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let name = &args.target.name;
    let actor = actor(args.now.as_deref())?;
    let expect = args.if_version.map_or(Expect::Any, Expect::Version);
    let done = args.target.store.look(async |store| {
        let old = args.version.find(&*store, name).await?.version;
        Ok((old, templates::restore(&*store, name, old, expect, &actor).await?))
    })?;
    let Some((old, new)) = done else { return Err(args.version.missing(name).into()) };
    ui.say(&format!(
        "`{name}` is at version {} now: what version {old} said ({}).\n",
        new.version,
        size(&new)
    ));
    Ok(Exit::Done)
}
