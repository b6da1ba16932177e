//! `preface config list`: everything that is set, and by whom.

use super::{ReadFlags, print_diagnostics, shown, spot};
use crate::{
    CommandResult, Exit, ListDocument,
    ui::{Cell, TextTable, Ui, one_line, style},
};
use preface_core::{
    diagnostic::Severity,
    settings::{KeyPath, SettingsNode},
};
use preface_engine::BuildOptions;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface config list
  preface config list -C ../api --trust once
  preface config list --format json | jq -r '.entries[].key'";

/// List every setting with its value and the layer that set it
///
/// One line for each value that counts. Secrets are asterisks.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    flags: ReadFlags,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let request = BuildOptions { default_on_error: true, ..args.flags.place.request() };
    let settings = args.flags.settings(request)?;
    let mut found = Vec::new();
    leaves(settings.merged.root(), &mut Vec::new(), &mut found);
    let entries = found.iter().map(document).collect();
    let list = ListDocument { kind: "settings", entries, diagnostics: &settings.diagnostics };
    ui.show(args.flags.format, &list, || {
        let mut table = TextTable::new();
        for (key, node) in &found {
            table.row([
                Cell::styled(one_line(&key.to_string()), style::BOLD),
                Cell::styled(shown(node), style::GOOD).within(48),
                node.by().as_str().into(),
                Cell::styled(spot(&node.place()), style::DIM),
            ]);
        }
        table.show(ui.columns())
    })?;
    print_diagnostics(ui, &settings, Severity::Warning);
    Ok(Exit::Done)
}

/// Finds the values that are no objects, and the objects that are empty. A file nests at most 64 deep.
fn leaves<'n>(node: &'n SettingsNode, path: &mut Vec<&'n str>, found: &mut Vec<(KeyPath, &'n SettingsNode)>) {
    match node.as_table() {
        Some(table) if !table.is_empty() => {
            for (key, below) in table.iter() {
                path.push(key);
                leaves(below, path, found);
                path.pop();
            }
        }
        Some(_) if path.is_empty() => {}
        _ => found.push((path.iter().copied().collect(), node)),
    }
}

fn document((key, node): &(KeyPath, &SettingsNode)) -> serde_json::Value {
    let place = node.place();
    json!({
        "key": key.to_string(),
        "value": node.masked(),
        "by": node.by(),
        "path": place.path,
        "line": place.line.filter(|_| place.scope.is_some()),
    })
}
