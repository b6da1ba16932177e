//! `preface conversations rm`: forgets.

use super::{id, unknown};
use crate::{
    failure::{CommandFailure, Exit},
    store::{StoreFlag, actor},
    ui::{Ui, text::one_line},
};
use preface::store::ConversationId;

const EXAMPLES: &str = "\
Examples:
  preface conversations rm 7f3a
  preface conversations rm 7f3a 80c1";

/// Forget conversations, with all that they were told before
///
/// The next turn of such a conversation builds a first prompt again.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The conversations
    #[arg(value_name = "ID", value_parser = id, required = true)]
    ids: Vec<ConversationId>,

    #[command(flatten)]
    store: StoreFlag,
}

/// Forgets and tells. Those that are there go, even where others are not.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let actor = actor(None)?;
    let missing = args.store.look(async |store| {
        let mut missing = None;
        for id in &args.ids {
            match store.delete(id, None, &actor).await? {
                true => ui.say(&format!("Forgot `{}`.\n", one_line(id.as_str()))),
                false => missing = missing.or(Some(id)),
            }
        }
        Ok(missing)
    })?;
    match missing.unwrap_or(args.ids.first()) {
        Some(id) => Err(unknown(id)),
        None => Ok(Exit::Done),
    }
}
