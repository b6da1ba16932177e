//! Connections for reading. A read takes a few microseconds, less than handing it to another thread would, so it happens on
//! the caller's thread, with a borrowed connection.

use super::{file::StoreFile, tables};
use crate::StoreError;
use rusqlite::Connection;
use std::sync::{Mutex, PoisonError};

/// The most idle connections.
const MOST_IDLE: usize = 32;

/// The connections for reading of one store.
#[derive(Debug)]
pub(crate) struct Readers {
    pub(super) file: StoreFile,
    /// `None` once the store is closed.
    idle: Mutex<Option<Vec<Connection>>>,
}

impl Readers {
    /// Creates a pool without any connection yet.
    pub(super) fn new(file: StoreFile) -> Self {
        Readers { file, idle: Mutex::new(Some(Vec::new())) }
    }

    fn idle<T>(&self, act: impl FnOnce(&mut Option<Vec<Connection>>) -> T) -> T {
        act(&mut self.idle.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Fails if the store is closed.
    pub(super) fn check_open(&self) -> Result<(), StoreError> {
        self.idle(|idle| if idle.is_some() { Ok(()) } else { Err(StoreError::Closed) })
    }

    /// Reads with a connection of its own.
    pub(super) fn read<T>(
        &self,
        act: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let idle = self.idle(|idle| idle.as_mut().map(Vec::pop)).ok_or(StoreError::Closed)?;
        let connection = idle.map_or_else(|| self.file.reader(), Ok)?;
        let outcome = act(&connection).map_err(|error| self.file.convert_error(&error));
        self.idle(|idle| match idle {
            Some(idle) if idle.len() < MOST_IDLE && connection.is_autocommit() => idle.push(connection),
            _ => drop(connection),
        });
        outcome
    }

    /// Checks that the file is in its place and its tables are of this version.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.file.check_in_place()?;
        let version = self.read(tables::read_version)?;
        self.file.check_version(version)
    }

    /// Closes the idle connections and lends no more. False: that was done before.
    pub(super) fn close(&self) -> bool {
        self.idle(Option::take).is_some()
    }
}
