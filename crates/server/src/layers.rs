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
    telemetry::Metrics,
};
use axum::{
    Router,
    extract::{DefaultBodyLimit, MatchedPath, Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use preface_engine::core::lint::character::escape_json;
use std::{any::Any, pin::pin, sync::Arc, time::Instant};
use tower::ServiceBuilder;
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
    let layers = ServiceBuilder::new()
        .layer(middleware::from_fn_with_state(shell, pass))
        .layer(CatchPanicLayer::custom(panic_response));
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

/// Passes a request on to its route.
async fn pass(State(shell): State<Arc<Shell>>, request: Request, next: Next) -> Response {
    shell.pass(request, next).await
}

impl Shell {
    async fn pass(&self, request: Request, next: Next) -> Response {
        let id = self.ids.of(request.headers());
        let method = request.method().clone();
        let matched = request.extensions().get::<MatchedPath>().cloned();
        let route = matched.as_ref().map_or(UNMATCHED, MatchedPath::as_str);
        // Anybody may have a file of the page: it is sent as it is, without memory of its own.
        let zip = compress::is_wanted(&method, request.headers()) && route != ASSET;
        let metrics = &*self.app.metrics;
        let identity = Identity::Anonymous;
        let mut outcome = Outcome {
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
                Ok::<_, Problem>(next.run(Request::from_parts(parts, body.into())).await)
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
        headers::finish(&mut response, &id, &outcome.identity);
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
pub(crate) struct Outcome<'p> {
    metrics: &'p Metrics,
    started: Instant,
    pub(crate) id: &'p HeaderValue,
    pub(crate) method: &'p Method,
    pub(crate) route: &'p str,
    pub(crate) identity: Identity,
    is_written: bool,
}

impl Outcome<'_> {
    fn write(&mut self, status: StatusCode, failure: Option<&Problem>) {
        self.is_written = true;
        let took = self.started.elapsed();
        self.metrics.count_response(self.route, self.method, status, took);
        log_line::write(self, status, took, failure);
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
