//! Variables of the machine and the clock. One instant stands for the whole build.

mod long_time;
mod zones;

use super::VariableProvider;
use crate::provider_context::ProviderContext;
use jiff::{Timestamp, Zoned, tz::TimeZone};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    variable::{RecordedVariable, Stability, VariableKey},
};

/// The provider of `system:`.
#[derive(Debug)]
pub struct Environment;

impl VariableProvider for Environment {
    fn kinds(&self) -> &'static [&'static str] {
        &["system"]
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

/// The name of the shell, never its path.
fn shell(look: &ProviderContext<'_>) -> Option<String> {
    let path = look.system.var("SHELL")?.into_string().ok()?;
    let stem = path.rsplit('/').next()?;
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
