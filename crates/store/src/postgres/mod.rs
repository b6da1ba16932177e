//! A store on a server with PostgreSQL's protocol, for many nodes.
//!
//! Plain SQL: every decision is made in one statement or under the lock of one row, so any number of nodes may share the
//! database, and distributed databases that take PostgreSQL's dialect serve as well. No node keeps anything in memory that
//! another would have to know.

mod access;
mod address;
mod audit;
mod conversations;
mod drafts;
mod fault;
mod lists;
mod read_only;
mod requests;
mod rows;
mod session;
mod tables;
mod templates;
mod tls;

use crate::{
    Actor, Answer, AuditEntry, ConversationId, DraftKey, DraftLimits, ExpectedVersion, Filter, InsertOutcome,
    NewVersion, Page, PageRequest, PromptSummary, PutOutcome, ReplaceOutcome, ReplacedPrompt, Revision,
    Store, StoreError, StoredDraft, StoredPrompt, StoredRequest, TemplateName, TemplateSummary,
    TemplateVersion, TokenRecord, VersionChoice,
};
use address::PostgresAddress;
use deadpool_postgres::{Hook, HookError, Pool, Runtime};
use fault::AttemptError;
use jiff::Timestamp;
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

    async fn write_probe(&self) -> Result<(), AttemptError> {
        self.session().await?.rows(PROBE, &[]).await?;
        Ok(())
    }

    /// Accepts no new work and waits for the old.
    async fn close_pool(&self) -> Result<(), StoreError> {
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

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("address", &self.address.shown).finish_non_exhaustive()
    }
}

