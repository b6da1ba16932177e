//! A store in one file. Several processes may share it; each reads what another has written. Or in memory, on one connection
//! that callers take in turn.
//!
//! Reads happen on the thread of the caller ([`readers`]), writes on another, many in one transaction ([`writer`]). No runtime
//! is needed beyond one that polls.
//!
//! Where the file is removed or replaced while it is open, writes are refused until it is back; reads go on from the file
//! that was opened, as long as they need no connection more.

mod conversations;
mod drafts;
mod failure;
mod file;
mod lists;
mod log;
mod place;
mod readers;
mod requests;
mod rows;
mod tables;
mod templates;
#[cfg(test)]
mod tests;
mod writer;

use crate::{
    Actor, Answer, AuditEntry, ConversationId, DraftKey, DraftLimits, ExpectedVersion, Filter, InsertOutcome,
    NewVersion, Page, PageRequest, PromptSummary, PutOutcome, ReplaceOutcome, ReplacedPrompt, Revision,
    Store, StoreError, StoredDraft, StoredPrompt, StoredRequest, TemplateName, TemplateSummary,
    TemplateVersion, TokenRecord, VersionChoice,
};
use file::StoreFile;
use jiff::Timestamp;
use readers::Readers;
use rusqlite::Connection;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
};
use tokio::sync::oneshot;
use writer::SqliteWriter;

/// A store on SQLite.
#[derive(Debug)]
pub(crate) enum SqliteStore {
    /// In one file.
    File { readers: Readers, writer: SqliteWriter },
    /// In memory, gone with its connection; `None` once it is closed.
    Memory(Mutex<Option<Connection>>),
}

impl SqliteStore {
    /// Opens the file on the thread that will write it.
    ///
    /// # Errors
    /// The file cannot be written, is not a store, or was made by a newer version of preface.
    pub(crate) async fn open(path: PathBuf) -> Result<Self, StoreError> {
        let (opened, ready) = oneshot::channel();
        let (writer, queue) = SqliteWriter::new();
        thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || match StoreFile::open(&path) {
                Ok((file, connection)) => {
                    if opened.send(Ok(file.clone())).is_ok() {
                        queue.run(connection, &file);
                    }
                }
                Err(error) => {
                    let _ = opened.send(Err(error));
                }
            })
            .map_err(|error| StoreError::Other(format!("no thread: {error}")))?;
        let file = ready.await.unwrap_or(Err(StoreError::Closed))?;
        Ok(SqliteStore::File { readers: Readers::new(file), writer })
    }

    /// Makes an empty store in memory.
    ///
    /// # Errors
    /// The tables cannot be made.
    pub(crate) fn in_memory() -> Result<Self, StoreError> {
        let made = Connection::open_in_memory().and_then(|mut connection| {
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.set_prepared_statement_cache_capacity(file::MOST_STATEMENTS);
            tables::make(&mut connection)?;
            Ok(connection)
        });
        Ok(SqliteStore::Memory(Mutex::new(Some(made.map_err(in_memory)?))))
    }

    /// Reads on the thread of the caller.
    fn read<'a, T: Send + 'a>(
        &'a self,
        act: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'a,
    ) -> Answer<'a, T> {
        Box::pin(async move {
            match self {
                SqliteStore::File { readers, .. } => readers.read(act),
                SqliteStore::Memory(connection) => {
                    let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                    act(connection.as_ref().ok_or(StoreError::Closed)?).map_err(in_memory)
                }
            }
        })
    }

    /// Writes, and returns once it is on disk.
    fn write<T: Send + 'static>(
        &self,
        mut act: impl FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Answer<'_, T> {
        match self {
            SqliteStore::File { readers, writer } => Box::pin(async move {
                readers.check_open()?;
                writer.write(act).await
            }),
            SqliteStore::Memory(_) => self.read(move |connection| {
                let transaction = connection.unchecked_transaction()?;
                let made = act(&transaction)?;
                transaction.commit().map(|()| made)
            }),
        }
    }
}

/// Converts an error of a store in memory.
fn in_memory(error: rusqlite::Error) -> StoreError {
    failure::convert_error(&error, Path::new("memory:"))
}

