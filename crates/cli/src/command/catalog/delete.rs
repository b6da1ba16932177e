//! `preface catalog delete`: forgets a catalog.

use crate::{CommandResult, OutputFormat, Ui, files};
use preface_engine::catalogs;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface catalog delete 2.1.37";

/// Delete a catalog
///
/// The import is deleted; its source directory stays. A profile that pins the catalog warns at its next build.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// The version
    #[arg(value_name = "VERSION")]
    version: String,
}

/// Removes it.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    catalogs::remove(files::system(), &args.version)?;
    let done = json!({ "version": args.version, "deleted": true });
    ui.result(args.format, &done, &format!("The catalog {} is deleted.\n", args.version))
}
