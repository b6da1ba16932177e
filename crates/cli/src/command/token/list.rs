//! `preface token list`: the tokens of the service.

use crate::{
    CommandResult, ListDocument, OutputFormat, StoreFlag,
    call::command,
    ui::{Cell, TextTable, Ui, style},
};
use jiff::Timestamp;
use preface_core::lint::hidden::escape_hidden;
use preface_engine::store::{TokenRecord, format_instant};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  preface token list
  preface token list --format json | jq -r '.entries[].name'";

/// List the tokens with role, creation time, expiry and name
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    store: StoreFlag,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let accesses = args.store.open(async |store| Ok(store.accesses().await?))?.unwrap_or_default();
    let now = Timestamp::now();
    let rows = accesses.iter().map(|access| {
        json!({
            "name": access.name,
            "role": access.role,
            "created_at": format_instant(access.created_at),
            "expires_at": access.expires_at.map(format_instant),
            "expired": access.is_expired(now),
        })
    });
    ui.show(args.format, &ListDocument::of("tokens", rows), || view(&accesses, now))
}

fn view(accesses: &[TokenRecord], now: Timestamp) -> String {
    if accesses.is_empty() {
        return format!("There are no tokens. {} makes one.\n", command("token create NAME"));
    }
    let mut table = TextTable::headed(["role", "created", "expires", "name"]);
    let day = |at: Timestamp| at.strftime("%F").to_string();
    for access in accesses {
        let end = match access.expires_at {
            None => String::new(),
            Some(at) if access.is_expired(now) => format!("expired {}", day(at)),
            Some(at) => format!("until {}", day(at)),
        };
        table.row([
            access.role.as_str().into(),
            Cell::styled(day(access.created_at), style::DIM),
            Cell::styled(end, style::DIM),
            escape_hidden(&access.name).into_owned().into(),
        ]);
    }
    table.show(None)
}
