//! The file: opening it for the writer and for readers, after checking that it is a store of preface.

use super::{
    failure::convert_error,
    place::{check_room, identity, prepare},
    tables,
};
use crate::StoreError;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, TransactionBehavior};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The application id in the header of preface's SQLite files: `pref`.
const APPLICATION: i32 = 0x7072_6566;

/// The longest time for which another process may lock the file.
const PATIENCE: Duration = Duration::from_secs(10);

/// The number of bytes of the file that readers map into memory: as many as SQLite can.
const SEEN_AS_MEMORY: i64 = 1 << 31;

/// The number of pages in the log before they are written into the file.
const LOG_PAGES: i64 = 4000;

/// The most prepared statements of a connection.
pub(super) const MOST_STATEMENTS: usize = 64;

/// Files are opened one after the other; see [`super::place`] for why.
static OPENING: Mutex<()> = Mutex::new(());

/// A file that is a store.
#[derive(Clone, Debug)]
pub(super) struct StoreFile {
    path: PathBuf,
    identity: (u64, u64),
    /// True since a write found the disk full, until there is room again.
    full: Arc<AtomicBool>,
}

impl StoreFile {
    /// Opens the file for writing: makes it where it is not there.
    pub(super) fn open(path: &Path) -> Result<(StoreFile, Connection), StoreError> {
        let _one_by_one = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        // The directory of a relative path is that of now.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        prepare(&path)?;
        let failed = |error: Error| convert_error(&error, &path);
        let mut connection = connect(&path).map_err(failed)?;
        if connection.is_readonly("main").map_err(failed)? {
            return Err(StoreError::ReadOnly(path.display().to_string()));
        }
        mark_as_store(&mut connection, &path)?;
        retry_while_busy(|| set_up(&connection)).map_err(failed)?;
        retry_while_busy(|| tables::make(&mut connection)).map_err(failed)?;
        let version = tables::read_version(&connection).map_err(failed)?;
        let identity = identity(&path).map_err(|error| StoreError::Damaged(error.to_string()))?;
        let file = StoreFile { path, identity, full: Arc::default() };
        file.check_version(version)?;
        Ok((file, connection))
    }

    /// Opens the file once more, for reading. What another file of its name holds is never read.
    pub(super) fn reader(&self) -> Result<Connection, StoreError> {
        let open = || {
            let connection = connect(&self.path)?;
            connection.pragma_update(None, "query_only", true)?;
            connection.pragma_update(None, "mmap_size", SEEN_AS_MEMORY)?;
            Ok(connection)
        };
        self.check_in_place()?;
        let connection = open().map_err(|error| self.convert_error(&error))?;
        self.check_in_place()?;
        Ok(connection)
    }

    /// Converts an error for this file.
    pub(super) fn convert_error(&self, error: &Error) -> StoreError {
        let error = convert_error(error, &self.path);
        if matches!(error, StoreError::Full(_)) {
            self.full.store(true, Ordering::Relaxed);
        }
        error
    }

    /// Checks that the disk has room again, where a write found it full: a probe may fit where a prompt does not.
    pub(super) fn has_room(&self) -> Result<(), StoreError> {
        if self.full.load(Ordering::Relaxed) {
            check_room(&self.path)?;
            self.full.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Checks that the file is still the one that was opened: what is written to one that has no name is lost.
    pub(super) fn check_in_place(&self) -> Result<(), StoreError> {
        match identity(&self.path) {
            Ok(found) if found == self.identity => Ok(()),
            _ => Err(StoreError::Gone(self.path.clone())),
        }
    }

    /// Checks that tables of this version are known.
    pub(super) fn check_version(&self, found: u32) -> Result<(), StoreError> {
        match found {
            0 => Err(StoreError::Damaged(format!("{}: tables are missing", self.path.display()))),
            tables::KNOWN => Ok(()),
            found => Err(StoreError::Newer { found, known: tables::KNOWN }),
        }
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(MOST_STATEMENTS);
    Ok(connection)
}

/// Checks that the file is a store or empty; returns the version of its tables.
fn inspect(connection: &Connection) -> rusqlite::Result<(bool, u32)> {
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok((application == APPLICATION || (application == 0 && tables == 0), tables::read_version(connection)?))
}

/// Marks an empty file as a store, and refuses what is none or is of a newer version: such a file is left as it is.
fn mark_as_store(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let mut marked = || -> rusqlite::Result<(bool, u32)> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (is_ours, version) = inspect(&transaction)?;
        if is_ours && version == 0 {
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.commit()?;
        }
        Ok((is_ours, version))
    };
    match retry_while_busy(&mut marked) {
        Ok((true, found)) if found > tables::KNOWN => Err(StoreError::Newer { found, known: tables::KNOWN }),
        Ok((true, _)) => Ok(()),
        Ok((false, _)) => Err(StoreError::NotAStore(path.to_owned())),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(StoreError::NotAStore(path.to_owned()))
        }
        Err(error) => Err(convert_error(&error, path)),
    }
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", 64 << 20, |_| Ok(()))
}

/// Retries while another process locks the file, for at most [`PATIENCE`]. SQLite itself waits for most locks; some it gives
/// up at once.
pub(super) fn retry_while_busy<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(error)
                if matches!(
                    error.sqlite_error_code(),
                    Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
                ) && begun.elapsed() < PATIENCE =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
}
