//! A connection of the pool, with a retry of safe operations.

use super::{
    PostgresStore, WAIT,
    fault::{AttemptError, RetryAction},
    rows::count,
};
use crate::{Answer, StoreError};
use deadpool_postgres::Object;
use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::Notify;
use tokio_postgres::{
    Error, Row,
    types::{ToSql, Type},
};

/// The longest duration of a statement on the server.
pub(super) const STATEMENT: Duration = Duration::from_secs(10);
/// The longest wait for a statement: the server's own limit ends it first, if it has one.
const PATIENCE: Duration = Duration::from_secs(12);
/// The wait for a connection of this node before a new one is tried once more.
const RETURN: Duration = Duration::from_millis(250);
/// The number of attempts of writers that conflict.
const TRIES: u32 = 8;

/// The rule for repeating a write whose outcome is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RetryPolicy {
    /// Always: writing twice has the same effect, and the second attempt can see if the first was stored.
    Always,
    /// Only if it is certain that nothing was stored.
    IfNotKept,
}

/// The outcome of the attempts before this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PriorAttempts {
    /// None of them was stored.
    Nothing,
    /// One of them may have been stored.
    Perhaps,
}

/// The end of a transaction.
pub(super) enum TransactionEnd<T> {
    /// With everything that was written.
    Keep(T),
    /// As if nothing had been written.
    Undo(T),
}

/// The values of a statement.
pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

impl PostgresStore {
    /// Attempts an operation until it succeeds or fails for good.
    pub(super) async fn attempt<T, Doing>(
        &self,
        repeat: RetryPolicy,
        act: impl Fn(PriorAttempts) -> Doing,
    ) -> Result<T, StoreError>
    where
        Doing: Future<Output = Result<T, AttemptError>>,
    {
        let mut before = PriorAttempts::Nothing;
        let mut yielded = 0;
        let mut reconnected = false;
        loop {
            let fault = match act(before).await {
                Ok(answer) => return Ok(answer),
                Err(fault) => fault,
            };
            if fault.is_read_only() {
                self.read_only.note();
            }
            match fault.retry_action() {
                RetryAction::Yield if yielded < TRIES => {
                    yielded += 1;
                    tokio::time::sleep(retry_delay(yielded)).await;
                }
                RetryAction::Reconnect
                    if !reconnected && (!fault.in_doubt || repeat == RetryPolicy::Always) =>
                {
                    reconnected = true;
                    if fault.in_doubt {
                        before = PriorAttempts::Perhaps;
                    }
                }
                _ => return Err(fault.into_store_error(&self.address)),
            }
        }
    }

    /// Reads the rows of a statement.
    pub(super) async fn read_rows<T>(
        &self,
        sql: &'static str,
        values: Values<'_>,
        read: fn(&Row) -> Answer<T>,
    ) -> Answer<Vec<T>> {
        let read_all = async || {
            let rows = self.session().await?.rows(sql, values).await?;
            Ok(rows.iter().map(read).collect::<Result<_, StoreError>>()?)
        };
        self.attempt(RetryPolicy::Always, |_| read_all()).await
    }

    /// Reads the row of a statement, if there is one.
    pub(super) async fn read_row<T>(
        &self,
        sql: &'static str,
        values: Values<'_>,
        read: fn(&Row) -> Answer<T>,
    ) -> Answer<Option<T>> {
        Ok(self.read_rows(sql, values, read).await?.pop())
    }

    /// Runs a statement whose row is a number: that of the changed rows.
    pub(super) async fn read_count(
        &self,
        repeat: RetryPolicy,
        sql: &'static str,
        values: Values<'_>,
    ) -> Answer<u64> {
        self.attempt(repeat, |_| async { self.session().await?.count(sql, values).await }).await
    }

