//! An open directory that is written in.
//!
//! The directory is opened one component at a time without following a link, and everything afterwards is relative to
//! that handle: a directory that is swapped for a link meanwhile changes nothing.

use super::{
    dirs,
    error::{read_error, write_error},
    lock, write,
};
use crate::system::{
    Directory, FileKind, NOT_BENEATH, ReadError, ReadScope, Stat, WriteError, WriteMode, names_below,
};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, Mode, OFlags},
    io::Errno,
    path::Arg,
};
use std::{
    ffi::{OsStr, OsString},
    fs::{File, Metadata, Permissions},
    io::{self, Write as _},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::Path,
    time::Duration,
};

const DIR: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A directory of this machine.
#[derive(Debug)]
pub(super) struct OpenDirectory {
    dir: OwnedFd,
    lock_wait: Duration,
}

/// Opens `path` and creates what is missing of it. Beneath a root no link is followed.
pub(super) fn open(
    path: &Path,
    within: ReadScope<'_>,
    mode: u32,
    lock_wait: Duration,
) -> Result<OpenDirectory, WriteError> {
    let (root, names) = match within {
        ReadScope::Anywhere => (path, Vec::new()),
        ReadScope::Root(root) => (root, names_below(path, root)?),
    };
    let mut dir = match rustix::fs::open(root, DIR, Mode::empty()) {
        Err(Errno::NOENT) => {
            crate::system::make_dirs_by(root, |dir| dirs::make_dir(dir, mode))?;
            rustix::fs::open(root, DIR, Mode::empty())
        }
        opened => opened,
    }
    .map_err(of)?;
    for name in names {
        dir = open_below(&dir, name, mode)?;
    }
    Ok(OpenDirectory { dir, lock_wait })
}

fn open_below(dir: &OwnedFd, name: &OsStr, mode: u32) -> Result<OwnedFd, WriteError> {
    let opened = || rustix::fs::openat(dir, name, DIR.union(OFlags::NOFOLLOW), Mode::empty());
    match opened() {
        Err(Errno::NOENT) => {}
        Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => return Err(WriteError::Other(NOT_BENEATH.into())),
        answer => return answer.map_err(of),
    }
    let is_new = match rustix::fs::mkdirat(dir, name, Mode::from_raw_mode(mode as _)) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(error) => return Err(of(error)),
    };
    let made = opened().map_err(|error| match error {
        Errno::LOOP | Errno::MLINK | Errno::NOTDIR => WriteError::Other(NOT_BENEATH.into()),
        error => of(error),
    })?;
    if is_new {
        // The umask may have cut the mode.
        let made = File::from(made.try_clone().map_err(|error| write_error(&error))?);
        made.set_permissions(Permissions::from_mode(mode)).map_err(|error| write_error(&error))?;
        // The directory is there; whether a power cut forgets it is no reason to fail.
        let _ = rustix::fs::fsync(dir);
    }
    Ok(made)
}

/// Opens or creates a file itself: not through a link, and without waiting for a pipe.
pub(super) fn open_file(
    dir: impl AsFd,
    path: impl Arg,
    flags: OFlags,
    mode: u32,
) -> Result<File, WriteError> {
    let flags =
        flags | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    // For us alone until it has its mode.
    match rustix::fs::openat(dir, path, flags, Mode::from_raw_mode(mode as _) & Mode::RWXU) {
        Ok(file) => Ok(file.into()),
        Err(Errno::LOOP | Errno::MLINK | Errno::ISDIR | Errno::NXIO) => Err(WriteError::Exists),
        Err(error) => Err(of(error)),
    }
}

impl OpenDirectory {
    fn kind(&self, name: &OsStr) -> Option<FileKind> {
        let stat = rustix::fs::statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(match rustix::fs::FileType::from_raw_mode(stat.st_mode) {
            rustix::fs::FileType::RegularFile => FileKind::File,
            rustix::fs::FileType::Directory => FileKind::Dir,
            rustix::fs::FileType::Symlink => FileKind::Link,
            _ => FileKind::Special,
        })
    }
}

impl Directory for OpenDirectory {
    fn append(&self, name: &OsStr, bytes: &[u8], mode: u32) -> Result<(), WriteError> {
        let mut file = open_file(&self.dir, name, OFlags::WRONLY | OFlags::APPEND, mode)?;
        let before = regular(&file)?;
        file.set_permissions(Permissions::from_mode(mode & 0o777)).map_err(|error| write_error(&error))?;
        file.write_all(bytes).map_err(|error| {
            // Half of it is nothing that anybody could read.
            let _ = file.set_len(before.len());
            write_error(&error)
        })
    }

    fn write(&self, name: &OsStr, bytes: &[u8], how: WriteMode, mode: u32) -> Result<(), WriteError> {
        match (self.kind(name), how) {
            (None, _) | (Some(FileKind::File), WriteMode::Replace) => {}
            (Some(_), _) => return Err(WriteError::Exists),
        }
        write::write_in(&self.dir, name, bytes, how, mode & 0o777)
    }

    fn lock(&self, name: &OsStr) -> Result<Box<dyn Send>, WriteError> {
        Ok(Box::new(lock::take(open_file(&self.dir, name, OFlags::RDWR, 0o600)?, self.lock_wait)?))
    }

    fn link_stat(&self, name: &OsStr) -> Option<Stat> {
        // `O_PATH` is not everywhere, and `std` has no `fstatat`: an open handle has the same answer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.dir, name, flags, Mode::empty()).ok()?;
        File::from(file).metadata().ok().map(|metadata| super::stat::stat_of(&metadata))
    }

    fn names(&self, limit: usize) -> Result<Vec<OsString>, ReadError> {
        let failed = |error: Errno| read_error(Path::new(""), &error.into());
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            if names.len() == limit {
                return Err(ReadError::TooLarge { size: limit as u64 + 1, limit: limit as u64 });
            }
            names.push(name.to_owned());
        }
        names.sort();
        Ok(names)
    }

    fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), WriteError> {
        match write::rename_without_replacing(&self.dir, from, to) {
            Some(done) => done.map_err(of),
            None if self.kind(to).is_some() => Err(WriteError::Exists),
            None => rustix::fs::renameat(&self.dir, from, &self.dir, to).map_err(of),
        }
    }

    fn remove(&self, name: &OsStr) -> Result<(), WriteError> {
        match rustix::fs::unlinkat(&self.dir, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(Errno::ISDIR | Errno::PERM) if self.kind(name) == Some(FileKind::Dir) => {
                Err(super::error::is_a_directory())
            }
            Err(error) => Err(of(error)),
        }
    }
}

fn regular(file: &File) -> Result<Metadata, WriteError> {
    let metadata = file.metadata().map_err(|error| write_error(&error))?;
    if metadata.is_file() { Ok(metadata) } else { Err(WriteError::Exists) }
}

fn of(error: Errno) -> WriteError {
    write_error(&io::Error::from(error))
}
