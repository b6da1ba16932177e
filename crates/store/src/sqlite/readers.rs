//! Connections for reading. A read by key takes a few microseconds, less than handing it to another thread would, so it
//! happens where it is asked for, on a connection that is borrowed for as long.

use super::{file::StoreFile, index::WalIndex};
use crate::{ChangeStamp, StoreError};
use rusqlite::Connection;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The most idle connections.
const KEPT: usize = 32;

/// The connections for reading of one store.
#[derive(Debug)]
pub(super) struct Readers {
    file: StoreFile,
    shelf: Mutex<ReaderPool>,
    back: Condvar,
    /// Let go of behind the connections.
    index: Option<WalIndex>,
}

#[derive(Debug, Default)]
struct ReaderPool {
    idle: Vec<Connection>,
    out: usize,
    closed: bool,
}

/// A place on the shelf that is free until its connection comes back.
struct Loan<'a> {
    readers: &'a Readers,
    connection: Option<Connection>,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut shelf = self.readers.shelf();
        shelf.out -= 1;
        if let Some(connection) = self.connection.take()
            && connection.is_autocommit()
            && !shelf.closed
            && shelf.idle.len() < KEPT
        {
            shelf.idle.push(connection);
        }
        // Only who closes waits.
        if shelf.closed && shelf.out == 0 {
            self.readers.back.notify_all();
        }
    }
}

impl Readers {
    /// Makes a shelf without any connection yet.
    pub(super) fn new(file: StoreFile) -> Self {
        let index = WalIndex::of(&file.path);
        Readers { file, shelf: Mutex::default(), back: Condvar::new(), index }
    }

    /// Returns true if there was a write.
    pub(super) fn pulse(&self) -> Option<ChangeStamp> {
        self.index.as_ref()?.pulse()
    }

    fn shelf(&self) -> MutexGuard<'_, ReaderPool> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads with a connection that nobody else has meanwhile.
    pub(super) fn read<T>(
        &self,
        act: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.with(|connection| act(connection).map_err(|error| self.file.explain(&error)))
    }

    /// Checks the file.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.file.in_place()?;
        self.with(|connection| self.file.of_known_version(connection))
    }

    /// Checks that the disk has room, where a write found it full.
    pub(super) fn check_room(&self) -> Result<(), StoreError> {
        self.file.has_room()
    }

    fn with<T>(&self, act: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut shelf = self.shelf();
        if shelf.closed {
            return Err(StoreError::Closed);
        }
        shelf.out += 1;
        let mut loan = Loan { readers: self, connection: shelf.idle.pop() };
        drop(shelf);
        let connection = match loan.connection.take() {
            Some(connection) => connection,
            None => self.file.reader()?,
        };
        act(loan.connection.insert(connection))
    }

    /// Lends no more connections.
    pub(super) fn close(&self) {
        let idle = {
            let mut shelf = self.shelf();
            shelf.closed = true;
            std::mem::take(&mut shelf.idle)
        };
        drop(idle);
    }

    /// Waits until every connection is back.
    pub(super) fn wait(&self) {
        let mut shelf = self.shelf();
        while shelf.out > 0 {
            shelf = self.back.wait(shelf).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Reads several things as they are at one instant.
pub(super) fn together<T>(
    connection: &Connection,
    act: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    // Statements that are known need not be understood again, as those of a `Transaction` would.
    let say = |sql| connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
    say("BEGIN")?;
    let outcome = act(connection);
    // Nothing was written, so there is nothing to keep.
    say("ROLLBACK")?;
    outcome
}
