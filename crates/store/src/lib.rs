//! Where `preface` keeps what outlives a call: templates with all their versions, the prompt of each conversation,
//! an audit log, and access tokens.
//!
//! [`Store`] is the one way in. Two backends hold it up, and both pass the same suite: SQLite, `sqlite:PATH` in one file or
//! `memory:` for tests and trials, and `postgres://…` for many nodes. [`open`] takes the address and returns the store, made
//! where it is not there.
//!
//! The store decides nothing: a caller builds a prompt and hands it over whole. What the store promises is that of several
//! first prompts for one conversation one is kept ([`ConversationStore::create`]), that a prompt is replaced only with its revision
//! ([`ConversationStore::replace`]), that a prompt and its record are written together or not at all, and that an answer
//! to a write means that it is on disk.
//!
//! ```
//! use preface_store::{Actor, ExpectedVersion, NewVersion, Store, StoreUrl, TemplateName, VersionChoice};
//! # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
//! # runtime.block_on(async {
//! let store = preface_store::open(&"memory:".parse::<StoreUrl>()?).await?;
//! let name = TemplateName::main();
//! let new = NewVersion::of(name.clone(), "You are [prompt:model].");
//! store.put_template(new, ExpectedVersion::Any, &Actor::new("you")).await?;
//! assert_eq!(store.template(&name, &VersionChoice::Current).await?.unwrap().version, 1);
//! # Ok::<(), preface_store::StoreError>(())
//! # }).unwrap();
//! ```

#![cfg_attr(
    not(any(feature = "postgres", feature = "sqlite")),
    expect(dead_code, reason = "what backends share has no caller without one")
)]

mod access;
mod actor;
mod audit;
mod conversation;
mod error;
mod page;
mod template;
mod url;

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use access::{TokenRecord, TokenRole};
pub use actor::{Actor, format_instant};
pub use audit::{AuditAction, AuditEntry};
pub use conversation::{
    ConstructReason, ConversationId, ConversationIdError, Filter, InsertOutcome, PromptSummary,
    ReplaceOutcome, ReplacedPrompt, Revision, StoredPrompt, StoredRequest, TemplateUsed,
};
pub use error::StoreError;
pub use page::{List, Page, PageRequest};
pub use template::{
    ExpectedVersion, NewVersion, PutOutcome, TemplateName, TemplateNameError, TemplateVersion, VersionChoice,
};
pub use url::StoreUrl;

use async_trait::async_trait;
use jiff::Timestamp;
use std::{fmt, sync::Arc};

/// The result of a store operation.
pub type Answer<T> = Result<T, StoreError>;

/// The most requests that one call of [`RequestStore::requests`] returns. The record of one can have megabytes.
pub const REQUESTS: usize = 50;

/// The time within which the turns of a conversation are recorded once, in milliseconds.
const TOUCHED_EACH: i64 = 3_600_000;

/// Everything that is stored. Each method is one transaction.
///
/// The author of a change is an [`Actor`]; the store writes the [`AuditEntry`] in the same transaction.
#[async_trait]
pub trait Store:
    TemplateStore + ConversationStore + RequestStore + AuditStore + fmt::Debug + Send + Sync
{
    /// Returns the kind of the store, for people: `memory`, `sqlite`, `postgres`.
    fn kind(&self) -> &'static str;

    /// Checks that the store can be read and is of this version.
    async fn check(&self) -> Answer<()>;

    /// Checks that the store takes writes: writes an unused value to the disk.
    async fn probe(&self) -> Answer<()> {
        self.check().await
    }

    /// Returns a number that identifies this store. It stays as long as the data does.
    async fn identity(&self) -> Answer<u64>;

    /// Waits until everything accepted is on disk, and closes the store. Later calls fail.
    async fn close(&self) -> Answer<()>;
}

/// The templates of a store, with all their versions.
#[async_trait]
pub trait TemplateStore {
    /// Returns one version of a template, its text with it. `None`: there is no such template, version or label.
    async fn template(&self, name: &TemplateName, which: &VersionChoice) -> Answer<Option<TemplateVersion>>;

    /// Adds a version, the next one of its template. The text that is already the current one, without a note, adds none.
    async fn put_template(
        &self,
        new: NewVersion,
        expect: ExpectedVersion,
        actor: &Actor,
    ) -> Answer<PutOutcome>;

    /// Lists the current version of each template, without its text, by name.
    async fn templates(&self, page: &PageRequest) -> Answer<Page<TemplateVersion>>;

    /// Lists the versions of a template without their texts (`text` is `None`), the newest first.
    async fn versions(&self, name: &TemplateName, page: &PageRequest) -> Answer<Page<TemplateVersion>>;

    /// Puts a label on a version, or takes it away. A label is on one version of a template at a time. False: there is no
    /// such version.
    async fn label(
        &self,
        name: &TemplateName,
        label: &str,
        version: Option<u64>,
        actor: &Actor,
    ) -> Answer<bool>;
}

