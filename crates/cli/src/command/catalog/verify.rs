//! `preface catalog verify`: whether what is kept is still what was imported.

use crate::{
    advice::complete,
    diagnostics,
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    ui::{
        Ui, style,
        text::{count, one_line},
    },
};
use preface_engine::{
    catalogs::{self, CatalogVerification},
    core::diagnostic::Severity,
};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface catalog verify
  preface catalog verify 2.1.37
  preface catalog verify --format json";

/// Check that catalogs are unchanged since their import
///
/// Compares the index of each with its files, and compiles the files once more. Without a VERSION it looks at all of them. Exits
/// with 1 if something does not agree.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Only these
    #[arg(value_name = "VERSION")]
    versions: Vec<String>,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let mut diagnostics = Vec::new();
    let versions = match args.versions.as_slice() {
        [] => catalogs::versions(&system, &mut diagnostics).into_iter().map(|kept| kept.version).collect(),
        named => named.to_vec(),
    };
    let found: Vec<CatalogVerification> = ui.progress(|progress| {
        let verify = |version: &String| {
            progress.at(format!("looking at {}", one_line(version)));
            catalogs::verify(&system, version)
        };
        versions.iter().map(verify).collect()
    });
    let is_whole = |found: &CatalogVerification| {
        found.diagnostics.iter().all(|diagnostic| diagnostic.severity < Severity::Error)
    };
    match args.format {
        OutputFormat::Json => {
            let document = |found: &CatalogVerification| json!({ "version": found.version, "whole": is_whole(found), "diagnostics": found.diagnostics });
            let entries = found.iter().map(document).collect();
            ui.json(&ListDocument { kind: "catalogs", entries, diagnostics: &diagnostics })?;
        }
        OutputFormat::Text if found.is_empty() => {
            ui.view(&complete(
                "Nothing is imported yet. `preface catalog import DIR` takes in a catalog.\n",
            ))?;
        }
        OutputFormat::Text => {
            for one in &found {
                let (bold, good, bad) = (style::BOLD, style::GOOD, style::BAD);
                let prompts = one.index.as_ref().map_or(0, |index| index.prompts.len());
                let errors = one
                    .diagnostics
                    .iter()
                    .filter(|diagnostic| diagnostic.severity == Severity::Error)
                    .count();
                let summary = match errors {
                    0 => format!("{good}whole{good:#}: {}", count(prompts, "prompt")),
                    many => format!("{bad}changed{bad:#}: {}", count(many, "error")),
                };
                ui.view(&format!("{bold}{}{bold:#}  {summary}\n", one_line(&one.version)))?;
                diagnostics::few(ui, one.diagnostics.clone(), "preface catalog verify --format json");
            }
        }
    }
    diagnostics::all(ui, &diagnostics);
    Ok(if found.iter().all(is_whole) { Exit::Done } else { Exit::Failed })
}
