//! Listening, connections and graceful shutdown.

use crate::{App, Metrics, TlsFiles, guard::IDLE, layers::Crowded, router, write_timeout::WriteTimeout};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
    service::TowerToHyperService,
};
use std::{error::Error, future::Future, io, pin::pin, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
};
use tower::ServiceBuilder;
use tracing::{debug, info, warn};

/// The delay after a failed accept.
const BREATH: Duration = Duration::from_millis(500);

/// The connections beyond the limit that are served at a time, and the time for the head of their one request.
const RESERVE: usize = 64;
const CROWDED: Duration = Duration::from_secs(1);

/// The most bytes of the head of a request.
const LARGEST_HEAD: usize = 64 << 10;

/// Serves until `shutdown` is done: then no more connections are taken, accepted requests are finished, and the store is
/// closed.
///
/// # Errors
/// The store cannot put down what it holds.
pub async fn serve(
    app: App,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Result<(), preface_engine::store::StoreError> {
    let (store, guard, limits, tls) = (app.store.clone(), app.guard.clone(), app.limits, app.tls.clone());
    // These end with the set.
    let mut beside = JoinSet::new();
    let (probe, probed) = (app.write_probe.clone(), app.store.clone());
    beside.spawn(async move { probe.repeat(&*probed).await });
    if let Some(tls) = tls.clone() {
        beside.spawn(tls.follow());
    }
    beside.spawn(async move {
        loop {
            guard.refresh_tokens().await;
            tokio::time::sleep(IDLE).await;
        }
    });
    let metrics = app.metrics.clone();
    accept_all(router(app), limits, metrics, listener, tls, shutdown).await;
    drop(beside);
    store.close().await
}

/// Serves a router with the same care, without a store to close.
pub async fn listen(
    router: Router,
    limits: crate::ServiceLimits,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) {
    accept_all(router, limits, Arc::default(), listener, None, shutdown).await;
}

/// What connections have in common.
struct Connections {
    metrics: Arc<Metrics>,
    /// The places of connections.
    room: Arc<Semaphore>,
    /// The places of those beyond, for health checks.
    reserve: Arc<Semaphore>,
}

async fn accept_all(
    router: Router,
    limits: crate::ServiceLimits,
    metrics: Arc<Metrics>,
    listener: TcpListener,
    tls: Option<Arc<TlsFiles>>,
    shutdown: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.keep_alive).max_buf_size(LARGEST_HEAD);
    let mut crowded_http = http.clone();
    crowded_http.header_read_timeout(CROWDED).keep_alive(false);
    let crowded_router = router.clone().layer(axum::Extension(Crowded));
    let connections = Arc::new(Connections {
        metrics,
        room: Arc::new(Semaphore::new(limits.connections)),
        reserve: Arc::new(Semaphore::new(RESERVE)),
    });
    let graceful = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = connections.accept(&listener) => accepted,
        };
        let (stream, seat, is_crowded) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // The client left, or the machine is out of something: neither ends the service.
                if !is_the_clients(&error) {
                    warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(BREATH).await;
                }
                continue;
            }
        };
        let (http, router) = if is_crowded { (&crowded_http, &crowded_router) } else { (&http, &router) };
        let (http, router, connections) = (http.clone(), router.clone(), connections.clone());
        let (watcher, acceptor) = (graceful.watcher(), tls.as_ref().map(|tls| tls.acceptor()));
        let head = if is_crowded { CROWDED } else { limits.head };
        tokio::spawn(async move {
            connections.metrics.connections.inc();
            let stream = WriteTimeout::of(stream, limits.write);
            match acceptor {
                None => connections.serve(stream, (&http, watcher), router, head).await,
                Some(acceptor) => match tokio::time::timeout(head, acceptor.accept(stream)).await {
                    Ok(Ok(stream)) => connections.serve(stream, (&http, watcher), router, head).await,
                    Ok(Err(error)) => debug!(%error, "TLS handshake failed"),
                    Err(_) => debug!("TLS handshake timed out"),
                },
            }
            connections.metrics.connections.dec();
            drop(seat);
        });
    }
    drop(listener);
    info!("shutting down: finishing accepted requests");
    if tokio::time::timeout(limits.farewell, graceful.shutdown()).await.is_err() {
        warn!("shutdown timed out; some requests were aborted");
    }
}

impl Connections {
    /// Accepts a connection, and takes a place for it: true if that is one of the reserve.
    async fn accept(&self, listener: &TcpListener) -> io::Result<(TcpStream, OwnedSemaphorePermit, bool)> {
        let (stream, _) = listener.accept().await?;
        // Responses are written whole: waiting for more would only delay them.
        let _ = stream.set_nodelay(true);
        if let Ok(seat) = self.room.clone().try_acquire_owned() {
            return Ok((stream, seat, false));
        }
        self.metrics.count_limit("connections");
        let seat = self.reserve.clone().acquire_owned().await.map_err(io::Error::other)?;
        Ok((stream, seat, true))
    }

    /// Serves a connection. One without a request is closed after a while.
    async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        &self,
        stream: S,
        (http, watcher): (&http1::Builder, Watcher),
        router: Router,
        head: Duration,
    ) {
        let first = Arc::new(Notify::new());
        let noticed = first.clone();
        let service = ServiceBuilder::new().map_request(move |request| {
            noticed.notify_one();
            request
        });
        let service = TowerToHyperService::new(service.service(router));
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(watcher.watch(connection));
        let ended = tokio::select! {
            ended = &mut connection => ended,
            first = tokio::time::timeout(head, first.notified()) => match first {
                Ok(()) => connection.await,
                Err(_) => return debug!("a connection without a request was closed"),
            },
        };
        // What else a client does to its own connection is its own business.
        let cause =
            ended.as_ref().err().and_then(Error::source).and_then(|cause| cause.downcast_ref::<io::Error>());
        if cause.is_some_and(|error| error.kind() == io::ErrorKind::TimedOut) {
            self.metrics.count_limit("write-timeout");
        }
    }
}

fn is_the_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}
