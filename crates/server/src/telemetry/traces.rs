//! Traces for an OpenTelemetry collector. A thread of their own sends them: a collector that is slow or gone costs the
//! requests nothing, and what does not fit its queue is dropped.

use super::TRACE;
use axum::http::{HeaderMap, Method};
use opentelemetry::{
    propagation::TextMapPropagator,
    trace::{TraceContextExt, TracerProvider},
};
use opentelemetry_http::{
    Bytes, HeaderExtractor, HttpClient, HttpError, Request, Response, hyper::HyperClient,
};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{Resource, propagation::TraceContextPropagator, trace::SdkTracerProvider};
use std::{
    pin::Pin,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tokio::runtime::{Builder, Runtime};
use tracing::{Span, Subscriber, field::Empty, info_span, warn};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::{Layer, filter::Targets, registry::LookupSpan};

/// The variables of which one must name a collector.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// The time that the process waits for the collector when it ends.
const FAREWELL: Duration = Duration::from_secs(5);

/// The time for one request to the collector.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends to the collector, on the thread that asks for it.
#[derive(Debug)]
struct CollectorClient {
    runtime: Runtime,
    client: HyperClient,
    /// True if the last request failed: a collector that is gone is logged once.
    failed: AtomicBool,
}

impl HttpClient for CollectorClient {
    fn send_bytes<'s, 'f>(
        &'s self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>
    where
        's: 'f,
    {
        Box::pin(async {
            let sent = self.runtime.block_on(self.client.send_bytes(request));
            let failed = self.failed.swap(sent.is_err(), Ordering::Relaxed);
            if let (Err(error), false) = (&sent, failed) {
                warn!(reason = %error, "the collector takes no traces");
            }
            sent
        })
    }
}

/// The way to the collector.
#[derive(Debug)]
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts it where the environment names a collector.
    pub fn begin() -> Result<Option<Self>, String> {
        let named = ENDPOINTS.iter().find_map(|name| {
            let value = std::env::var(name).ok()?;
            (!value.trim().is_empty()).then_some((name, value))
        });
        let Some((name, address)) = named else { return Ok(None) };
        if !address.trim().starts_with("http://") {
            return Err(format!("{name} is not an `http://` address"));
        }
        if std::env::var("OTEL_EXPORTER_OTLP_PROTOCOL")
            .is_ok_and(|name| !matches!(name.trim(), "" | "http/protobuf"))
        {
            return Err("OTEL_EXPORTER_OTLP_PROTOCOL is not `http/protobuf`".to_owned());
        }
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        let client = HyperClient::with_default_connector(PATIENCE, None);
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(CollectorClient { runtime, client, failed: AtomicBool::new(false) })
            .with_protocol(Protocol::HttpBinary)
            .build()
            .map_err(|error| format!("{name}: {error}"))?;
        let resource = match std::env::var("OTEL_SERVICE_NAME") {
            Ok(name) if !name.is_empty() => Resource::builder(),
            _ => Resource::builder().with_service_name("preface"),
        };
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.build())
            .build();
        Ok(Some(Traces(provider)))
    }

    /// Returns what turns spans into traces.
    pub fn layer<S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync>(
        &self,
    ) -> impl Layer<S> + Send + Sync + use<S> {
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("preface"))
            .with_location(false)
            .with_threads(false)
            .with_filter(Targets::new().with_target(TRACE, tracing::Level::TRACE))
    }

    /// Sends what is left.
    pub fn end(self) {
        let _ = self.0.shutdown_with_timeout(FAREWELL);
    }
}

/// Opens the span of a request; where nobody traces, it is none.
pub(crate) fn request_span(method: &Method, route: &str) -> Span {
    info_span!(
        target: TRACE,
        "request",
        otel.name = Empty,
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method.as_str(),
        http.route = route,
        http.response.status_code = Empty,
    )
}

/// Makes the span a child of the caller's, where the caller names one (`traceparent`).
pub(crate) fn set_parent(span: &Span, headers: &HeaderMap, method: &Method, route: &str) {
    if span.is_disabled() {
        return;
    }
    span.record("otel.name", format_args!("{method} {route}"));
    let parent = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
    if parent.span().span_context().is_valid() {
        let _ = span.set_parent(parent);
    }
}