    /// Takes a connection out of the pool. Where the server allows fewer connections than the pool may hold, waits for one
    /// that this node has already.
    pub(super) async fn session(&self) -> Result<PostgresSession, AttemptError> {
        let began = Instant::now();
        loop {
            match self.pool.get().await.map_err(AttemptError::from) {
                Ok(object) => {
                    let (object, returned) = (Some(object), self.returned.clone());
                    return Ok(PostgresSession { object, returned, pending: AtomicBool::new(false) });
                }
                Err(fault)
                    if fault.is_connection_limit()
                        && self.pool.status().size > 0
                        && began.elapsed() < WAIT =>
                {
                    // The connection may be given to another task, or the limit may be lifted.
                    let _ = tokio::time::timeout(RETURN, self.returned.notified()).await;
                }
                Err(fault) => return Err(fault),
            }
        }
    }
}

/// Returns a random delay that grows with each attempt.
fn retry_delay(attempt: u32) -> Duration {
    let most = 4_u64 << attempt.min(6);
    Duration::from_millis(1 + RandomState::new().hash_one(attempt) % most)
}

/// One connection. It goes back to the pool unless something is still under way on it.
pub(super) struct PostgresSession {
    object: Option<Object>,
    returned: Arc<Notify>,
    pending: AtomicBool,
}

impl PostgresSession {
    fn client(&self) -> &Object {
        self.object.as_ref().expect("the connection is only taken away by drop")
    }

    /// Waits for a reply until a timeout. A caller that stops waiting leaves the connection unfit for others.
    async fn wait<T>(&self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, AttemptError> {
        let outside = !self.pending.swap(true, Ordering::Relaxed);
        let answer = tokio::time::timeout(PATIENCE, answer).await.map_err(|_| AttemptError::timeout())?;
        if outside {
            self.pending.store(false, Ordering::Relaxed);
        }
        Ok(answer?)
    }

    /// Runs a statement that the connection remembers, in one round trip after the first.
    pub async fn rows(&self, sql: &'static str, values: Values<'_>) -> Result<Vec<Row>, AttemptError> {
        let client = self.client();
        self.wait(async {
            let statement = client.prepare_cached(sql).await?;
            client.query(&statement, values).await
        })
        .await
    }

    /// As [`PostgresSession::rows`], for at most one row.
    pub async fn row(&self, sql: &'static str, values: Values<'_>) -> Result<Option<Row>, AttemptError> {
        Ok(self.rows(sql, values).await?.pop())
    }

    /// As [`PostgresSession::row`], for a row that is a number.
    pub async fn count(&self, sql: &'static str, values: Values<'_>) -> Result<u64, AttemptError> {
        let row = self.row(sql, values).await?;
        Ok(row.map(|row| count(&row, 0)).transpose()?.unwrap_or_default())
    }

    /// Runs a statement that is planned for its values each time: the fastest plan depends on them.
    pub async fn rows_with_plan(
        &self,
        sql: &str,
        values: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, AttemptError> {
        self.wait(self.client().query_typed(sql, values)).await
    }

    /// Runs statements without values.
    pub async fn batch(&self, sql: &str) -> Result<(), AttemptError> {
        self.wait(self.client().batch_execute(sql)).await
    }

    /// Runs reads and writes as one transaction.
    pub async fn transaction<T>(
        &self,
        body: impl Future<Output = Result<TransactionEnd<T>, AttemptError>>,
    ) -> Result<T, AttemptError> {
        let certain = |fault: AttemptError| AttemptError { in_doubt: false, ..fault };
        // Until the end the connection is not reusable.
        self.pending.store(true, Ordering::Relaxed);
        self.batch("BEGIN").await.map_err(certain)?;
        let answer = match body.await {
            Ok(TransactionEnd::Keep(answer)) => {
                self.batch("COMMIT").await?;
                answer
            }
            Ok(TransactionEnd::Undo(answer)) => {
                self.batch("ROLLBACK").await.map_err(certain)?;
                answer
            }
            Err(fault) => {
                if fault.retry_action() != RetryAction::Reconnect && self.batch("ROLLBACK").await.is_ok() {
                    self.pending.store(false, Ordering::Relaxed);
                }
                return Err(certain(fault));
            }
        };
        self.pending.store(false, Ordering::Relaxed);
        Ok(answer)
    }
}

impl Drop for PostgresSession {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            if self.pending.load(Ordering::Relaxed) {
                drop(Object::take(object));
            } else {
                drop(object);
            }
        }
        self.returned.notify_one();
    }
}
