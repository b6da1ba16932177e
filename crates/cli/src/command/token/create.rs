//! `preface token create`: a new token.

use crate::{CommandFailure, CommandResult, Exit, OutputFormat, StoreFlag, Ui, files, flags::age, store};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use preface_core::diagnostic::Remedy;
use preface_engine::store::{Actor, StoreUrl, TokenRecord, TokenRole, format_instant};
use serde_json::json;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  preface token create dashboard
  preface token create agents --role converse > token
  preface token create alice --role write --expires 90d
  preface token create prometheus --role metrics --expires 2027-01-31
  preface token create ci --role analyze --store postgres://me@db/preface

Roles:
  metrics   numbers and health
  read      stored prompts and templates (includes metrics)
  analyze   previews, which read files below the roots (includes read)
  converse  turns and compactions of conversations (includes read)
  write     everything: also templates, labels, imports, removals";

/// Create a token and print it
///
/// The token is printed once; the store has only its digest.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Name the token: changes are written down under this name
    #[arg(value_name = "NAME")]
    name: String,

    /// Choose what the token may do: `metrics`, `read`, `analyze`, `converse` or `write`
    #[arg(long, value_name = "ROLE", default_value = "read", value_parser = roles())]
    role: TokenRole,

    /// End the token after a time such as `90d` or `12h`, or at a date (00:00 UTC), instead of never
    #[arg(long, value_name = "TIME", value_parser = expiry)]
    expires: Option<Expiry>,

    #[command(flatten)]
    store: StoreFlag,
}

fn roles() -> impl TypedValueParser<Value = TokenRole> {
    PossibleValuesParser::new(TokenRole::ALL.map(TokenRole::as_str))
        .map(|word| word.parse::<TokenRole>().expect("only the words of roles are let through"))
}

/// The end of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expiry {
    After(Duration),
    At(Timestamp),
}

impl Expiry {
    /// Returns the instant, counted from `now`; `None` if it is not after that, or beyond all clocks.
    fn instant(self, now: Timestamp) -> Option<Timestamp> {
        let at = match self {
            Expiry::After(duration) => now.checked_add(duration).ok()?,
            Expiry::At(at) => at,
        };
        (at > now).then_some(at)
    }
}

/// Reads a duration in a unit of time, a date, or an instant.
fn expiry(text: &str) -> Result<Expiry, String> {
    let wrong = || {
        "write a duration such as `90d`, `2w` or `12h`, a date such as `2027-01-31`, or an instant such as \
         `2027-01-31T12:00:00Z`"
            .to_owned()
    };
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(Expiry::At(at));
    }
    // A time of day without an offset is not read as midnight.
    if text.len() == "2027-01-31".len()
        && let Ok(date) = text.parse::<Date>()
    {
        let midnight = date.to_zoned(TimeZone::UTC).map_err(|_| wrong())?;
        return Ok(Expiry::At(midnight.timestamp()));
    }
    age(text).map(Expiry::After).map_err(|_| wrong())
}

/// The actor of changes made by the command line. No token may have this name.
const LOCAL: &str = "local";

/// Makes a token, keeps its digest and prints it.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let name = args.name.as_str();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    if name.is_empty() || name.len() > 64 || !name.chars().all(plain) || name == LOCAL {
        return Err(CommandFailure::usage(format!("not a name for a token: `{}`", name.escape_debug()))
            .help("a name has 1 to 64 letters, digits, `-`, `_`, `.` or `@`, and is not `local`"));
    }
    let url = args.store.url(files::system())?;
    if url == StoreUrl::Memory {
        return Err(CommandFailure::usage("`memory:` is gone with this command, and a token with it")
            .help("name the store of the service, such as `--store sqlite:PATH`"));
    }
    let token = preface_server::new_token();
    let actor = Actor::new(LOCAL);
    let expires_at = match args.expires {
        None => None,
        Some(expiry) => Some(expiry.instant(actor.at).ok_or_else(|| {
            CommandFailure::usage("the token would have expired already")
                .help("`--expires` takes a time that is to come, such as `90d`")
        })?),
    };
    let access = TokenRecord {
        name: name.to_owned(),
        role: args.role,
        digest: TokenRecord::digest(&token),
        created_at: actor.at,
        expires_at,
    };
    let added = store::with(&url, async |store| Ok(store.add_access(access, &actor).await?))?;
    if !added {
        return Err(CommandFailure::new(format!("there is a token of that name: `{name}`"))
            .help(Remedy::command("end it", format_args!("token revoke {name}"))));
    }
    match args.format {
        OutputFormat::Text => ui.data(format!("{token}\n").as_bytes())?,
        OutputFormat::Json => ui.json(&json!({
            "name": name,
            "role": args.role,
            "created_at": format_instant(actor.at),
            "expires_at": expires_at.map(format_instant),
            "token": token,
        }))?,
    }
    if !ui.is_quiet() {
        ui.eprint("The token is not shown again. Services of this store take it within a few seconds.\n");
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expiry_is_a_duration_a_date_or_an_instant() {
        let now: Timestamp = "2026-11-02T10:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("90d", Some("2027-01-31T10:00:00Z")),
            ("2w", Some("2026-11-16T10:00:00Z")),
            ("12h", Some("2026-11-02T22:00:00Z")),
            ("5m", Some("2026-11-02T10:05:00Z")),
            ("2027-01-31", Some("2027-01-31T00:00:00Z")),
            ("2027-01-31T12:00:00+02:00", Some("2027-01-31T10:00:00Z")),
            ("2026-11-02", None),
            ("0d", None),
            ("9000000000w", None),
        ] {
            let expected = expected.map(|at| at.parse().unwrap());
            assert_eq!(expiry(text).unwrap().instant(now), expected, "{text}");
        }
        for wrong in [
            "",
            "d",
            "90",
            "90 d",
            "1y",
            "soon",
            "-3d",
            "2027-02-30",
            "2027-01-31T12:00",
            "90\u{e4}",
            "99999999999999999999d",
        ] {
            assert!(expiry(wrong).is_err(), "{wrong}");
        }
    }
}