impl Store for SqliteStore {
    fn kind(&self) -> &'static str {
        match self {
            SqliteStore::File { .. } => "sqlite",
            SqliteStore::Memory(_) => "memory",
        }
    }

    fn check(&self) -> Answer<'_, ()> {
        match self {
            SqliteStore::File { readers, .. } => Box::pin(async move { readers.check() }),
            SqliteStore::Memory(_) => self.read(|_| Ok(())),
        }
    }

    fn probe(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            self.write(tables::write_again).await?;
            match self {
                SqliteStore::File { readers, .. } => readers.file.has_room(),
                SqliteStore::Memory(_) => Ok(()),
            }
        })
    }

    fn close(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            match self {
                SqliteStore::File { readers, writer } if readers.close() => writer.close().await,
                SqliteStore::File { .. } => Err(StoreError::Closed),
                SqliteStore::Memory(connection) => {
                    let connection = connection.lock().unwrap_or_else(PoisonError::into_inner).take();
                    connection.map(drop).ok_or(StoreError::Closed)
                }
            }
        })
    }

    fn template<'a>(
        &'a self,
        name: &'a TemplateName,
        which: &'a VersionChoice,
    ) -> Answer<'a, Option<TemplateVersion>> {
        // Its reads are of one instant.
        self.read(move |connection| templates::template(&*connection.unchecked_transaction()?, name, which))
    }

    fn put_template<'a>(
        &'a self,
        new: NewVersion,
        expect: ExpectedVersion,
        actor: &'a Actor,
    ) -> Answer<'a, PutOutcome> {
        let actor = actor.clone();
        self.write(move |connection| templates::put(connection, &new, expect, &actor))
    }

    fn templates<'a>(&'a self, page: &'a PageRequest) -> Answer<'a, Page<TemplateSummary>> {
        self.read(move |connection| lists::templates(connection, page))
    }

    fn versions<'a>(
        &'a self,
        name: &'a TemplateName,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<TemplateVersion>> {
        self.read(move |connection| lists::versions(connection, name, page))
    }

    fn label<'a>(
        &'a self,
        name: &'a TemplateName,
        label: &'a str,
        version: Option<u64>,
        actor: &'a Actor,
    ) -> Answer<'a, bool> {
        let (name, label, actor) = (name.clone(), label.to_owned(), actor.clone());
        self.write(move |connection| templates::label(connection, &name, &label, version, &actor))
    }

    fn identity(&self) -> Answer<'_, u64> {
        self.read(drafts::identity)
    }

    fn put_draft(&self, draft: StoredDraft, limits: DraftLimits) -> Answer<'_, bool> {
        self.write(move |connection| drafts::put(connection, &draft, limits))
    }

    fn draft<'a>(&'a self, key: &'a DraftKey) -> Answer<'a, Option<StoredDraft>> {
        self.read(move |connection| drafts::draft(connection, key))
    }

    fn drafts<'a>(&'a self, owner: &'a str) -> Answer<'a, Vec<StoredDraft>> {
        self.read(move |connection| drafts::list(connection, owner))
    }

    fn delete_draft<'a>(&'a self, key: &'a DraftKey) -> Answer<'a, bool> {
        let key = key.clone();
        self.write(move |connection| drafts::delete(connection, &key))
    }

    fn expire_drafts(&self, before: Timestamp, most: u64) -> Answer<'_, u64> {
        self.write(move |connection| drafts::expire(connection, before, most))
    }

    fn revision<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<Revision>> {
        self.read(move |connection| conversations::revision(connection, id))
    }

    fn head<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<PromptSummary>> {
        self.read(move |connection| conversations::head(connection, id))
    }

    fn conversation<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<StoredPrompt>> {
        self.read(move |connection| conversations::conversation(connection, id))
    }

    fn create<'a>(&'a self, conversation: StoredPrompt, actor: &'a Actor) -> Answer<'a, InsertOutcome> {
        let actor = actor.clone();
        self.write(move |connection| conversations::create(connection, &conversation, &actor))
    }

    fn replace<'a>(
        &'a self,
        conversation: StoredPrompt,
        expected: Revision,
        actor: &'a Actor,
    ) -> Answer<'a, ReplaceOutcome> {
        let actor = actor.clone();
        self.write(move |connection| conversations::replace(connection, &conversation, expected, &actor))
    }

    fn delete<'a>(
        &'a self,
        id: &'a ConversationId,
        expected: Option<Revision>,
        actor: &'a Actor,
    ) -> Answer<'a, bool> {
        let (id, actor) = (id.clone(), actor.clone());
        self.write(move |connection| conversations::delete(connection, &id, expected, &actor))
    }

    fn conversations<'a>(
        &'a self,
        filter: &'a Filter,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<PromptSummary>> {
        self.read(move |connection| lists::conversations(connection, filter, page))
    }

    fn history<'a>(
        &'a self,
        id: &'a ConversationId,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<ReplacedPrompt>> {
        self.read(move |connection| lists::history(connection, id, page))
    }

    fn purge<'a>(&'a self, before: Timestamp, most: u64, actor: &'a Actor) -> Answer<'a, u64> {
        let actor = actor.clone();
        self.write(move |connection| conversations::purge(connection, before, most, &actor))
    }

    fn count_unused(&self, before: Timestamp) -> Answer<'_, u64> {
        self.read(move |connection| conversations::count_unused(connection, before))
    }

    fn touch<'a>(&'a self, id: &'a ConversationId, at: Timestamp) -> Answer<'a, bool> {
        let id = id.clone();
        self.write(move |connection| conversations::touch(connection, &id, at))
    }

    fn add_request(&self, request: StoredRequest) -> Answer<'_, bool> {
        self.write(move |connection| requests::add(connection, &request))
    }

    fn requests<'a>(&'a self, id: &'a ConversationId, from: u64) -> Answer<'a, Vec<StoredRequest>> {
        self.read(move |connection| requests::list(connection, id, from))
    }

    fn set_request<'a>(&'a self, id: &'a ConversationId, number: u64, record: Arc<str>) -> Answer<'a, bool> {
        let id = id.clone();
        self.write(move |connection| requests::set(connection, &id, number, &record))
    }

    fn audit<'a>(&'a self, page: &'a PageRequest) -> Answer<'a, Page<AuditEntry>> {
        self.read(move |connection| lists::audit(connection, page))
    }

    fn trim_audit<'a>(&'a self, before: Timestamp, most: u64, actor: &'a Actor) -> Answer<'a, u64> {
        let actor = actor.clone();
        self.write(move |connection| log::trim(connection, before, most, &actor))
    }

    fn add_access<'a>(&'a self, access: TokenRecord, actor: &'a Actor) -> Answer<'a, bool> {
        let actor = actor.clone();
        self.write(move |connection| log::add_access(connection, &access, &actor))
    }

    fn accesses(&self) -> Answer<'_, Vec<TokenRecord>> {
        self.read(log::accesses)
    }

    fn remove_access<'a>(&'a self, name: &'a str, actor: &'a Actor) -> Answer<'a, bool> {
        let (name, actor) = (name.to_owned(), actor.clone());
        self.write(move |connection| log::remove_access(connection, &name, &actor))
    }
}
