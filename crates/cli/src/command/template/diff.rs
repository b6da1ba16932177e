//! `preface template diff`: what changed between two versions.

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
    templates,
};

const EXAMPLES: &str = "\
Examples:
  preface template diff                    what the last change was
  preface template diff 3                  version 3 against the current one
  preface template diff 3 stable -t review
  preface template diff 0                  the default against the current one";

/// Show what changed between two versions of a template
///
/// A unified diff. Without FROM it is the version before the current one, without TO the current one; 0 is the default
/// template.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The version before, by number or label
    #[arg(value_name = "FROM", value_parser = Wanted::parse)]
    from: Option<Wanted>,

    /// The version after
    #[arg(value_name = "TO", value_parser = Wanted::parse)]
    to: Option<Wanted>,

    /// Exit with 1 if they differ
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Compares and prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let name = &args.target.name;
    let default = default_text(&Engine::new(&files::system()), &args.place)?;
    let told = args.target.store.look(async |store| {
        let number = async |wanted: &Option<Wanted>| match wanted {
            Some(Wanted(Which::Version(number))) => Ok(Some(*number)),
            Some(wanted) => wanted.find(&*store, name).await.map(|found| Some(found.version)),
            None => Ok::<_, Failure>(None),
        };
        let current = store.template(name, &Which::Current).await?.map_or(0, |current| current.version);
        if current == 0 && *name != TemplateName::main() {
            return Err(Wanted(Which::Current).missing(name).into());
        }
        let from = number(&args.from).await?.unwrap_or(current.saturating_sub(1));
        Ok(templates::diff(&*store, name, from, number(&args.to).await?, &default).await?)
    })?;
    let told = match told {
        Some(told) => told,
        None => {
            let named = [&args.from, &args.to].into_iter().flatten();
            match named.into_iter().find(|wanted| wanted.0 != Which::Version(0)) {
                Some(wanted) => return Err(wanted.missing(name).into()),
                None if *name == TemplateName::main() => templates::Diff::default(),
                None => return Err(Wanted(Which::Current).missing(name).into()),
            }
        }
    };
    ui.patch(&told.text)?;
    Ok(if args.exit_code && !told.text.is_empty() { Exit::Failed } else { Exit::Done })
}
