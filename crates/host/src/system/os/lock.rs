//! Locks a file for this process (`flock`).
//!
//! The lock belongs to the open file: it ends when the value is dropped, and with the process, however it ends. The
//! file itself stays; removing it would let two processes hold "the" lock.

use super::{error::write_error, write::open_file};
use crate::system::WriteError;
use rustix::fs::OFlags;
use std::{
    fs::{File, TryLockError},
    path::Path,
    thread,
    time::{Duration, Instant},
};

const POLL: Duration = Duration::from_millis(10);

pub(super) fn lock(path: &Path, wait: Duration) -> Result<File, WriteError> {
    let file = open_file(path, OFlags::RDWR, 0o600)?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(WriteError::Exists);
    }
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
