//! Connections for reading. A read by key takes a few microseconds, less than handing it to another thread would, so it
//! happens on the caller's thread, with a borrowed connection.

use super::{file::StoreFile, index::WalIndex};
use crate::{ChangeStamp, StoreError};
use rusqlite::Connection;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The most idle connections.
const MOST_IDLE: usize = 32;

/// The connections for reading of one store.
#[derive(Debug)]
pub(super) struct Readers {
    file: StoreFile,
    pool: Mutex<ReaderPool>,
    back: Condvar,
    /// Dropped after the connections.
    index: Option<WalIndex>,
}

#[derive(Debug, Default)]
struct ReaderPool {
    idle: Vec<Connection>,
    out: usize,
    closed: bool,
}

/// A place in the pool that is free until its connection comes back.
struct Loan<'a> {
    readers: &'a Readers,
    connection: Option<Connection>,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.lock_pool();
        pool.out -= 1;
        if let Some(connection) = self.connection.take()
            && connection.is_autocommit()
            && !pool.closed
            && pool.idle.len() < MOST_IDLE
        {
            pool.idle.push(connection);
        }
        // Only who closes waits.
        if pool.closed && pool.out == 0 {
            self.readers.back.notify_all();
        }
    }
}

impl Readers {
    /// Creates a pool without any connection yet.
    pub(super) fn new(file: StoreFile) -> Self {
        let index = WalIndex::of(&file.path);
        Readers { file, pool: Mutex::default(), back: Condvar::new(), index }
    }

    /// Returns the stamp of the last write.
    pub(super) fn change_stamp(&self) -> Option<ChangeStamp> {
        self.index.as_ref()?.change_stamp()
    }

    fn lock_pool(&self) -> MutexGuard<'_, ReaderPool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads with a connection of its own.
    pub(super) fn read<T>(
        &self,
        act: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.with(|connection| act(connection).map_err(|error| self.file.convert_error(&error)))
    }

    /// Checks the file.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.file.check_in_place()?;
        self.with(|connection| self.file.check_version(connection))
    }

    /// Checks that the disk has room, where a write found it full.
    pub(super) fn check_room(&self) -> Result<(), StoreError> {
        self.file.has_room()
    }

    fn with<T>(&self, act: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut pool = self.lock_pool();
        if pool.closed {
            return Err(StoreError::Closed);
        }
        pool.out += 1;
        let mut loan = Loan { readers: self, connection: pool.idle.pop() };
        drop(pool);
        let connection = match loan.connection.take() {
            Some(connection) => connection,
            None => self.file.reader()?,
        };
        act(loan.connection.insert(connection))
    }

    /// Lends no more connections.
    pub(super) fn close(&self) {
        let idle = {
            let mut pool = self.lock_pool();
            pool.closed = true;
            std::mem::take(&mut pool.idle)
        };
        drop(idle);
    }

    /// Waits until every connection is back.
    pub(super) fn wait(&self) {
        let mut pool = self.lock_pool();
        while pool.out > 0 {
            pool = self.back.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Runs several reads as of one instant.
pub(super) fn in_transaction<T>(
    connection: &Connection,
    act: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    // Cached statements, unlike those of a `Transaction`.
    let execute = |sql| connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
    execute("BEGIN")?;
    let outcome = act(connection);
    // Nothing was written, so there is nothing to keep.
    execute("ROLLBACK")?;
    outcome
}
