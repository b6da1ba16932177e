//! The one layer of every request: an id, the guard, limits, a deadline, the headers of the response, the metrics, the
//! log. One layer costs one box; ten small ones would cost ten.

use crate::{
    App, Identity, Problem, compress,
    describe::QueryParameters,
    guard::{OPEN, RequestGuard},
    headers,
    headers::RequestIds,
    log_line,
    receive::BodyMemory,
    telemetry::{Metrics, Series},
};
use axum::{
    Router,
    extract::{DefaultBodyLimit, MatchedPath, Request},
    http::{HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use preface_engine::core::lint::character::escape_json;
use std::{
    any::Any,
    convert::Infallible,
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};
use tower::{Layer, Service, ServiceBuilder};
use tower_http::catch_panic::CatchPanicLayer;

/// The files of the page.
const ASSET: &str = "/assets/{name}";
/// The name of the addresses that do not exist.
const UNMATCHED: &str = "unmatched";

/// A request on a connection beyond the limit of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crowded;

/// Puts a router behind everything that a request passes.
pub fn layered(router: Router, app: &App) -> Router {
    let shell = Arc::new(Shell {
        app: Arc::new(app.clone()),
        ids: RequestIds::default(),
        bodies: BodyMemory::default(),
        replies: BodyMemory::default(),
        parameters: QueryParameters::of(crate::api()),
    });
    // Bodies are received, within their limit, before a handler sees them.
    let layers = ServiceBuilder::new().layer(PassLayer(shell)).layer(CatchPanicLayer::custom(panic_response));
    router.layer(layers.layer(DefaultBodyLimit::disable()))
}

/// The state that all routes share.
#[derive(Debug)]
struct Shell {
    app: Arc<App>,
    ids: RequestIds,
    bodies: BodyMemory,
    replies: BodyMemory,
    parameters: QueryParameters,
}

#[derive(Clone, Debug)]
struct PassLayer(Arc<Shell>);

impl<S> Layer<S> for PassLayer {
    type Service = Pass<S>;

    fn layer(&self, inner: S) -> Pass<S> {
        Pass { inner, shell: self.0.clone(), series: Arc::default() }
    }
}

/// One route with what its requests pass.
#[derive(Clone, Debug)]
struct Pass<S> {
    inner: S,
    shell: Arc<Shell>,
    /// The numbers of this route.
    series: Arc<Series>,
}

impl<S> Service<Request> for Pass<S>
where
    S: Service<Request, Error = Infallible> + Clone + Send + 'static,
    S::Response: IntoResponse,
    S::Future: Send,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // The service that was polled ready is the one that is called.
        let fresh = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, fresh);
        let (shell, series) = (self.shell.clone(), self.series.clone());
        Box::pin(async move { Ok(shell.pass(request, inner, &series).await) })
    }
}

impl Shell {
    async fn pass<S>(&self, request: Request, mut inner: S, series: &Series) -> Response
    where
        S: Service<Request, Error = Infallible> + Send,
        S::Response: IntoResponse,
        S::Future: Send,
    {
        let id = self.ids.of(request.headers());
        let method = request.method().clone();
        let matched = request.extensions().get::<MatchedPath>().cloned();
        let route = matched.as_ref().map_or(UNMATCHED, MatchedPath::as_str);
        // Anybody may have a file of the page: it is sent as it is, without memory of its own.
        let zip = compress::is_wanted(&method, request.headers()) && route != ASSET;
        let metrics = &*self.app.metrics;
        let identity = Identity::Anonymous;
        let mut outcome = Outcome {
            series,
            metrics,
            started: Instant::now(),
            id: &id,
            method: &method,
            route,
            identity,
            is_written: false,
        };

        #[cfg(feature = "otel")]
        let span = crate::telemetry::request_span(&method, route);
        #[cfg(feature = "otel")]
        crate::telemetry::set_parent(&span, request.headers(), &method, route);

        let response = async {
            // Health checks are answered under any load.
            let most = match request.extensions().get::<Crowded>() {
                _ if OPEN.contains(&route) => usize::MAX,
                Some(Crowded) => 0,
                None => self.app.limits.requests,
            };
            let _working = self.app.metrics.enter(most).ok_or_else(busy_problem)?;
            let response = pin!(async {
                let (mut parts, body) = request.into_parts();
                // The log has the name of a token whose role does not suffice.
                outcome.identity = self.app.guard.admit(&parts, route).await?;
                RequestGuard::permits(&outcome.identity, &method, route)?;
                parts.extensions.insert(outcome.identity.clone());
                self.parameters.check(&method, route, &parts.uri)?;
                let (most, limits) = (self.app.settings.max_body, &self.app.limits);
                let (body, _share) = self.bodies.receive(&parts.headers, body, most, limits).await?;
                let Ok(response) = inner.call(Request::from_parts(parts, body.into())).await;
                Ok::<_, Problem>(response.into_response())
            });
            tokio::time::timeout(self.app.limits.deadline, response).await.map_err(|_| deadline_problem())?
        };
        #[cfg(feature = "otel")]
        let response = tracing::Instrument::instrument(response, span.clone());
        let mut response = response.await.unwrap_or_else(Problem::into_response);

        let mut failure = self.explain(&mut response, &id);
        response = escape_terminal_controls(response).await;
        if zip {
            response = compress::compress(response).await;
        }
        if route != ASSET {
            response = match self.replies.hold(response, self.app.limits.replies).await {
                Ok(response) => response,
                Err(problem) => {
                    metrics.count_limit("replies");
                    let mut response = problem.into_response();
                    failure = self.explain(&mut response, &id);
                    response
                }
            };
        }
        let status = response.status();
        headers::finish(&mut response, &id);
        outcome.write(status, failure.as_ref());
        #[cfg(feature = "otel")]
        {
            span.record("http.response.status_code", status.as_u16());
            if status.is_server_error() {
                span.record("otel.status_code", "ERROR");
            }
        }
        response
    }

