//! `preface catalog diff`: what changed between two catalogs, or in one prompt of them.

use super::{differences, is_of};
use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    ui::{
        Ui,
        patch::unified,
        style,
        text::{one_line, visible},
    },
};
use preface_engine::{
    catalogs::{self, CatalogComparison, WordRun},
    templates::DiffKind,
};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface catalog diff 2.1.37 2.1.240
  preface catalog diff 2.1.37 2.1.240 --all | less
  preface catalog diff 2.1.37 2.1.240 --category tool-description
  preface catalog diff 2.1.37 2.1.240 'Tool Description: Glob'
  preface catalog diff 2.1.37 2.1.240 tool-description-glob --words";

/// Show what changed between two catalogs
///
/// First how many prompts of each category came, went, were renamed and changed, then which, the largest changes first. With a
/// NAME, what changed in the text of that prompt: line by line, or word by word.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The version before
    #[arg(value_name = "FROM")]
    from: String,

    /// The version after
    #[arg(value_name = "TO")]
    to: String,

    /// Compare the texts of this prompt, by its name or by the name of its file
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Compare word by word: `[-gone-]` and `{+new+}`
    #[arg(long, requires = "name")]
    words: bool,

    /// Show every prompt, on a terminal too
    #[arg(long, conflicts_with = "name")]
    all: bool,

    /// Only prompts of this category, such as `system-prompt`
    #[arg(long, value_name = "CATEGORY", conflicts_with = "name")]
    category: Option<String>,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let mut compared = catalogs::compare(&files::system(), &args.from, &args.to)?;
    if let Some(name) = &args.name {
        return texts(ui, args, &compared, name);
    }
    if let Some(category) = &args.category {
        only(&mut compared, category);
    }
    match args.format {
        OutputFormat::Json => ui.json(&json!({
            "before": { "version": compared.before.version, "pin": compared.before.pin() },
            "after": { "version": compared.after.version, "pin": compared.after.pin() },
            "difference": compared.difference,
            "same_body": compared.same_body,
        }))?,
        OutputFormat::Text => {
            let few = ui.columns().is_some() && !args.all;
            ui.view(&differences::view(&compared, few, ui.columns()))?;
        }
    }
    Ok(Exit::Done)
}

/// Leaves nothing but one category.
fn only(compared: &mut CatalogComparison, category: &str) {
    compared.before.prompts.retain(|entry| is_of(&entry.name, category));
    compared.after.prompts.retain(|entry| is_of(&entry.name, category));
    let difference = &mut compared.difference;
    difference.added.retain(|side| is_of(&side.name, category));
    difference.removed.retain(|side| is_of(&side.name, category));
    difference
        .renamed
        .retain(|rename| is_of(&rename.before.name, category) || is_of(&rename.after.name, category));
    difference.changed.retain(|change| is_of(&change.after.name, category));
    difference.same = compared
        .before
        .prompts
        .iter()
        .filter(|entry| compared.after.entry(&entry.name).is_some_and(|after| after.digest == entry.digest))
        .count();
}

/// Compares the two texts of one prompt.
fn texts(ui: &Ui, args: &Args, compared: &CatalogComparison, name: &str) -> Result<Exit, CommandFailure> {
    let found = catalogs::find(&compared.before, name).or_else(|_| catalogs::find(&compared.after, name))?;
    let (before, after) = compared.names_of(&found.name);
    let system = files::system();
    let body = |index, name: &Option<String>| match name {
        Some(name) => catalogs::text(&system, index, name).map(|text| catalogs::body(&text)),
        None => Ok(String::new()),
    };
    let (then, now) = (body(&compared.before, &before)?, body(&compared.after, &after)?);
    let label = |version: &str, name: &Option<String>| match name {
        Some(name) => format!("{version}: {}", one_line(name)),
        None => format!("{version}: no such prompt"),
    };
    let (from, to) = (label(&compared.before.version, &before), label(&compared.after.version, &after));
    match (args.format, args.words) {
        (OutputFormat::Json, _) => ui.json(&json!({
            "before": before,
            "after": after,
            "text": unified(&from, &to, &then, &now),
            "words": catalogs::words(&then, &now),
        }))?,
        (OutputFormat::Text, true) => ui.view(&marked(&from, &to, &catalogs::words(&then, &now)))?,
        (OutputFormat::Text, false) => ui.patch(&unified(&from, &to, &then, &now))?,
    }
    Ok(Exit::Done)
}

/// The words of both texts, those that went and those that came in brackets, as `git diff --word-diff` has them.
fn marked(from: &str, to: &str, words: &[WordRun]) -> String {
    let bold = style::BOLD;
    if words.iter().all(|word| word.kind == DiffKind::Same) {
        return String::new();
    }
    let mut out = format!("{bold}--- {from}{bold:#}\n{bold}+++ {to}{bold:#}\n");
    for WordRun { kind, text } in words {
        let shown = visible(text);
        let (open, close, style) = match kind {
            DiffKind::Same => ("", "", anstyle::Style::new()),
            DiffKind::Removed => ("[-", "-]", style::BAD),
            DiffKind::Added => ("{+", "+}", style::GOOD),
        };
        // Colours end with their line.
        let lines: Vec<String> = shown
            .split('\n')
            .map(|line| if line.is_empty() { String::new() } else { format!("{style}{line}{style:#}") })
            .collect();
        out.push_str(&format!("{style}{open}{style:#}{}{style}{close}{style:#}", lines.join("\n")));
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}
