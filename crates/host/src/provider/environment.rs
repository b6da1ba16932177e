//! Variables of the machine and the clock. One instant stands for the whole build.

mod long_time;

use super::VariableProvider;
use crate::provider::context::ProviderContext;
use jiff::{Timestamp, Zoned, tz::TimeZone};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    variable::{RecordedVariable, Stability, VariableKey},
};

/// The provider of `system:`.
pub const ENVIRONMENT: VariableProvider = VariableProvider { kinds: &["system"], resolve };

fn resolve(key: &VariableKey, context: &ProviderContext<'_>) -> RecordedVariable {
    let clock = |text: String| RecordedVariable::of(text, "the turn's clock", Stability::Turn);
    match key.name() {
        "time" => clock(context.turn.now.clone()),
        "date" => clock(context.turn.now.chars().take(10).collect()),
        "local_date" => local(context, |now| now.strftime("%Y-%m-%d").to_string()),
        "local_time" => local(context, |now| now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()),
        "long_time" => local(context, |now| long_time::format(context, now)),
        "month" => match context.turn.now.parse::<Timestamp>() {
            Ok(now) => clock(now.strftime("%B %Y").to_string()),
            Err(error) => RecordedVariable::absent(error.to_string()),
        },
        "year" => clock(context.turn.now.chars().take(4).collect()),
        "timezone" => match zone(context) {
            Ok(zone) => RecordedVariable::of(
                zone.iana_name().unwrap_or("UTC"),
                zone_source(context),
                Stability::Conversation,
            ),
            Err(why) => RecordedVariable::absent(why),
        },
        "os" => RecordedVariable::of(context.system.os(), "the operating system", Stability::Static),
        "hostname" => match context.system.hostname() {
            Some(name) => RecordedVariable::of(name, "the host name", Stability::Static),
            None => RecordedVariable::absent("the host name cannot be read"),
        },
        "shell" => match shell(context) {
            Some(name) => RecordedVariable::of(name, "SHELL", Stability::Static),
            None => RecordedVariable::absent("no shell is set"),
        },
        _ => RecordedVariable::absent("no such name"),
    }
}

/// The name of the shell, never its path.
fn shell(context: &ProviderContext<'_>) -> Option<String> {
    let path = context.system.var("SHELL")?.into_string().ok()?;
    let stem = path.rsplit('/').next()?;
    let plain = !stem.is_empty()
        && stem.len() <= 32
        && stem.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
    plain.then(|| stem.to_owned())
}

fn local(context: &ProviderContext<'_>, form: impl Fn(&Zoned) -> String) -> RecordedVariable {
    match zoned_now(context) {
        Ok(zoned) => RecordedVariable::of(
            form(&zoned),
            format!("the turn's clock in {}", zone_source(context)),
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
fn zone(context: &ProviderContext<'_>) -> Result<TimeZone, String> {
    match &context.turn.zone {
        Some(name) => context.system.zone(name).ok_or_else(|| format!("unknown time zone: `{name}`")),
        None => Ok(context.system.time_zone()),
    }
}

fn zone_source<'a>(context: &'a ProviderContext<'_>) -> &'a str {
    context.turn.zone.as_deref().unwrap_or("the machine's zone")
}

/// The turn's instant in the turn's zone.
fn zoned_now(context: &ProviderContext<'_>) -> Result<Zoned, String> {
    let now: Timestamp =
        context.turn.now.parse().map_err(|error| format!("`{}` is no instant: {error}", context.turn.now))?;
    Ok(now.to_zoned(zone(context)?))
}
