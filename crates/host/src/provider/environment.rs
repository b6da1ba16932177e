//! Variables of the machine and the clock. One instant stands for the whole build.

mod long_time;
mod zones;

use super::{VariableInfo, VariableProvider};
use crate::provider_context::ProviderContext;
use jiff::{Timestamp, Zoned, tz::TimeZone};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    variable::{RecordedVariable, Stability, VariableKey},
};

/// The provider of `system:`.
#[derive(Debug)]
pub struct Environment;

const fn info(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    stability: Stability,
    cost: &'static str,
) -> VariableInfo {
    VariableInfo { kind: "system", name, dynamic: false, about, example, stability, cost }
}

impl VariableProvider for Environment {
    fn variables(&self) -> &'static [VariableInfo] {
        const VARIABLES: &[VariableInfo] = &[
            info(
                "time",
                "Current time in UTC, ISO 8601 with milliseconds",
                "2026-03-07T14:55:05.000Z",
                Stability::Turn,
                "free",
            ),
            info(
                "date",
                "Current day in UTC; `system:local_date` is the day where the machine is",
                "2026-03-07",
                Stability::Turn,
                "free",
            ),
            info(
                "os",
                "Operating system: `linux`, `darwin`, `win32` and so on",
                "linux",
                Stability::Static,
                "free",
            ),
            info("hostname", "Name of the machine", "workshop", Stability::Static, "free"),
            info(
                "local_date",
                "Current day in the machine's time zone",
                "2026-03-07",
                Stability::Turn,
                "the zone's file",
            ),
            info(
                "local_time",
                "Current time in the machine's time zone, with its offset from UTC",
                "2026-03-07T08:55:05-06:00",
                Stability::Turn,
                "the zone's file",
            ),
            info(
                "long_time",
                "Current day and time in English words, with the time zone",
                "Saturday, March 7, 2026 at 08:55:05 AM CST",
                Stability::Turn,
                "the zone's file",
            ),
            info(
                "timezone",
                "Name of the machine's time zone",
                "America/Chicago",
                Stability::Conversation,
                "the zone's file",
            ),
            info("month", "Current month and year in UTC, in English", "March 2026", Stability::Turn, "free"),
            info("shell", "Name of the user's shell", "bash", Stability::Static, "free"),
            info("year", "Current year in UTC", "2026", Stability::Turn, "free"),
        ];
        VARIABLES
    }

    fn resolve(&self, key: &VariableKey, look: &ProviderContext<'_>) -> RecordedVariable {
        let clock = |text: String| RecordedVariable::of(text, "the turn's clock", Stability::Turn);
        match key.name() {
            "time" => clock(look.turn.now.clone()),
            "date" => clock(look.turn.now.chars().take(10).collect()),
            "local_date" => local(look, |now| now.strftime("%Y-%m-%d").to_string()),
            "local_time" => local(look, |now| now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()),
            "long_time" => local(look, |now| long_time::format(look, now)),
            "month" => match look.turn.now.parse::<Timestamp>() {
                Ok(now) => clock(now.strftime("%B %Y").to_string()),
                Err(error) => RecordedVariable::absent(error.to_string()),
            },
            "year" => clock(look.turn.now.chars().take(4).collect()),
            "timezone" => match zone(look) {
                Ok(zone) => RecordedVariable::of(
                    zone.iana_name().unwrap_or("UTC"),
                    zone_source(look),
                    Stability::Conversation,
                ),
                Err(why) => RecordedVariable::absent(why),
            },
            "os" => RecordedVariable::of(look.system.os(), "the operating system", Stability::Static),
            "hostname" => match look.system.hostname() {
                Some(name) => RecordedVariable::of(name, "the host name", Stability::Static),
                None => RecordedVariable::absent("the host name cannot be read"),
            },
            "shell" => match shell(look) {
                Some(name) => RecordedVariable::of(name, "SHELL", Stability::Static),
                None => RecordedVariable::absent("no shell is set"),
            },
            _ => RecordedVariable::absent("no such name"),
        }
    }
}

/// The name of the shell, never its path: `SHELL` on Unix, `ComSpec` on Windows.
fn shell(look: &ProviderContext<'_>) -> Option<String> {
    let name = if look.system.os() == "win32" { "ComSpec" } else { "SHELL" };
    let path = look.system.var(name)?.into_string().ok()?;
    let stem = path.rsplit(['/', '\\']).next()?.trim_end_matches(".exe");
    let plain = !stem.is_empty()
        && stem.len() <= 32
        && stem.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
    plain.then(|| stem.to_owned())
}

fn local(look: &ProviderContext<'_>, form: impl Fn(&Zoned) -> String) -> RecordedVariable {
    match zoned_now(look) {
        Ok(zoned) => RecordedVariable::of(
            form(&zoned),
            format!("the turn's clock in {}", zone_source(look)),
            Stability::Turn,
        ),
        Err(why) => {
            let mut variable = RecordedVariable::absent(why.clone());
            variable.diagnostics.push(Diagnostic::warning(DiagnosticCode::VariableClock, why));
            variable
        }
    }
}

/// The zone that the caller names, else the machine's.
fn zone(look: &ProviderContext<'_>) -> Result<TimeZone, String> {
    match &look.turn.zone {
        Some(name) => look.system.zone(name).ok_or_else(|| format!("unknown time zone: `{name}`")),
        None => Ok(look.system.time_zone()),
    }
}

fn zone_source<'a>(look: &'a ProviderContext<'_>) -> &'a str {
    look.turn.zone.as_deref().unwrap_or("the machine's zone")
}

/// The turn's instant in the turn's zone.
fn zoned_now(look: &ProviderContext<'_>) -> Result<Zoned, String> {
    let now: Timestamp =
        look.turn.now.parse().map_err(|error| format!("`{}` is no instant: {error}", look.turn.now))?;
    Ok(now.to_zoned(zone(look)?))
}
