//! `preface template get`: a template, byte for byte.

use super::{Target, Wanted, default_text};
use crate::{
    failure::{Exit, Failure},
    files,
    flags::PlaceFlags,
    ui::Ui,
};
use preface::{
    Engine,
    store::{TemplateName, Which},
};

const EXAMPLES: &str = "\
Examples:
  preface template get
  preface template get > prompt.md
  preface template get 3                   as it was in version 3
  preface template get stable -t review    where that label is";

/// Print a template
///
/// Off a terminal, stdout gets exactly the bytes that were stored. Where nothing is stored as `main`, the default speaks:
/// your own template.md, or what the preset brings.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Print this version, by number or label, instead of the current one
    #[arg(value_name = "VERSION", value_parser = Wanted::parse)]
    version: Option<Wanted>,

    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Reads and prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let name = &args.target.name;
    let wanted = args.version.clone().unwrap_or(Wanted(Which::Current));
    let kept = args.target.store.look(async |store| Ok(store.template(name, &wanted.0).await?))?.flatten();
    let default = || default_text(&Engine::new(&files::system()), &args.place);
    let text = match kept {
        Some(version) => match version.text {
            Some(text) => text.as_ref().to_owned(),
            None if wanted.0 == Which::Current && *name != TemplateName::main() => {
                return Err(wanted.missing(name).into());
            }
            None => default()?,
        },
        None if wanted.0 == Which::Current && *name == TemplateName::main() => default()?,
        None => return Err(wanted.missing(name).into()),
    };
    ui.prompt(&text)?;
    Ok(Exit::Done)
}