impl Store for PostgresStore {
    fn kind(&self) -> &'static str {
        "postgres"
    }

    fn check(&self) -> Answer<'_, ()> {
        Box::pin(async {
            match tokio::time::timeout(CHECK, self.attempt(RetryPolicy::Always, |_| self.check_version()))
                .await
            {
                Ok(answer) => answer,
                Err(_) => Err(AttemptError::timeout().into_store_error(&self.address)),
            }
        })
    }

    fn probe(&self) -> Answer<'_, ()> {
        Box::pin(self.attempt(RetryPolicy::Always, |_| self.write_probe()))
    }

    fn close(&self) -> Answer<'_, ()> {
        Box::pin(self.close_pool())
    }

    fn template<'a>(
        &'a self,
        name: &'a TemplateName,
        which: &'a VersionChoice,
    ) -> Answer<'a, Option<TemplateVersion>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.find_template(name, which)))
    }

    fn put_template<'a>(
        &'a self,
        new: NewVersion,
        expect: ExpectedVersion,
        actor: &'a Actor,
    ) -> Answer<'a, PutOutcome> {
        Box::pin(async move {
            let stamp = Revision::new(1).stamp;
            self.attempt(RetryPolicy::Always, |before| self.add_version(&new, expect, actor, stamp, before))
                .await
        })
    }

    fn templates<'a>(&'a self, page: &'a PageRequest) -> Answer<'a, Page<TemplateSummary>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.list_templates(page)))
    }

    fn versions<'a>(
        &'a self,
        name: &'a TemplateName,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<TemplateVersion>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.list_versions(name, page)))
    }

    fn label<'a>(
        &'a self,
        name: &'a TemplateName,
        label: &'a str,
        version: Option<u64>,
        actor: &'a Actor,
    ) -> Answer<'a, bool> {
        Box::pin(self.attempt(RetryPolicy::IfNotKept, move |_| self.put_label(name, label, version, actor)))
    }

    fn identity(&self) -> Answer<'_, u64> {
        Box::pin(self.attempt(RetryPolicy::Always, |_| self.read_identity()))
    }

    fn put_draft(&self, draft: StoredDraft, limits: DraftLimits) -> Answer<'_, bool> {
        Box::pin(async move { self.attempt(RetryPolicy::Always, |_| self.write_draft(&draft, limits)).await })
    }

    fn draft<'a>(&'a self, key: &'a DraftKey) -> Answer<'a, Option<StoredDraft>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.find_draft(key)))
    }

    fn drafts<'a>(&'a self, owner: &'a str) -> Answer<'a, Vec<StoredDraft>> {
        Box::pin(async move {
            let owner = Arc::from(owner);
            self.attempt(RetryPolicy::Always, |_| self.list_drafts(&owner)).await
        })
    }

    fn delete_draft<'a>(&'a self, key: &'a DraftKey) -> Answer<'a, bool> {
        Box::pin(self.attempt(RetryPolicy::IfNotKept, move |_| self.remove_draft(key)))
    }

    fn expire_drafts(&self, before: Timestamp, most: u64) -> Answer<'_, u64> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.remove_old_drafts(before, most)))
    }

    fn revision<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<Revision>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.find_revision(id)))
    }

    fn head<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<PromptSummary>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.find_head(id)))
    }

    fn conversation<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<StoredPrompt>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.find_conversation(id)))
    }

    fn create<'a>(&'a self, conversation: StoredPrompt, actor: &'a Actor) -> Answer<'a, InsertOutcome> {
        Box::pin(async move {
            self.attempt(RetryPolicy::Always, |before| self.add_first(&conversation, actor, before)).await
        })
    }

    fn replace<'a>(
        &'a self,
        conversation: StoredPrompt,
        expected: Revision,
        actor: &'a Actor,
    ) -> Answer<'a, ReplaceOutcome> {
        Box::pin(async move {
            self.attempt(RetryPolicy::Always, |before| self.add_next(&conversation, expected, actor, before))
                .await
        })
    }

    fn delete<'a>(
        &'a self,
        id: &'a ConversationId,
        expected: Option<Revision>,
        actor: &'a Actor,
    ) -> Answer<'a, bool> {
        Box::pin(self.attempt(RetryPolicy::IfNotKept, move |_| self.delete_conversation(id, expected, actor)))
    }

    fn conversations<'a>(
        &'a self,
        filter: &'a Filter,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<PromptSummary>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.list_conversations(filter, page)))
    }

    fn history<'a>(
        &'a self,
        id: &'a ConversationId,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<ReplacedPrompt>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.list_history(id, page)))
    }

    fn purge<'a>(&'a self, before: Timestamp, most: u64, actor: &'a Actor) -> Answer<'a, u64> {
        Box::pin(self.attempt(RetryPolicy::IfNotKept, move |_| self.purge_conversations(before, most, actor)))
    }

    fn count_unused(&self, before: Timestamp) -> Answer<'_, u64> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.count_unused_conversations(before)))
    }

    fn touch<'a>(&'a self, id: &'a ConversationId, at: Timestamp) -> Answer<'a, bool> {
        Box::pin(self.attempt(RetryPolicy::IfNotKept, move |_| self.touch_conversation(id, at)))
    }

    fn add_request(&self, request: StoredRequest) -> Answer<'_, bool> {
        Box::pin(async move {
            self.attempt(RetryPolicy::Always, |before| self.insert_request(&request, before)).await
        })
    }

    fn requests<'a>(&'a self, id: &'a ConversationId, from: u64) -> Answer<'a, Vec<StoredRequest>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.list_requests(id, from)))
    }

    fn set_request<'a>(&'a self, id: &'a ConversationId, number: u64, record: Arc<str>) -> Answer<'a, bool> {
        Box::pin(
            async move { self.attempt(RetryPolicy::Always, |_| self.put_request(id, number, &record)).await },
        )
    }

    fn audit<'a>(&'a self, page: &'a PageRequest) -> Answer<'a, Page<AuditEntry>> {
        Box::pin(self.attempt(RetryPolicy::Always, move |_| self.list_audit(page)))
    }

    fn trim_audit<'a>(&'a self, before: Timestamp, most: u64, actor: &'a Actor) -> Answer<'a, u64> {
        Box::pin(self.attempt(RetryPolicy::IfNotKept, move |_| self.trim(before, most, actor)))
    }

    fn add_access<'a>(&'a self, access: TokenRecord, actor: &'a Actor) -> Answer<'a, bool> {
        Box::pin(
            async move { self.attempt(RetryPolicy::IfNotKept, |_| self.insert_access(&access, actor)).await },
        )
    }

    fn accesses(&self) -> Answer<'_, Vec<TokenRecord>> {
        Box::pin(self.attempt(RetryPolicy::Always, |_| self.list_accesses()))
    }

    fn remove_access<'a>(&'a self, name: &'a str, actor: &'a Actor) -> Answer<'a, bool> {
        Box::pin(self.attempt(RetryPolicy::IfNotKept, move |_| self.delete_access(name, actor)))
    }
}
