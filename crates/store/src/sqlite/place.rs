//! The path of the file: checks it before SQLite opens it, and creates the file where there is none.
//!
//! A file that exists is looked at and never opened here: closing any handle of a file lets go of all locks that this
//! process holds on it, those of a store that is open already included.

use crate::StoreError;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The smallest file that SQLite writes: one page of the smallest size.
const SMALLEST: u64 = 512;

/// Checks the path, and creates an empty file for the owner alone if there is none.
pub(super) fn prepare(path: &Path) -> Result<(), StoreError> {
    let target = resolve_link(path);
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match fs::metadata(&target) {
        Ok(found) if !found.is_file() => return Err(StoreError::NotAStore(path.to_owned())),
        // SQLite would take it for empty and write over it.
        Ok(found) if (1..SMALLEST).contains(&found.len()) => {
            return Err(StoreError::NotAStore(path.to_owned()));
        }
        Ok(found) => {
            if found.permissions().readonly() {
                return Err(StoreError::ReadOnly(path.display().to_string()));
            }
            return check_writable(directory);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(open_error(path, &error)),
    }
    make_directory(directory).map_err(|error| open_error(directory, &error))?;
    check_writable(directory)?;
    match make_file(&target) {
        // Another process may have been faster.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(open_error(path, &error)),
        _ => Ok(()),
    }
}

/// Follows a link to a file that is not there yet; every other path stays as it is.
fn resolve_link(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..16 {
        let Ok(next) = fs::read_link(&target) else { break };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    target
}

fn check_writable(directory: &Path) -> Result<(), StoreError> {
    match fs::metadata(directory) {
        Ok(found) if found.permissions().readonly() => {
            Err(StoreError::ReadOnly(directory.display().to_string()))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(open_error(directory, &error)),
    }
}

fn open_error(path: &Path, error: &io::Error) -> StoreError {
    let why = format!("{}: {error}", path.display());
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly(why),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full(why),
        _ => StoreError::Address { address: format!("sqlite:{}", path.display()), why: error.to_string() },
    }
}

fn make_directory(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

fn make_file(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map(drop)
}

/// The free space that a full disk must have to be used again: that of the largest template.
const ROOM: usize = 1 << 20;

/// Checks that the disk of a file has room: writes so much beside it, and removes it.
pub(super) fn check_room(path: &Path) -> Result<(), StoreError> {
    // Where the path is a link, the disk is that of its target.
    let mut beside = path.canonicalize().unwrap_or_else(|_| path.to_owned()).into_os_string();
    beside.push("-room");
    let written = fs::write(&beside, vec![1; ROOM]).and_then(|()| fs::File::open(&beside)?.sync_all());
    let _ = fs::remove_file(&beside);
    written.map_err(|error| StoreError::Full(format!("{}: {error}", PathBuf::from(beside).display())))
}

/// Identifies a file, so that a replaced file of the same name is recognized.
pub(super) fn identity(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}