    /// Gives an error its document, with the id of the request. Returns it.
    fn explain(&self, response: &mut Response, id: &HeaderValue) -> Option<Problem> {
        let status = response.status();
        let problem = match response.extensions_mut().remove::<Problem>() {
            Some(problem) => problem,
            None if !status.is_client_error() && !status.is_server_error() => return None,
            None if response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| !is_plain(kind)) => {
                return None;
            }
            // A refusal by a library.
            None => Problem::new(
                status,
                "refused",
                status.canonical_reason().unwrap_or("the request was refused").to_lowercase(),
            ),
        };
        if problem.code.starts_with("store-") {
            self.app.metrics.store_failed();
        }
        let document = Problem { request_id: id.to_str().ok().map(str::to_owned), ..problem };
        let (parts, body) = document.clone().into_response().into_parts();
        *response.body_mut() = body;
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response.headers_mut().extend(parts.headers);
        response.extensions_mut().remove::<Problem>();
        Some(document)
    }
}

/// The end of a request, for the metrics and the log. Where the client goes away before it, that is the end (499).
struct Outcome<'p> {
    series: &'p Series,
    metrics: &'p Metrics,
    started: Instant,
    id: &'p HeaderValue,
    method: &'p Method,
    route: &'p str,
    identity: Identity,
    is_written: bool,
}

impl Outcome<'_> {
    fn write(&mut self, status: StatusCode, failure: Option<&Problem>) {
        let Outcome { series, metrics, id, method, route, .. } = *self;
        self.is_written = true;
        let took = self.started.elapsed();
        series.count_response(metrics, route, method, status, took);
        log_line::write(&log_line::LogLine {
            id,
            method,
            route,
            status,
            took,
            actor: self.identity.name(),
            code: failure.map(|failure| failure.code.as_str()),
            reason: failure.and_then(|failure| failure.reason.as_deref()),
        });
    }
}

impl Drop for Outcome<'_> {
    fn drop(&mut self) {
        if let (false, Ok(status)) = (self.is_written, StatusCode::from_u16(499)) {
            let abandoned = Problem::new(status, "abandoned", "the client closed the connection");
            self.write(status, Some(&abandoned));
        }
    }
}

/// Writes what a terminal acts on (DEL, C1 controls, U+2028, U+2029) as escapes in a JSON response; its meaning
/// stays the same.
async fn escape_terminal_controls(response: Response) -> Response {
    let is_json = |kind: &HeaderValue| {
        kind.to_str().is_ok_and(|kind| kind.split(';').next().is_some_and(|kind| kind.ends_with("json")))
    };
    if !response.headers().get(header::CONTENT_TYPE).is_some_and(is_json) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Bodies are complete before they are sent: nothing to wait for, no limit to keep.
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    // The characters are encoded with one of these bytes; most bodies have none.
    if !bytes.iter().any(|byte| matches!(byte, 0x7f | 0xc2 | 0xe2)) {
        return Response::from_parts(parts, bytes.into());
    }
    match String::from_utf8(bytes.into()) {
        Ok(json) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(parts, escape_json(json).into())
        }
        Err(error) => Response::from_parts(parts, error.into_bytes().into()),
    }
}

fn is_plain(kind: &HeaderValue) -> bool {
    kind.as_bytes().starts_with(b"text/plain")
}

/// Returns the response of a handler that panicked: no other request is affected.
fn panic_response(_: Box<dyn Any + Send>) -> Response {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "internal error")
        .help("this is a bug in preface: please report it, with the log entry of this request id")
        .into_response()
}

fn busy_problem() -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many concurrent requests")
        .help("try again in a second")
}

fn deadline_problem() -> Problem {
    Problem::new(StatusCode::GATEWAY_TIMEOUT, "deadline", "the request timed out")
        .help("a write may have succeeded: check before you retry")
}
