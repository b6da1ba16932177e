//! Where `preface` keeps what outlives a call: templates with all their versions, unsaved texts, the prompt of each conversation,
//! an audit log, and access tokens.
//!
//! [`Store`] is the one way in. Two backends hold it up, and both pass the same suite: SQLite, `sqlite:PATH` in one file or
//! `memory:` for tests and trials, and `postgres://…` for many nodes. [`open`] takes the address and returns the store, made
//! where it is not there.
//!
//! The store decides nothing: a caller builds a prompt and hands it over whole. What the store promises is that of several
//! first prompts for one conversation one is kept ([`Store::create`]), that a prompt is replaced only with its revision
//! ([`Store::replace`]), that a prompt and its record are written together or not at all, and that an answer
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
mod draft;
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
pub use draft::{DraftId, DraftIdError, DraftKey, DraftLimits, StoredDraft};
pub use error::StoreError;
pub use page::{List, Page, PageRequest};
pub use template::{
    ExpectedVersion, NewVersion, PutOutcome, TemplateName, TemplateNameError, TemplateSummary,
    TemplateVersion, VersionChoice,
};
pub use url::StoreUrl;

use jiff::Timestamp;
use std::{fmt, future::Future, pin::Pin, sync::Arc};

/// The future of a store operation.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// The most requests that one call of [`Store::requests`] returns. The record of one can have megabytes.
pub const REQUESTS: usize = 50;

/// The time within which the turns of a conversation are recorded once, in milliseconds.
const TOUCHED_EACH: i64 = 3_600_000;

/// Templates, conversations and the audit log. Each method is one transaction.
///
/// The author of a change is an [`Actor`]; the store writes the [`AuditEntry`] in the same transaction.
pub trait Store: fmt::Debug + Send + Sync {
    /// Returns the kind of the store, for people: `memory`, `sqlite`, `postgres`.
    fn kind(&self) -> &'static str;

    /// Checks that the store can be read and is of this version.
    fn check(&self) -> Answer<'_, ()>;

