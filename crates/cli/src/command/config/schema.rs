//! `preface config schema`: the JSON Schemas of the files that preface reads.

use crate::{
    failure::{CommandFailure, Exit},
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::one_line,
    },
};
use preface_engine::core::{settings::SCHEMAS, suggestion::suggest_or};

const EXAMPLES: &str = "\
Examples:
  preface config schema
  preface config schema settings > settings.schema.json
  preface config schema settings | jq '.properties | keys'";

/// Print the JSON Schema of a file that preface reads
///
/// For editors and checkers, draft 2020-12. Without a name it lists what there is.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The schema's name
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Prints one, or lists all.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let Some(name) = &args.name else {
        let mut table = TextTable::new([ColumnAlignment::Left; 2]);
        for schema in SCHEMAS {
            table.row([Cell::styled(schema.name, style::BOLD), schema.about.into()]);
        }
        ui.view(&table.show(ui.columns()))?;
        return Ok(Exit::Done);
    };
    let Some(schema) = SCHEMAS.iter().find(|schema| schema.name == name) else {
        let names: Vec<&str> = SCHEMAS.iter().map(|schema| schema.name).collect();
        let help = suggest_or(name, names.iter().copied(), || format!("there are {}", names.join(", ")));
        return Err(CommandFailure::usage(format!("unknown schema: `{}`", one_line(name))).help(help));
    };
    ui.prompt(&format!("{:#}\n", schema.document()))?;
    Ok(Exit::Done)
}
