//! `preface config path`: the directories of your own and of the project's configuration.

use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::{OutputFormat, PlaceFlags},
    store::StoreFlag,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::one_line,
    },
};
use preface_engine::{Engine, Request};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface config path
  preface config path --format json | jq -r .global";

/// Print the directories that hold configuration
///
/// `global` holds your own files, `project` those of the project, `store` the templates and conversations.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Prints the directories.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let request = Request { default_on_error: true, ..args.place.request() };
    let report = Engine::new(&system).scopes(&request)?;
    let path = |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let (global, project) = (path(&report.places.global), path(&report.places.project));
    let store = StoreFlag::default().for_request(&request).url(&system).ok().map(|url| url.to_string());
    match args.format {
        OutputFormat::Json => ui.json(&json!({ "global": global, "project": project, "store": store }))?,
        OutputFormat::Text => {
            let mut table = TextTable::new([ColumnAlignment::Left; 2]);
            for (name, path) in [("global", global), ("project", project), ("store", store)] {
                let path = path.unwrap_or_else(|| "none".to_owned());
                table.row([Cell::styled(name, style::DIM), one_line(&path).into()]);
            }
            ui.view(&table.show(None))?;
        }
    }
    Ok(Exit::Done)
}
