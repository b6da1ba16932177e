//! Turns the machine's error numbers into our few words.

use super::stat;
use crate::system::{FileKind, NOT_ABSOLUTE, ReadError, WriteError};
use std::{
    io::{self, ErrorKind},
    path::Path,
};

pub(super) fn absolute(path: &Path) -> Result<&Path, ReadError> {
    if path.is_absolute() { Ok(path) } else { Err(ReadError::Other(NOT_ABSOLUTE.into())) }
}

pub(super) fn absolute_to_write(path: &Path) -> Result<&Path, WriteError> {
    if path.is_absolute() { Ok(path) } else { Err(WriteError::Other(NOT_ABSOLUTE.into())) }
}

/// Returns the error for a `path` that could not be opened or resolved.
pub(super) fn read_error(path: &Path, error: &io::Error) -> ReadError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => missing(path),
        ErrorKind::PermissionDenied => ReadError::Denied,
        // A regular file that has no data yet (`/proc/kmsg`) is a pipe in disguise.
        ErrorKind::WouldBlock => ReadError::Kind(FileKind::Special),
        _ => read_error_by_number(error).unwrap_or_else(|| ReadError::Other(error.to_string())),
    }
}

fn read_error_by_number(error: &io::Error) -> Option<ReadError> {
    use rustix::io::Errno;
    match Errno::from_io_error(error)? {
        Errno::LOOP | Errno::NAMETOOLONG => Some(ReadError::Loop),
        // Sockets, and devices without a driver.
        Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP => Some(ReadError::Kind(FileKind::Special)),
        _ => None,
    }
}

/// Distinguishes a path that does not exist from a link whose target does not exist.
fn missing(path: &Path) -> ReadError {
    match stat::link_stat(path) {
        Some(stat) if stat.kind == FileKind::Link => ReadError::Dangling,
        _ => ReadError::Missing,
    }
}

/// Returns the error for a failed write.
pub(super) fn write_error(error: &io::Error) -> WriteError {
    match error.kind() {
        ErrorKind::AlreadyExists => WriteError::Exists,
        ErrorKind::NotFound | ErrorKind::NotADirectory => WriteError::NoParent,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => WriteError::Denied,
        _ => WriteError::Other(error.to_string()),
    }
}

/// Returns the error for a place to write at that could not be found.
pub(super) fn cannot_write(error: ReadError) -> WriteError {
    match error {
        ReadError::Missing | ReadError::Dangling => WriteError::NoParent,
        ReadError::Denied => WriteError::Denied,
        other => WriteError::Other(other.to_string()),
    }
}

pub(super) fn is_a_directory() -> WriteError {
    WriteError::Other("a directory, not a file".into())
}