    /// Checks that the store takes writes: writes an unused value to the disk.
    fn probe(&self) -> Answer<'_, ()> {
        self.check()
    }

    /// Returns a number that identifies this store. It stays as long as the data does.
    fn identity(&self) -> Answer<'_, u64>;

    /// Waits until everything accepted is on disk, and closes the store. Later calls fail.
    fn close(&self) -> Answer<'_, ()>;

    // ---- templates ------------------------------------------------------------------------------------------------

    /// Returns one version of a template, its text with it. `None`: there is no such template, version or label.
    fn template<'a>(
        &'a self,
        name: &'a TemplateName,
        which: &'a VersionChoice,
    ) -> Answer<'a, Option<TemplateVersion>>;

    /// Adds a version, the next one of its template. The text that is already the current one, without a note, adds none.
    fn put_template<'a>(
        &'a self,
        new: NewVersion,
        expect: ExpectedVersion,
        actor: &'a Actor,
    ) -> Answer<'a, PutOutcome>;

    /// Lists the templates by name, each with its current version.
    fn templates<'a>(&'a self, page: &'a PageRequest) -> Answer<'a, Page<TemplateSummary>>;

    /// Lists the versions of a template without their texts (`text` is `None`), the newest first.
    fn versions<'a>(
        &'a self,
        name: &'a TemplateName,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<TemplateVersion>>;

    /// Puts a label on a version, or takes it away. A label is on one version of a template at a time. False: there is no
    /// such version.
    fn label<'a>(
        &'a self,
        name: &'a TemplateName,
        label: &'a str,
        version: Option<u64>,
        actor: &'a Actor,
    ) -> Answer<'a, bool>;

    // ---- drafts ---------------------------------------------------------------------------------------------------

    /// Stores a draft in the place of the one with its key; the audit has no entry of it. False: the owner would have more
    /// than the limits allow.
    fn put_draft(&self, draft: StoredDraft, limits: DraftLimits) -> Answer<'_, bool>;

    /// Returns a draft.
    fn draft<'a>(&'a self, key: &'a DraftKey) -> Answer<'a, Option<StoredDraft>>;

    /// Lists the drafts of an owner without their texts, the last written first.
    fn drafts<'a>(&'a self, owner: &'a str) -> Answer<'a, Vec<StoredDraft>>;

    /// Deletes a draft. False: it does not exist.
    fn delete_draft<'a>(&'a self, key: &'a DraftKey) -> Answer<'a, bool>;

    /// Deletes the drafts that were last written before an instant, the oldest first and at most `most` of them; returns how many.
    fn expire_drafts(&self, before: Timestamp, most: u64) -> Answer<'_, u64>;

    // ---- conversations --------------------------------------------------------------------------------------------

    /// Returns the revision of a conversation. Cheap: caches call it on each read.
    fn revision<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<Revision>>;

    /// Returns the prompt of a conversation without its record.
    fn head<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<PromptSummary>>;

    /// Returns everything about a conversation.
    fn conversation<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<StoredPrompt>>;

    /// Stores the first prompt of a conversation. Of several that race, on any number of nodes, one is stored and all get it.
    /// Its revision number must be 1.
    fn create<'a>(&'a self, conversation: StoredPrompt, actor: &'a Actor) -> Answer<'a, InsertOutcome>;

    /// Replaces the prompt with the revision `expected`, which becomes a [`ReplacedPrompt`]. Its stamp is compared too: a
    /// conversation that was deleted and began again counts from 1. The new revision number must be that of `expected` and
    /// one more; `created_at` stays that of the first turn.
    fn replace<'a>(
        &'a self,
        conversation: StoredPrompt,
        expected: Revision,
        actor: &'a Actor,
    ) -> Answer<'a, ReplaceOutcome>;

    /// Deletes a conversation and its history. With `expected`, only at that revision. False: it does not exist.
    fn delete<'a>(
        &'a self,
        id: &'a ConversationId,
        expected: Option<Revision>,
        actor: &'a Actor,
    ) -> Answer<'a, bool>;

    /// Records a turn of a conversation, at most once an hour; the audit has no entry of it. False: nothing was recorded.
    fn touch<'a>(&'a self, id: &'a ConversationId, at: Timestamp) -> Answer<'a, bool>;

    /// Lists conversations without their texts, the last begun first.
    fn conversations<'a>(
        &'a self,
        filter: &'a Filter,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<PromptSummary>>;

    /// Lists the earlier prompts of a conversation with texts and records, the newest first.
    fn history<'a>(
        &'a self,
        id: &'a ConversationId,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<ReplacedPrompt>>;

    /// Deletes the conversations without a turn or a request since an instant, at most `most` of them; returns how many.
    fn purge<'a>(&'a self, before: Timestamp, most: u64, actor: &'a Actor) -> Answer<'a, u64>;

    /// Counts what [`Store::purge`] would delete.
    fn count_unused(&self, before: Timestamp) -> Answer<'_, u64>;

    // ---- requests -------------------------------------------------------------------------------------------------

    /// Records a request of a conversation; the audit has no entry of it. Of several that race for a number, on any number of
    /// nodes, one is recorded. False: the number is not the next one, or there is no such conversation.
    fn add_request(&self, request: StoredRequest) -> Answer<'_, bool>;

    /// Returns the requests of a conversation from a number on, in order, at most [`REQUESTS`] of them. They are deleted
    /// together with their conversation.
    fn requests<'a>(&'a self, id: &'a ConversationId, from: u64) -> Answer<'a, Vec<StoredRequest>>;

    /// Replaces the record of a request. False: there is no such request.
    fn set_request<'a>(&'a self, id: &'a ConversationId, number: u64, record: Arc<str>) -> Answer<'a, bool>;

    // ---- audit and access tokens ----------------------------------------------------------------------------------

    /// Lists the audit log, the newest first.
    fn audit<'a>(&'a self, page: &'a PageRequest) -> Answer<'a, Page<AuditEntry>>;

    /// Removes the entries from before an instant, the oldest first and at most `most` of them; returns how many. The
    /// removal is an entry.
    fn trim_audit<'a>(&'a self, before: Timestamp, most: u64, actor: &'a Actor) -> Answer<'a, u64>;

    /// Adds a token. False: the name is taken.
    fn add_access<'a>(&'a self, access: TokenRecord, actor: &'a Actor) -> Answer<'a, bool>;

    /// Lists the tokens by name.
    fn accesses(&self) -> Answer<'_, Vec<TokenRecord>>;

    /// Removes a token. False: there is none of that name.
    fn remove_access<'a>(&'a self, name: &'a str, actor: &'a Actor) -> Answer<'a, bool>;
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
