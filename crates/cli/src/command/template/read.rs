//! `preface template list`, `show` and `export`: the commands that read.

use super::{TemplateTarget, VersionArgument, default_text, size};
use crate::{
    CommandResult, Exit, ListDocument, OutputFormat, PlaceFlags, StoreFlag,
    call::command,
    files,
    store::pages,
    ui::{Cell, TextTable, Ui, minute, one_line, style},
};
use preface_engine::{
    Engine,
    store::{TemplateName, TemplateVersion, VersionChoice, format_instant},
    templates::{self, Document, FORMAT},
};
use serde_json::json;

// `preface template list`: the templates of the store, or the versions of one.

const LIST_EXAMPLES: &str = "\
Examples:
  preface template list
  preface template list main --limit 5      the newest versions of one
  preface template list --format json | jq -r '.entries[].name'";

/// List the stored templates, or the versions of one
///
/// Templates are listed with their current version, versions with author and note, the newest first.
#[derive(clap::Args, Debug)]
#[command(after_long_help = LIST_EXAMPLES)]
pub struct ListArgs {
    /// List the versions of this template
    #[arg(value_name = "NAME", value_parser = super::template_name, add = crate::complete::templates())]
    name: Option<TemplateName>,

    /// Show at most N versions
    #[arg(long, value_name = "N", default_value_t = 50, requires = "name")]
    limit: usize,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    store: StoreFlag,
}

/// Runs the command.
pub fn list(ui: &Ui, args: &ListArgs) -> CommandResult {
    if let Some(name) = &args.name {
        return versions(ui, args, name);
    }
    let found = args.store.open(async |store| Ok(templates::current(&*store).await?))?.unwrap_or_default();
    let list = ListDocument::of("templates", found.iter().map(document));
    ui.show(args.format, &list, || current(&found, ui.columns()))
}

/// Shows the current versions of templates.
fn current(found: &[TemplateVersion], room: Option<usize>) -> String {
    if found.is_empty() {
        return format!("No template is stored. {} stores one.\n", command("template set FILE"));
    }
    let mut table = TextTable::headed(["template", "version", "when", "size", "labels"]).right(&[1, 3]);
    for version in found {
        table.row([
            Cell::styled(one_line(version.name.as_str()), style::BOLD),
            version.version.to_string().into(),
            Cell::styled(minute(version.at), style::DIM),
            size(version).into(),
            version.labels.join(", ").into(),
        ]);
    }
    table.show(room)
}

// `preface template show`: a template, byte for byte.

const SHOW_EXAMPLES: &str = "\
Examples:
  preface template show
  preface template show > prompt.md
  preface template show 3                   as it was in version 3
  preface template show stable -t review    where that label is";

/// Print a template
///
/// In a pipe, stdout is exactly the stored bytes. If nothing is stored as `main`, the default is used:
/// your own template.md, or what the preset brings.
#[derive(clap::Args, Debug)]
#[command(after_long_help = SHOW_EXAMPLES)]
pub struct ShowArgs {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Print this version, by number or label, instead of the current one
    #[arg(value_name = "VERSION", value_parser = VersionArgument::parse)]
    version: Option<VersionArgument>,

    #[command(flatten)]
    target: TemplateTarget,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Reads and prints.
pub fn show(ui: &Ui, args: &ShowArgs) -> CommandResult {
    let name = &args.target.name;
    let wanted = args.version.clone().unwrap_or(VersionArgument(VersionChoice::Current));
    let kept = args.target.store.open(async |store| Ok(store.template(name, &wanted.0).await?))?.flatten();
    let default = || default_text(&Engine::new(files::system()), &args.place.request());
    let version = kept.as_ref().map(document);
    let text = match kept {
        Some(version) => match version.text {
            Some(text) => text.as_ref().to_owned(),
            None if wanted.0 == VersionChoice::Current && *name != TemplateName::main() => {
                return Err(wanted.missing(name).into());
            }
            None => default()?,
        },
        None if wanted.0 == VersionChoice::Current && *name == TemplateName::main() => default()?,
        None => return Err(wanted.missing(name).into()),
    };
    match args.format {
        OutputFormat::Text => ui.prompt(&text)?,
        OutputFormat::Json => {
            ui.json(&json!({ "name": name.as_str(), "stored": version, "text": text }))?;
        }
    }
    Ok(Exit::Done)
}

/// Lists the versions of a template, the newest first.
fn versions(ui: &Ui, args: &ListArgs, name: &TemplateName) -> CommandResult {
    let limit = args.limit.max(1);
    let found =
        args.store.open(async |store| pages(limit, async |page| store.versions(name, &page).await).await)?;
    let (versions, more) = found.unwrap_or_default();
    let list = ListDocument::of("versions", versions.iter().map(document));
    ui.show(args.format, &list, || match versions.as_slice() {
        [] if *name == TemplateName::main() => "No template is stored: the default is used.\n".to_owned(),
        [] => format!("Nothing is stored as `{name}` yet.\n"),
        versions => view(versions, ui.columns()),
    })?;
    if more && args.format == OutputFormat::Text {
        ui.eprint("More entries exist; `--limit N` shows them.\n");
    }
    Ok(Exit::Done)
}

fn view(versions: &[TemplateVersion], room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut table = TextTable::headed(["version", "when", "by", "size", "labels and note"]).right(&[0, 3]);
    for version in versions {
        let mut words: Vec<String> = version.labels.iter().map(|label| format!("[{label}]")).collect();
        if !version.note.is_empty() {
            words.push(one_line(&version.note));
        }
        table.row([
            Cell::styled(version.version.to_string(), style::BOLD),
            Cell::styled(minute(version.at), dim),
            one_line(&version.author).into(),
            size(version).into(),
            words.join(" ").into(),
        ]);
    }
    table.show(room)
}

/// A version for programs. `show` prints the text.
pub(super) fn document(version: &TemplateVersion) -> serde_json::Value {
    json!({
        "name": version.name.as_str(),
        "version": version.version,
        "at": format_instant(version.at),
        "author": version.author,
        "note": version.note,
        "labels": version.labels,
        "bytes": version.bytes,
        "default": version.reset,
    })
}

// `preface template export`: all templates as one document.

const EXPORT_EXAMPLES: &str = "\
Examples:
  preface template export > templates.json
  preface template export | preface template import - --store sqlite:other.db";

/// Print all templates with all their versions as one JSON document
///
/// `preface template import` and the service take it in elsewhere.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    #[command(flatten)]
    store: StoreFlag,
}

/// Reads and prints.
pub fn export(ui: &Ui, args: &ExportArgs) -> CommandResult {
    let found = args.store.open(async |store| Ok(templates::export(&*store).await?))?;
    let nothing = || Document { format: FORMAT.to_owned(), templates: Vec::new() };
    ui.json(&found.unwrap_or_else(nothing))?;
    Ok(Exit::Done)
}
