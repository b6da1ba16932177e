//! Adds to the end of a file, and moves a file to a name that is free.

use super::trouble::write_error;
use crate::system::WriteError;
use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

pub(super) fn append(path: &Path, bytes: &[u8], mode: u32) -> Result<(), WriteError> {
    let mut file = open(path, mode)?;
    let before = file.metadata().map_err(|error| write_error(&error))?;
    if !before.is_file() {
        return Err(WriteError::Exists);
    }
    settle(&file, mode).map_err(|error| write_error(&error))?;
    file.write_all(bytes).map_err(|error| {
        // Half of it is nothing that anybody could read.
        let _ = file.set_len(before.len());
        write_error(&error)
    })
}

/// Opens the file itself: not through a link, and without waiting for a pipe.
#[cfg(unix)]
fn open(path: &Path, mode: u32) -> Result<File, WriteError> {
    use rustix::{
        fs::{Mode, OFlags},
        io::Errno,
    };
    let flags = OFlags::WRONLY
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    // For us alone until it has its mode.
    match rustix::fs::open(path, flags, Mode::from_raw_mode(mode as _) & Mode::RWXU) {
        Ok(file) => Ok(file.into()),
        Err(Errno::LOOP | Errno::MLINK | Errno::ISDIR | Errno::NXIO) => Err(WriteError::Exists),
        Err(error) => Err(write_error(&error.into())),
    }
}

#[cfg(not(unix))]
fn open(path: &Path, _mode: u32) -> Result<File, WriteError> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(WriteError::Exists);
    }
    File::options().append(true).create(true).open(path).map_err(|error| write_error(&error))
}

#[cfg(unix)]
fn settle(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn settle(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

pub(super) fn rename(from: &Path, to: &Path) -> Result<(), WriteError> {
    match without_replacing(from, to) {
        Some(done) => done.map_err(|error| write_error(&error)),
        None if fs::symlink_metadata(to).is_ok() => Err(WriteError::Exists),
        None => fs::rename(from, to).map_err(|error| write_error(&error)),
    }
}

/// Renames in one step that never replaces. `None`: the machine has no such step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn without_replacing(from: &Path, to: &Path) -> Option<io::Result<()>> {
    use rustix::{
        fs::{CWD, RenameFlags},
        io::Errno,
    };
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Some(Ok(())),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => None,
        Err(error) => Some(Err(error.into())),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn without_replacing(_from: &Path, _to: &Path) -> Option<io::Result<()>> {
    None
}
