//! `preface template versions`: who changed a template, when and why.

use super::{Target, minute, size};
use crate::{
    failure::{Exit, Failure},
    flags::Format,
    ui::{
        Ui, style,
        table::{Cell, Side, Table},
        text::one_line,
    },
};
use preface::store::{PageRequest, TemplateName, TemplateVersion, format_instant};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface template versions
  preface template versions -t review --limit 5
  preface template versions --format json | jq '.[0].version'";

/// List the versions of a template, the newest first
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Show so many at most
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,

    /// Choose the form
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORM")]
    format: Format,

    #[command(flatten)]
    target: Target,
}

/// Reads and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let name = &args.target.name;
    let page = PageRequest::first(args.limit);
    let page = args.target.store.look(async |store| Ok(store.versions(name, &page).await?))?;
    let (versions, more) = page.map_or((Vec::new(), false), |page| (page.items, page.next.is_some()));
    match args.format {
        Format::Json => ui.json(&versions.iter().map(document).collect::<Vec<_>>())?,
        Format::Text if versions.is_empty() && *name == TemplateName::main() => {
            ui.view("Nothing is stored yet: the default template speaks.\n")?;
        }
        Format::Text if versions.is_empty() => ui.view(&format!("Nothing is stored as `{name}` yet.\n"))?,
        Format::Text => ui.view(&view(&versions, ui.columns()))?,
    }
    if more && args.format == Format::Text {
        ui.say("There are more; `--limit N` shows them.\n");
    }
    Ok(Exit::Done)
}

fn view(versions: &[TemplateVersion], room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut table = Table::new([Side::Right, Side::Left, Side::Left, Side::Right, Side::Left]);
    table.row(["version", "when", "by", "size", "labels and note"].map(|head| Cell::styled(head, dim)));
    for version in versions {
        let mut said: Vec<String> = version.labels.iter().map(|label| format!("[{label}]")).collect();
        if !version.note.is_empty() {
            said.push(one_line(&version.note));
        }
        table.row([
            Cell::styled(version.version.to_string(), style::BOLD),
            Cell::styled(minute(&version.at), dim),
            one_line(&version.author).into(),
            size(version).into(),
            said.join(" ").into(),
        ]);
    }
    table.show(room)
}

/// A version for programs. The text is had with `get`.
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
