//! `preface config get`: one value, bare.

use super::{ReadFlags, bad_key, key_path, outcome, print_diagnostics, request_for, spot};
use crate::{
    CommandFailure, CommandResult, Exit, ListDocument, OutputFormat,
    ui::{Cell, TextTable, Ui, one_line, style},
};
use preface_core::{
    diagnostic::{Remedy, Severity},
    scope::Scope,
    settings::{KeyPath, SettingsTree, ValueOutcome, setting_at},
};
use preface_engine::SettingsReport;

const EXAMPLES: &str = "\
Examples:
  preface config get budget.tokens
  preface config get /tools/my.tool/disable     a key with a dot in it
  preface config get sections --format json | jq keys
  preface config get budget.tokens --why        the value of each layer";

/// Print one setting
///
/// The value that counts, all layers merged: a string bare, anything else as JSON. Nothing is printed and the exit code is
/// 1 if it is not set.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The setting: `budget.tokens`, or `/budget/tokens`
    #[arg(value_name = "KEY")]
    key: String,

    /// Show the value of each layer, and which one is used
    #[arg(long)]
    why: bool,

    #[command(flatten)]
    flags: ReadFlags,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let key = key_path(&args.key)?;
    let settings = args.flags.settings(request_for(&args.flags.place, &key))?;
    let stands = settings.merged.get(&key);
    if stands.is_none() {
        // A key of the user's own, below an open object, is never unknown.
        setting_at(&args.key).map_err(|error| bad_key(&error))?;
    }
    if args.why {
        why(ui, args.flags.format, &settings, &key)?;
    } else if let Some(node) = stands {
        let several = matches!(node.tree(), SettingsTree::Table(_) | SettingsTree::List(_));
        // A secret is shown if exactly this value is requested, and masked in a list.
        let value = if several { node.masked() } else { node.to_value() };
        match (args.flags.format, value.as_str()) {
            (OutputFormat::Json, _) => ui.json(&value)?,
            (OutputFormat::Text, Some(text)) => ui.prompt(&format!("{text}\n"))?,
            (OutputFormat::Text, None) => ui.json_text(format!("{value:#}"))?,
        }
    }
    print_diagnostics(ui, &settings, Severity::Error);
    match stands {
        Some(_) => Ok(Exit::Done),
        None => Err(CommandFailure::new(format!("`{}` is not set", one_line(&key.to_string())))
            .help(Remedy::command("see the settings with a value", "config list"))),
    }
}

fn why(ui: &Ui, format: OutputFormat, settings: &SettingsReport, key: &KeyPath) -> CommandResult<()> {
    let values = settings.merged.why(key);
    if format == OutputFormat::Json {
        return if values.is_empty() {
            Ok(())
        } else {
            ui.json(&ListDocument { kind: "values", entries: values, diagnostics: &settings.diagnostics })
        };
    }
    let (dim, good, care) = (style::DIM, style::GOOD, style::CARE);
    let mut table = TextTable::new();
    for one in &values {
        let style = match one.outcome {
            ValueOutcome::Used => good,
            ValueOutcome::Overridden => dim,
            ValueOutcome::Ignored => care,
        };
        table.row([
            one.by.as_str().into(),
            Cell::styled(one_line(&one.value.to_string()), style),
            Cell::styled(spot(&one.place), dim),
            Cell::styled(outcome(settings, key, one, &values), style),
        ]);
    }
    if let Some(path) = settings.untrusted.as_ref().filter(|_| !values.is_empty()) {
        table.row([
            Scope::Project.as_str().into(),
            Cell::styled("?", care),
            Cell::styled(one_line(path), dim),
            Cell::styled("not trusted", care),
        ]);
    }
    ui.view(&table.show(ui.columns()))
}
