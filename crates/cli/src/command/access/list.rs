//! `preface access list`: who may ask.

use crate::{
    failure::{Exit, Failure},
    files,
    flags::Format,
    store::{self, StoreFlag},
    ui::{
        Ui, style,
        table::{Cell, Side, Table},
    },
};
use preface::core::lint::hidden::escape_hidden;

const EXAMPLES: &str = "\
Examples:
  preface access list
  preface access list --format json | jq -r '.[].name'";

/// List who may ask from other machines
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Choose the form
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORM")]
    format: Format,

    #[command(flatten)]
    store: StoreFlag,
}

/// Reads the store and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let url = args.store.url(&files::system())?;
    let accesses = store::with(&url, async |store| Ok(store.accesses().await?))?;
    match args.format {
        Format::Json => {
            let rows: Vec<_> = accesses
                .iter()
                .map(|access| {
                    serde_json::json!({
                        "name": access.name,
                        "role": access.role,
                        "created_at": access.created_at.to_string(),
                    })
                })
                .collect();
            ui.json(&rows)?;
        }
        Format::Text if accesses.is_empty() => {
            ui.view("Nobody may ask from other machines. `preface access add NAME` lets somebody in.\n")?;
        }
        Format::Text => {
            let mut table = Table::new([Side::Left, Side::Left, Side::Left]);
            for access in &accesses {
                let day: String = access.created_at.to_string().chars().take(10).collect();
                table.row([
                    access.role.as_str().into(),
                    Cell::styled(day, style::DIM),
                    escape_hidden(&access.name).into_owned().into(),
                ]);
            }
            ui.view(&table.show(None))?;
        }
    }
    Ok(Exit::Done)
}
