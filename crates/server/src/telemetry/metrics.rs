//! The metrics of `/metrics`.

use axum::http::{Method, StatusCode};
use preface_core::format::RequestUsage;
use prometheus_client::{
    encoding::{EncodeLabelValue, text},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
        info::Info,
    },
    registry::{Metric, Registry, Unit},
};
use std::{
    borrow::Cow,
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use tracing::warn;

/// The outcome of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
pub enum ConstructOutcome {
    /// The first prompt of a conversation was kept.
    Created,
    /// Another first turn was faster: its prompt was returned.
    Raced,
    /// A compaction replaced the prompt.
    Compacted,
    /// A refresh replaced the prompt.
    Refreshed,
    /// Nothing was kept.
    Failed,
}

/// The result of a cache lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
pub enum CacheAnswer {
    /// Found.
    Hit,
    /// Not found.
    Miss,
}

/// Labels with their names.
type Labels<const N: usize> = [(&'static str, Cow<'static, str>); N];

/// Counts what happens. Each service has its own.
pub struct Metrics {
    registry: Registry,
    requests: Family<Labels<3>, Counter>,
    seconds: Family<Labels<1>, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    pub(crate) connections: Gauge,
    limits: Family<Labels<1>, Counter>,
    /// The time of the last line about a limit.
    reported: Mutex<Option<Instant>>,
    /// The same number, for the limit.
    working: AtomicUsize,
    constructs: Family<[(&'static str, ConstructOutcome); 1], Counter>,
    store_errors: Counter,
    cache: Family<[(&'static str, CacheAnswer); 1], Counter>,
    formatted: Family<[(&'static str, bool); 1], Counter>,
    tokens: Family<Labels<1>, Counter>,
}

/// The methods that are counted apart.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];

/// The pause between two lines about limits.
const REPORTED_EACH: Duration = Duration::from_secs(10);

/// From a quarter of a millisecond to eight seconds.
fn latencies() -> Histogram {
    Histogram::new(exponential_buckets(0.00025, 2.0, 16))
}

/// Registers a metric.
fn registered<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let requests = registered(&mut registry, "http_requests", "Requests answered");
        let seconds: Family<Labels<1>, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(latencies);
        let help = "How long requests took";
        registry.register_with_unit("http_request_duration", help, Unit::Seconds, seconds.clone());
        let in_flight = registered(&mut registry, "http_requests_in_flight", "Requests worked on now");
        let connections = registered(&mut registry, "http_connections", "Connections open now");
        let limits = registered(&mut registry, "http_limits", "Connections and replies that a limit ended");
        let help = "Prompts constructed, by how it ended";
        let constructs = registered(&mut registry, "preface_constructs", help);
        let store_errors =
            registered(&mut registry, "preface_store_errors", "Requests that the store failed");
        let help = "Conversations looked up in memory";
        let cache = registered(&mut registry, "preface_conversation_cache", help);
        let help = "Requests formatted, by whether they extend the one before";
        let formatted = registered(&mut registry, "preface_model_requests", help);
        let help = "Input tokens that callers reported, by where the service read them";
        let tokens = registered(&mut registry, "preface_input_tokens", help);
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("preface_build", "What runs", build);
        let start = Gauge::<f64, std::sync::atomic::AtomicU64>::default();
        start.set(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64()));
        registry.register_with_unit("process_start_time", "When it was started", Unit::Seconds, start);
        Metrics {
            registry,
            requests,
            seconds,
            in_flight,
            connections,
            limits,
            reported: Mutex::default(),
            working: AtomicUsize::new(0),
            constructs,
            store_errors,
            cache,
            formatted,
            tokens,
        }
    }
}

impl Metrics {
    /// Counts a response. Methods that no route has are counted as one.
    pub(crate) fn count_response(&self, route: &str, method: &Method, status: StatusCode, took: Duration) {
        let route = || Cow::from(route.to_owned());
        let method = METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("other");
        let class = match status.as_u16() {
            499 => "499",
            100..200 => "1xx",
            200..300 => "2xx",
            300..400 => "3xx",
            400..500 => "4xx",
            _ => "5xx",
        };
        let labels = [("route", route()), ("method", method.into()), ("status", class.into())];
        self.requests.get_or_create(&labels).inc();
        self.seconds.get_or_create(&[("route", route())]).observe(took.as_secs_f64());
    }

    /// A prompt was constructed, or was not.
    pub fn count_construction(&self, outcome: ConstructOutcome) {
        self.constructs.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts a formatted request.
    pub(crate) fn count_format(&self, extends: bool) {
        self.formatted.get_or_create(&[("extends", extends)]).inc();
    }

    /// Adds the tokens that a caller reported.
    pub(crate) fn count_usage(&self, usage: RequestUsage) {
        let RequestUsage { input_tokens, cache_read_tokens, cache_write_tokens, .. } = usage;
        let rest = input_tokens.saturating_sub(cache_read_tokens).saturating_sub(cache_write_tokens);
        for (kind, tokens) in
            [("cache_read", cache_read_tokens), ("cache_write", cache_write_tokens), ("uncached", rest)]
        {
            self.tokens.get_or_create(&[("kind", kind.into())]).inc_by(tokens);
        }
    }

    /// Counts what a limit ended, and logs it: strangers choose how often that is.
    pub(crate) fn count_limit(&self, limit: &'static str) {
        self.limits.get_or_create(&[("limit", limit.into())]).inc();
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.is_none_or(|at| at.elapsed() >= REPORTED_EACH) {
            *reported = Some(Instant::now());
            let connections = self.connections.get();
            warn!(limit, connections, "a limit was reached; `http_limits_total` has the number");
        }
    }

    /// The store failed a request. Whatever leaves as the problem of a store is counted already.
    pub fn store_failed(&self) {
        self.store_errors.inc();
    }

    /// A conversation was looked up in memory.
    pub fn count_lookup(&self, answer: CacheAnswer) {
        self.cache.get_or_create(&[("answer", answer)]).inc();
    }

    /// Writes all numbers in the text format of OpenMetrics.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::with_capacity(8 << 10);
        // Writing to a string does not fail.
        let _ = text::encode(&mut out, &self.registry);
        out
    }

    /// Counts a request as worked on until what is returned is dropped; `None` if there are `most` already.
    pub(crate) fn enter(&self, most: usize) -> Option<ActiveRequest<'_>> {
        if self.working.fetch_add(1, Ordering::Relaxed) >= most {
            self.working.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        self.in_flight.inc();
        Some(ActiveRequest(self))
    }
}

/// A request that is worked on.
pub(crate) struct ActiveRequest<'a>(&'a Metrics);

impl Drop for ActiveRequest<'_> {
    fn drop(&mut self) {
        self.0.in_flight.dec();
        self.0.working.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}
