//! Listening, connections and graceful shutdown.

use crate::{App, TlsFiles, guard::IDLE, refusals::BareRefusals, router};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use std::{future::Future, io, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tracing::{debug, info, warn};

/// The delay after a failed accept.
const BREATH: Duration = Duration::from_millis(500);

/// The pause between two deletions of old drafts.
const HOUR: Duration = Duration::from_secs(3600);

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
    let (probe, probed) = (app.write_probe.clone(), app.store.clone());
    let probing = tokio::spawn(async move { probe.repeat(&*probed).await });
    let following = tls.clone().map(|tls| tokio::spawn(tls.follow()));
    let refreshing = tokio::spawn(async move {
        loop {
            guard.refresh_tokens().await;
            tokio::time::sleep(IDLE).await;
        }
    });
    let expiring = tokio::spawn({
        let app = app.clone();
        async move {
            loop {
                app.expire_drafts().await;
                tokio::time::sleep(HOUR).await;
            }
        }
    });
    accept_all(router(app), limits, listener, tls, shutdown).await;
    refreshing.abort();
    expiring.abort();
    probing.abort();
    if let Some(following) = following {
        following.abort();
    }
    store.close().await
}

/// Serves a router with the same care, without a store to close.
pub async fn listen(
    router: Router,
    limits: crate::ServiceLimits,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) {
    accept_all(router, limits, listener, None, shutdown).await;
}

async fn accept_all(
    router: Router,
    limits: crate::ServiceLimits,
    listener: TcpListener,
    tls: Option<Arc<TlsFiles>>,
    shutdown: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(LARGEST_HEAD);
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(limits.connections));
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = accept(&listener, &room) => accepted,
        };
        let (stream, seat) = match accepted {
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
        let (http, service) = (http.clone(), TowerToHyperService::new(router.clone()));
        let (watcher, acceptor) = (graceful.watcher(), tls.as_ref().map(|tls| tls.acceptor()));
        tokio::spawn(async move {
            // What a client does to its own connection is its own business.
            match acceptor {
                None => {
                    let _ = watcher
                        .watch(http.serve_connection(TokioIo::new(BareRefusals::of(stream)), service))
                        .await;
                }
                Some(acceptor) => match tokio::time::timeout(limits.head, acceptor.accept(stream)).await {
                    Ok(Ok(stream)) => {
                        let _ = watcher
                            .watch(http.serve_connection(TokioIo::new(BareRefusals::of(stream)), service))
                            .await;
                    }
                    Ok(Err(error)) => debug!(%error, "TLS handshake failed"),
                    Err(_) => debug!("TLS handshake timed out"),
                },
            }
            drop(seat);
        });
    }
    drop(listener);
    info!("shutting down: finishing accepted requests");
    if tokio::time::timeout(limits.farewell, graceful.shutdown()).await.is_err() {
        warn!("shutdown timed out; some requests were aborted");
    }
}

async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let seat = room.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    // Responses are written whole: waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    Ok((stream, seat))
}

fn is_the_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}
