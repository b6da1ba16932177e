//! `preface template list`: the templates of the store.

use super::{minute, size, versions::document};
use crate::{
    advice::complete,
    failure::{Exit, Failure},
    flags::Format,
    store::StoreFlag,
    ui::{
        Ui, style,
        table::{Cell, Side, Table},
        text::one_line,
    },
};
use preface::store::{PageRequest, TemplateVersion};

const EXAMPLES: &str = "\
Examples:
  preface template list
  preface template list --format json | jq -r '.[].name'";

/// List the templates that the store keeps, each with its current version
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Choose the form
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORM")]
    format: Format,

    #[command(flatten)]
    store: StoreFlag,
}

/// Reads and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let found = args.store.look(async |store| {
        let mut found: Vec<TemplateVersion> = Vec::new();
        let mut page = PageRequest::first(PageRequest::MOST);
        loop {
            let answer = store.templates(&page).await?;
            found.extend(answer.items.into_iter().map(|template| template.current));
            match answer.next {
                Some(next) => page.after = Some(next),
                None => return Ok(found),
            }
        }
    })?;
    let found = found.unwrap_or_default();
    match args.format {
        Format::Json => ui.json(&found.iter().map(document).collect::<Vec<_>>())?,
        Format::Text if found.is_empty() => {
            ui.view(&complete("Nothing is stored yet. `preface template set FILE` stores a template.\n"))?;
        }
        Format::Text => {
            let dim = style::DIM;
            let mut table = Table::new([Side::Left, Side::Right, Side::Left, Side::Right, Side::Left]);
            table.row(["template", "version", "when", "size", "labels"].map(|head| Cell::styled(head, dim)));
            for version in &found {
                table.row([
                    Cell::styled(one_line(version.name.as_str()), style::BOLD),
                    version.version.to_string().into(),
                    Cell::styled(minute(&version.at), dim),
                    size(version).into(),
                    version.labels.join(", ").into(),
                ]);
            }
            ui.view(&table.show(ui.columns()))?;
        }
    }
    Ok(Exit::Done)
}
