//! Metrics, log and traces. None of them contains a text, a token or a password.

mod log;
mod metrics;
#[cfg(feature = "otel")]
mod traces;

pub use log::{LogFormat, Telemetry, TelemetryError};
pub use metrics::{CacheAnswer, ConstructOutcome, Metrics};
#[cfg(feature = "otel")]
pub(crate) use traces::{request_span, set_parent};

/// The target of the spans that become traces. The log does not show them, and where no collector is named they cost
/// nothing: `info_span!(target: TRACE, "build")`.
pub const TRACE: &str = "preface::trace";
