//! The servers that preface is compared with: the smallest with axum, on the same store.

use super::{PROMPT, fill::conversation};
use axum::{
    Router,
    body::Bytes,
    extract::{Path as InPath, State},
    http::StatusCode,
    routing::{get, post},
};
use preface_engine::store::{self, Actor, Store, StoreUrl};
use rusqlite::Connection;
use std::{error::Error, path::Path, sync::Arc, time::Duration};
use tokio::{net::TcpListener, runtime::Builder};

/// Serves one of them until it is killed. The first line of stdout is the address.
#[allow(clippy::print_stdout)]
pub fn serve(kind: &str, database: &Path) -> Result<(), Box<dyn Error>> {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let router = match kind {
            "hello" => Router::new().route("/", get(async || "Hello")),
            "read" => Router::new()
                .route("/conversations/{id}/system-prompt", get(read))
                .with_state(store::open(&StoreUrl::Sqlite(database.to_owned())).await?),
            "put" => Router::new()
                .route("/conversations/{id}/turns", post(put))
                .with_state(store::open(&StoreUrl::Sqlite(database.to_owned())).await?),
            "naive" => {
                naive_connection(database)?.execute_batch(
                    "CREATE TABLE prompts (id TEXT PRIMARY KEY, text BLOB, record TEXT) WITHOUT ROWID",
                )?;
                Router::new()
                    .route("/conversations/{id}/turns", post(naive))
                    .with_state(Arc::<Path>::from(database))
            }
            other => return Err(format!("no such server: {other}").into()),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("http://{}", listener.local_addr()?);
        axum::serve(listener, router).await?;
        Ok(())
    })
}

async fn read(State(store): State<Arc<dyn Store>>, InPath(id): InPath<String>) -> Result<Bytes, StatusCode> {
    let id = id.parse().map_err(|_| StatusCode::BAD_REQUEST)?;
    let head = store.head(&id).await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let head = head.ok_or(StatusCode::NOT_FOUND)?;
    Ok(Bytes::copy_from_slice(head.text.as_bytes()))
}

async fn put(
    State(store): State<Arc<dyn Store>>,
    InPath(id): InPath<String>,
) -> Result<(StatusCode, String), StatusCode> {
    let kept = conversation(&id, PROMPT);
    let text = kept.head.text.to_string();
    store.create(kept, &Actor::new("bench")).await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok((StatusCode::CREATED, text))
}

/// Each task has a connection and a transaction of its own, on a thread that may wait for the lock.
async fn naive(
    State(database): State<Arc<Path>>,
    InPath(id): InPath<String>,
) -> Result<(StatusCode, String), StatusCode> {
    let wrote = tokio::task::spawn_blocking(move || {
        thread_local! {
            static CONNECTION: std::cell::RefCell<Option<Connection>> = const { std::cell::RefCell::new(None) };
        }
        CONNECTION.with_borrow_mut(|connection| {
            if connection.is_none() {
                *connection = Some(naive_connection(&database)?);
            }
            let kept = conversation(&id, PROMPT);
            if let Some(connection) = connection {
                connection.prepare_cached("INSERT INTO prompts VALUES (?, ?, ?)")?.execute((
                    &id,
                    kept.head.text.as_bytes(),
                    &*kept.record,
                ))?;
            }
            Ok::<_, rusqlite::Error>(kept.head.text.to_string())
        })
    });
    match wrote.await {
        Ok(Ok(text)) => Ok((StatusCode::CREATED, text)),
        _ => Err(StatusCode::SERVICE_UNAVAILABLE),
    }
}

fn naive_connection(database: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(database)?;
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}
