//! A store on a server with PostgreSQL's protocol, for many nodes.
//!
//! Plain SQL: every decision is made in one statement or under the lock of one row, so any number of nodes may share the
//! database, and distributed databases that take PostgreSQL's dialect serve as well. No node keeps anything in memory that
//! another would have to know.

mod address;
mod audit;
mod conversations;
mod fault;
mod lists;
mod read_only;
mod requests;
mod rows;
mod session;
mod tables;
mod templates;
mod tls;

use crate::{Answer, Store, StoreError};
use address::PostgresAddress;
use async_trait::async_trait;
use deadpool_postgres::{Hook, HookError, Pool, Runtime};
use fault::AttemptError;
use read_only::LastReadOnly;
use session::{RetryPolicy, STATEMENT};
use std::{fmt, sync::Arc, time::Duration};
use tokio::sync::Notify;

/// The longest wait for a connection from the pool.
const WAIT: Duration = Duration::from_secs(5);
/// The longest duration of [`Store::check`].
const CHECK: Duration = Duration::from_secs(2);

/// A write as a first turn makes it, which leaves a number and no conversation behind.
const PROBE: &str = "WITH probe AS (INSERT INTO preface_meta (key, value) VALUES ('probe', 1) \
     ON CONFLICT (key) DO UPDATE SET value = preface_meta.value + 1 RETURNING key) \
     INSERT INTO preface_conversations (id) SELECT key FROM probe WHERE key = ''";

/// A store on a server.
pub(crate) struct PostgresStore {
    pool: Pool,
    address: PostgresAddress,
    /// Wakes a task that waits for a connection of this node.
    returned: Arc<Notify>,
    read_only: Arc<LastReadOnly>,
}

impl PostgresStore {
    /// Connects, and makes the tables if there are none.
    ///
    /// # Errors
    /// The address cannot be read, the server does not answer or does not let us in, or a newer preface made the tables.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let address = PostgresAddress::read(url)?;
        let read_only = Arc::<LastReadOnly>::default();
        let (made, used) = (read_only.clone(), read_only.clone());
        let pool = Pool::builder(tls::build_manager(&address)?)
            .max_size(address.pool_max)
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(address::CONNECT))
            .recycle_timeout(Some(address::CONNECT))
            .runtime(Runtime::Tokio1)
            .post_create(Hook::async_fn(move |client, _| {
                let read_only = made.clone();
                Box::pin(async move {
                    // A write that was answered is on disk, whatever the server's default is.
                    let settings = format!(
                        "SET statement_timeout = {}; SELECT set_config('synchronous_commit', 'on', false) \
                         WHERE current_setting('synchronous_commit', true) = 'off'; SHOW transaction_read_only",
                        STATEMENT.as_millis()
                    );
                    let answers = client.simple_query(&settings).await.map_err(HookError::Backend)?;
                    if read_only::is_on(&answers) {
                        read_only.note();
                    }
                    Ok(())
                })
            }))
            .pre_recycle(Hook::sync_fn(move |_, metrics| match used.is_after(metrics.created) {
                true => Err(HookError::message("it may lead to a former primary")),
                false => Ok(()),
            }))
            .build()
            .map_err(|error| StoreError::Other(error.to_string()))?;
        let store = PostgresStore { pool, address, returned: Arc::default(), read_only };
        store.attempt(RetryPolicy::Always, |_| store.make_tables()).await?;
        Ok(store)
    }

    async fn check_version(&self) -> Result<(), AttemptError> {
        let found = tables::read_version(&self.session().await?).await?;
        match found == Some(tables::KNOWN) {
            true => Ok(()),
            false => Err(tables::version_error(found).into()),
        }
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("address", &self.address.shown).finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for PostgresStore {
    fn kind(&self) -> &'static str {
        "postgres"
    }

    async fn check(&self) -> Answer<()> {
        let attempts = self.attempt(RetryPolicy::Always, |_| self.check_version());
        match tokio::time::timeout(CHECK, attempts).await {
            Ok(answer) => answer,
            Err(_) => Err(AttemptError::timeout().into_store_error(&self.address)),
        }
    }

    async fn probe(&self) -> Answer<()> {
        self.read_rows(PROBE, &[], |_| Ok(())).await.map(drop)
    }

    async fn identity(&self) -> Answer<u64> {
        let sql = "SELECT value FROM preface_meta WHERE key = 'identity'";
        self.read_count(RetryPolicy::Always, sql, &[]).await
    }

    /// Accepts no new work and waits for the old.
    async fn close(&self) -> Answer<()> {
        if self.pool.is_closed() {
            return Err(StoreError::Closed);
        }
        self.pool.close();
        // Connections are counted until those who have them give them back.
        let waited = async {
            while self.pool.status().size > 0 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(STATEMENT, waited)
            .await
            .map_err(|_| StoreError::Busy("something is still under way".to_owned()))
    }
}
