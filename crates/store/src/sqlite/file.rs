//! The file: opening it for the writer and for readers, after checking that it is a store of preface.

use super::{
    failure::explain,
    migrations,
    place::{StoreFileState, check_room, identity, prepare},
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
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The number of bytes of the file that readers map into memory: as many as SQLite can.
const SEEN_AS_MEMORY: i64 = 1 << 31;

/// The number of pages in the log before they are written into the file.
const LOG_PAGES: i64 = 4000;

/// The free space that a full disk must have to be used again: that of the largest template.
const ROOM: usize = 1 << 20;

/// Files are opened one after the other; see [`super::place`] for why.
static OPENING: Mutex<()> = Mutex::new(());

/// A file that is a store.
#[derive(Clone, Debug)]
pub(super) struct StoreFile {
    pub(super) path: PathBuf,
    identity: (u64, u64),
    /// True since a write found the disk full, until there is room again.
    full: Arc<AtomicBool>,
}

impl StoreFile {
    /// Opens the file for writing: makes it where it is not there, brings its tables up to date.
    pub(super) fn open(path: &Path) -> Result<(StoreFile, Connection), StoreError> {
        let _one_by_one = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        // The directory of a relative path is that of now.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if prepare(&path)? == StoreFileState::Something {
            look(&path)?;
        }
        let failed = |error: Error| explain(&error, &path);
        let mut connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?;
        if connection.is_readonly("main").map_err(failed)? {
            return Err(StoreError::ReadOnly(path.display().to_string()));
        }
        claim(&mut connection, &path)?;
        patiently(|| set_up(&connection)).map_err(failed)?;
        patiently(|| migrations::bring_up(&mut connection)).map_err(failed)?;
        of_known_version(&connection, &path)?;
        let identity = identity(&path).map_err(|error| StoreError::Damaged(error.to_string()))?;
        Ok((StoreFile { path, identity, full: Arc::default() }, connection))
    }

    /// Opens the file once more, for reading. What another file of its name holds is never read.
    pub(super) fn reader(&self) -> Result<Connection, StoreError> {
        let open = || {
            let connection = connect(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            connection.pragma_update(None, "query_only", true)?;
            connection.pragma_update(None, "mmap_size", SEEN_AS_MEMORY)?;
            Ok(connection)
        };
        self.in_place()?;
        let connection = open().map_err(|error| self.explain(&error))?;
        self.in_place()?;
        Ok(connection)
    }

    /// Converts an error for this file.
    pub(super) fn explain(&self, error: &Error) -> StoreError {
        let error = explain(error, &self.path);
        if matches!(error, StoreError::Full(_)) {
            self.full.store(true, Ordering::Relaxed);
        }
        error
    }

    /// Checks that the disk has room again, where a write found it full. The few bytes of a probe may still fit where a prompt
    /// does not.
    pub(super) fn has_room(&self) -> Result<(), StoreError> {
        if self.full.load(Ordering::Relaxed) {
            check_room(&self.path, ROOM)?;
            self.full.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Checks that the file is still the one that was opened: what is written to one that has no name is lost.
    pub(super) fn in_place(&self) -> Result<(), StoreError> {
        match identity(&self.path) {
            Ok(found) if found == self.identity => Ok(()),
            _ => Err(StoreError::Gone(self.path.clone())),
        }
    }

    /// Checks that the tables are of this version.
    pub(super) fn of_known_version(&self, connection: &Connection) -> Result<(), StoreError> {
        of_known_version(connection, &self.path)
    }
}

fn connect(path: &Path, how: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, how | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Looks into a file without changing it: somebody else's stays as it is.
fn look(path: &Path) -> Result<(), StoreError> {
    let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY;
    // Without a log all of it is in the file itself, and can be read without making a log beside it.
    let still = unlogged(path).and_then(|still| {
        let connection = connect(Path::new(&still), read_only | OpenFlags::SQLITE_OPEN_URI).ok()?;
        ours(&connection).ok()
    });
    let looked = match still {
        Some(found) => Ok(found),
        None => connect(path, read_only).and_then(|connection| ours(&connection)),
    };
    match looked {
        Ok((true, version)) if version > migrations::known() => {
            Err(StoreError::Newer { found: version, known: migrations::known() })
        }
        Ok((true, _)) => Ok(()),
        Ok((false, _)) => Err(StoreError::NotAStore(path.to_owned())),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Err(StoreError::NotAStore(path.to_owned())),
            // A crash left something to be tidied up, which a look does not do.
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => Ok(()),
            _ => Err(explain(&error, path)),
        },
    }
}

/// Returns the address of a file that has no log beside it, as one that does not change.
#[cfg(unix)]
fn unlogged(path: &Path) -> Option<String> {
    use std::{fmt::Write, os::unix::ffi::OsStrExt};
    let path = path.canonicalize().ok()?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if Path::new(&log).exists() {
        return None;
    }
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                address.push(char::from(*byte));
            }
            _ => write!(address, "%{byte:02x}").ok()?,
        }
    }
    Some(address + "?immutable=1")
}

#[cfg(not(unix))]
fn unlogged(_path: &Path) -> Option<String> {
    None
}

/// Checks that the file is a store or empty; returns the version of its tables.
fn ours(connection: &Connection) -> rusqlite::Result<(bool, u32)> {
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok((application == APPLICATION || (application == 0 && tables == 0), migrations::found(connection)?))
}

/// Marks an empty file as a store. It is done before the log is switched on, so the mark is in the file itself.
fn claim(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let mut claimed = || -> rusqlite::Result<bool> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (mine, _) = ours(&transaction)?;
        if mine {
            let mark: i32 = transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
            if mark != APPLICATION {
                transaction.pragma_update(None, "application_id", APPLICATION)?;
            }
            transaction.commit()?;
        }
        Ok(mine)
    };
    match patiently(&mut claimed) {
        Ok(true) => Ok(()),
        Ok(false) => Err(StoreError::NotAStore(path.to_owned())),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(StoreError::NotAStore(path.to_owned()))
        }
        Err(error) => Err(explain(&error, path)),
    }
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", 64 << 20, |_| Ok(()))
}

fn of_known_version(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let (found, known) = (migrations::found(connection), migrations::known());
    match found.map_err(|error| explain(&error, path))? {
        found if found > known => Err(StoreError::Newer { found, known }),
        found if found < known => Err(StoreError::Damaged(format!("{}: tables are missing", path.display()))),
        _ => Ok(()),
    }
}

/// Tries until nobody else is in the way, for as long as the store has patience. SQLite itself waits for most locks; some it
/// gives up at once.
pub(super) fn patiently<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
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
