//! `preface template reset`: back to the default.

use super::Target;
use crate::{
    failure::{Exit, Failure},
    store::actor,
    ui::Ui,
};
use preface::{
    store::{Expect, TemplateName, Which},
    templates::{self, TemplatesError},
};

const EXAMPLES: &str = "\
Examples:
  preface template reset
  preface template reset --if-version 3";

/// Go back to the default template, or delete a named one
///
/// That is a new version, too: what was stored before stays, and `preface template restore` brings it back.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
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
    let done = args.target.store.look(async |store| match store.template(name, &Which::Current).await? {
        Some(current) if !current.reset => Ok(Some(templates::reset(&*store, name, expect, &actor).await?)),
        _ => Ok(None),
    })?;
    match done.flatten() {
        Some(version) if *name == TemplateName::main() => {
            ui.say(&format!("`{name}` is the default again (version {}).\n", version.version));
        }
        Some(version) => ui.say(&format!("`{name}` is deleted (version {}).\n", version.version)),
        None if *name != TemplateName::main() => {
            return Err(TemplatesError::NoTemplate(name.clone()).into());
        }
        None => ui.say(&format!("`{name}` is the default already.\n")),
    }
    Ok(Exit::Done)
}
