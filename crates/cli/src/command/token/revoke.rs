//! `preface token revoke`: the end of a token.

use crate::{CommandFailure, CommandResult, OutputFormat, StoreFlag, Ui};
use preface_core::diagnostic::Remedy;
use preface_engine::store::Actor;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface token revoke ci";

/// Revoke tokens
///
/// Services of this store turn the token away within a few seconds.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Name the token
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    store: StoreFlag,
}

/// Takes the digest away.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let (name, actor) = (args.name.as_str(), Actor::new("local"));
    let removed = args.store.open(async |store| Ok(store.remove_access(name, &actor).await?))?;
    if removed != Some(true) {
        return Err(CommandFailure::new(format!(
            "there is no token of that name: `{}`",
            name.escape_debug()
        ))
        .help(Remedy::command("see the names", "token list")));
    }
    let done = json!({ "name": name, "revoked": true });
    ui.show(args.format, &done, || format!("The token `{name}` is revoked.\n"))
}
