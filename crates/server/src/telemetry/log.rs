//! The log on stderr, and the setup of traces.

use super::TRACE;
use std::io::IsTerminal;
use tracing::Subscriber;
use tracing_subscriber::{EnvFilter, Layer, Registry, layer::SubscriberExt};

/// In which form the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// A line for people.
    #[default]
    Text,
    /// An object a line, for programs.
    Json,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter cannot be read.
    #[error("invalid log filter: {0}")]
    Filter(String),
    /// The collector's address cannot be used.
    #[error("cannot send traces: {0}")]
    Collector(String),
    /// The process logs elsewhere already.
    #[error("the log is already set up")]
    Taken,
}

/// The log and the traces of this process, until it ends.
#[derive(Debug, Default)]
pub struct Telemetry {
    #[cfg(feature = "otel")]
    traces: Option<super::traces::Traces>,
}

impl Telemetry {
    /// Begins to log to stderr: `filter` is a level (`info`) or a list such as `preface=debug,hyper=info`. Where the
    /// environment names a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`), traces go there. To be called before a runtime runs.
    ///
    /// # Errors
    /// The filter or the collector's address cannot be read, or the process logs already.
    pub fn begin(filter: &str, format: LogFormat) -> Result<Self, TelemetryError> {
        let filter = read(filter)?;
        let colours =
            std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty());
        let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
        let lines: Box<dyn Layer<Registry> + Send + Sync> = match format {
            LogFormat::Text => lines.with_ansi(colours).with_filter(filter).boxed(),
            LogFormat::Json => lines
                .json()
                .flatten_event(true)
                .with_current_span(false)
                .with_span_list(false)
                .with_filter(filter)
                .boxed(),
        };
        let registry = tracing_subscriber::registry().with(lines);
        log_panics();
        #[cfg(feature = "otel")]
        if let Some(traces) = super::traces::Traces::begin().map_err(TelemetryError::Collector)? {
            take(registry.with(traces.layer()))?;
            return Ok(Telemetry { traces: Some(traces) });
        }
        take(registry)?;
        Ok(Telemetry::default())
    }

    /// Sends what was not sent yet. Not to be called within a runtime.
    pub fn end(self) {
        #[cfg(feature = "otel")]
        if let Some(traces) = self.traces {
            traces.end();
        }
    }
}

/// Logs the place of a panic, without its message, which may contain text of a prompt.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "internal error; please report this bug");
    }));
}

/// Records of the crate `log` are ignored: some crates would log the values of a statement.
fn take(subscriber: impl Subscriber + Send + Sync) -> Result<(), TelemetryError> {
    tracing::subscriber::set_global_default(subscriber).map_err(|_| TelemetryError::Taken)
}

fn read(filter: &str) -> Result<EnvFilter, TelemetryError> {
    let plain = !filter.is_empty() && filter.bytes().all(|b| b.is_ascii_alphanumeric());
    let whole = if plain { format!("warn,preface={filter}") } else { filter.to_owned() };
    let whole = format!("{whole},{TRACE}=off");
    EnvFilter::builder().parse(whole).map_err(|error| TelemetryError::Filter(format!("`{filter}`: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::filter::LevelFilter;

    #[test]
    fn a_filter_is_a_level_or_a_list() {
        for (good, most) in [
            ("info", LevelFilter::INFO),
            ("debug", LevelFilter::DEBUG),
            // Other crates still warn.
            ("off", LevelFilter::WARN),
            ("error", LevelFilter::WARN),
            ("preface=debug,hyper=info", LevelFilter::DEBUG),
            ("hyper=error", LevelFilter::ERROR),
        ] {
            let filter = read(good).expect(good);
            assert_eq!(filter.max_level_hint(), Some(most), "{good}");
            assert!(filter.to_string().contains("preface::trace=off"), "{filter}");
        }
        for (bad, why) in [
            ("loud", "error parsing level filter"),
            ("preface=loud", "error parsing level filter"),
            ("preface=debug,=,=loud", "invalid filter directive"),
        ] {
            let error = read(bad).expect_err(bad).to_string();
            assert!(error.starts_with(&format!("invalid log filter: `{bad}`: {why}")), "{error}");
        }
    }
}
