//! Failures of an entry's validation. Until it is known which entry stays, the subject of such a diagnostic is the field: a JSON
//! Pointer into the manifest (`/inputSchema`), or into the configuration if that does not fit its schema.

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Severity},
    scope::Scope,
};

/// Completes a failure with the entry: `project/Bash (Tool): at /limit: …`; a message about anything but the configuration names its
/// key itself. A failure with a lower entry to fall back to is a warning, any other one an error.
pub(crate) fn failure_of(who: &str, failure: Diagnostic, fallback: Option<Scope>) -> Diagnostic {
    let at = match (failure.code, &failure.subject) {
        (DiagnosticCode::ConfigSchemaViolation, Some(pointer)) if !pointer.is_empty() => {
            format!("at {pointer}: ")
        }
        _ => String::new(),
    };
    let stays = fallback.map(|scope| format!("; the {scope} one stays")).unwrap_or_default();
    let message = format!("{who}: {at}{}{stays}", failure.message);
    let severity = if fallback.is_some() { Severity::Warning } else { Severity::Error };
    Diagnostic { message, severity, ..failure }.about(who)
}
