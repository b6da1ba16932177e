//! Locks a file for this process (`flock`).
//!
//! The lock belongs to the open file: it ends when the value is dropped, and with the process, however it ends. The
//! file itself stays; removing it would let two processes hold "the" lock.

use super::error::write_error;
use crate::system::WriteError;
use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

const POLL: Duration = Duration::from_millis(10);

pub(super) fn lock(path: &Path, wait: Duration) -> Result<File, WriteError> {
    let file = open(path).map_err(|error| write_error(&error))?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(WriteError::Exists);
    }
    take(file, wait)
}

/// Takes the lock on an open regular file.
pub(super) fn take(file: File, wait: Duration) -> Result<File, WriteError> {
    let deadline = Instant::now() + wait;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(write_error(&error)),
            Err(TryLockError::WouldBlock) => {}
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(WriteError::Busy);
        }
        thread::sleep(POLL.min(left));
    }
}

/// Opens or creates the lock file, itself: not through a link, and without waiting for a pipe.
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDWR
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => Ok(file.into()),
        Err(
            rustix::io::Errno::LOOP
            | rustix::io::Errno::MLINK
            | rustix::io::Errno::ISDIR
            | rustix::io::Errno::NXIO,
        ) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) => Err(error.into()),
    }
}
