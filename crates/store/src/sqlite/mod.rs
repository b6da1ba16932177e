//! A store in one file. Several processes may share it; each reads what another has written. Or in memory, on one connection
//! that callers take in turn.
//!
//! Reads happen on the thread of the caller ([`readers`]), writes on another, many in one transaction ([`writer`]). No runtime
//! is needed beyond one that polls.
//!
//! Where the file is removed or replaced while it is open, writes are refused until it is back; reads go on from the file
//! that was opened, as long as they need no connection more.

mod conversations;
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

use crate::{Answer, Store, StoreError};
use async_trait::async_trait;
use file::StoreFile;
use readers::Readers;
use rusqlite::Connection;
use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
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
    fn read<T>(&self, act: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Answer<T> {
        match self {
            SqliteStore::File { readers, .. } => readers.read(act),
            SqliteStore::Memory(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                act(connection.as_ref().ok_or(StoreError::Closed)?).map_err(in_memory)
            }
        }
    }

    /// Writes, and returns once it is on disk.
    async fn write<T: Send + 'static>(
        &self,
        mut act: impl FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Answer<T> {
        match self {
            SqliteStore::File { readers, writer } => {
                readers.check_open()?;
                writer.write(act).await
            }
            SqliteStore::Memory(_) => self.read(|connection| {
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

#[async_trait]
impl Store for SqliteStore {
    fn kind(&self) -> &'static str {
        match self {
            SqliteStore::File { .. } => "sqlite",
            SqliteStore::Memory(_) => "memory",
        }
    }

    async fn check(&self) -> Answer<()> {
        match self {
            SqliteStore::File { readers, .. } => readers.check(),
            SqliteStore::Memory(_) => self.read(|_| Ok(())),
        }
    }

    async fn probe(&self) -> Answer<()> {
        self.write(tables::write_again).await?;
        match self {
            SqliteStore::File { readers, .. } => readers.file.has_room(),
            SqliteStore::Memory(_) => Ok(()),
        }
    }

    async fn identity(&self) -> Answer<u64> {
        self.read(|connection| {
            let sql = "SELECT value FROM identity";
            let value: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            Ok(value.cast_unsigned())
        })
    }

    async fn close(&self) -> Answer<()> {
        match self {
            SqliteStore::File { readers, writer } if readers.close() => writer.close().await,
            SqliteStore::File { .. } => Err(StoreError::Closed),
            SqliteStore::Memory(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner).take();
                connection.map(drop).ok_or(StoreError::Closed)
            }
        }
    }
}