/// The conversations of a store.
#[async_trait]
pub trait ConversationStore {
    /// Returns the revision of a conversation. Cheap: caches call it on each read.
    async fn revision(&self, id: &ConversationId) -> Answer<Option<Revision>>;

    /// Returns the prompt of a conversation without its record.
    async fn head(&self, id: &ConversationId) -> Answer<Option<PromptSummary>>;

    /// Returns everything about a conversation.
    async fn conversation(&self, id: &ConversationId) -> Answer<Option<StoredPrompt>>;

    /// Stores the first prompt of a conversation. Of several that race, on any number of nodes, one is stored and all get it.
    /// Its revision number must be 1.
    async fn create(&self, conversation: StoredPrompt, actor: &Actor) -> Answer<InsertOutcome>;

    /// Replaces the prompt with the revision `expected`, which becomes a [`ReplacedPrompt`]. Its stamp is compared too: a
    /// conversation that was deleted and began again counts from 1. The new revision number must be that of `expected` and
    /// one more; `created_at` stays that of the first turn.
    async fn replace(
        &self,
        conversation: StoredPrompt,
        expected: Revision,
        actor: &Actor,
    ) -> Answer<ReplaceOutcome>;

    /// Deletes a conversation and its history. With `expected`, only at that revision. False: it does not exist.
    async fn delete(&self, id: &ConversationId, expected: Option<Revision>, actor: &Actor) -> Answer<bool>;

    /// Records a turn of a conversation, at most once an hour; the audit has no entry of it. False: nothing was recorded.
    async fn touch(&self, id: &ConversationId, at: Timestamp) -> Answer<bool>;

    /// Lists conversations without their texts, the last begun first.
    async fn conversations(&self, filter: &Filter, page: &PageRequest) -> Answer<Page<PromptSummary>>;

    /// Lists the earlier prompts of a conversation with texts and records, the newest first.
    async fn history(&self, id: &ConversationId, page: &PageRequest) -> Answer<Page<ReplacedPrompt>>;

    /// Deletes the conversations without a turn or a request since an instant, at most `most` of them; returns how many.
    async fn purge(&self, before: Timestamp, most: u64, actor: &Actor) -> Answer<u64>;

    /// Counts what [`ConversationStore::purge`] would delete.
    async fn count_unused(&self, before: Timestamp) -> Answer<u64>;
}

/// The requests of conversations.
#[async_trait]
pub trait RequestStore {
    /// Records a request of a conversation; the audit has no entry of it. Of several that race for a number, on any number of
    /// nodes, one is recorded. False: the number is not the next one, or there is no such conversation.
    async fn add_request(&self, request: StoredRequest) -> Answer<bool>;

    /// Returns the requests of a conversation from a number on, in order, at most [`REQUESTS`] of them. They are deleted
    /// together with their conversation.
    async fn requests(&self, id: &ConversationId, from: u64) -> Answer<Vec<StoredRequest>>;

    /// Replaces the record of a request. False: there is no such request.
    async fn set_request(&self, id: &ConversationId, number: u64, record: Arc<str>) -> Answer<bool>;
}

/// The audit log of a store, and its access tokens.
#[async_trait]
pub trait AuditStore {
    /// Lists the audit log, the newest first.
    async fn audit(&self, page: &PageRequest) -> Answer<Page<AuditEntry>>;

    /// Removes the entries from before an instant, the oldest first and at most `most` of them; returns how many. The
    /// removal is an entry.
    async fn trim_audit(&self, before: Timestamp, most: u64, actor: &Actor) -> Answer<u64>;

    /// Adds a token. False: the name is taken.
    async fn add_access(&self, access: TokenRecord, actor: &Actor) -> Answer<bool>;

    /// Lists the tokens by name.
    async fn accesses(&self) -> Answer<Vec<TokenRecord>>;

    /// Removes a token. False: there is none of that name.
    async fn remove_access(&self, name: &str, actor: &Actor) -> Answer<bool>;
}

/// Opens a store: makes it where it is not there.
///
/// # Errors
/// The store cannot be reached or written, or was made by a newer version of preface.
pub async fn open(url: &StoreUrl) -> Result<Arc<dyn Store>, StoreError> {
    match url {
        #[cfg(feature = "postgres")]
        StoreUrl::Postgres(url) => Ok(Arc::new(postgres::PostgresStore::open(url).await?)),
        #[cfg(feature = "sqlite")]
        StoreUrl::Memory => Ok(Arc::new(sqlite::SqliteStore::in_memory()?)),
        #[cfg(feature = "sqlite")]
        StoreUrl::Sqlite(path) => Ok(Arc::new(sqlite::SqliteStore::open(path.clone()).await?)),
        #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
        other => Err(StoreError::Address {
            address: other.to_string(),
            why: "this preface was built without that kind of store".to_owned(),
        }),
    }
}
