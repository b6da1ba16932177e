//! Writes a file so that everybody sees the old one or the new one, also after a crash.
//!
//! The directory is opened once, and everything happens relative to that handle: temporary file and final name are
//! in the same directory, whatever becomes of its path meanwhile.

use super::{
    error::{cannot_write, write_error},
    stat,
};
use crate::system::{FileKind, ReadError, WriteError, WriteMode};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, CWD, Mode, OFlags, RenameFlags},
    io::Errno,
    path::Arg,
};
use std::{
    ffi::OsStr,
    fs::{File, Permissions},
    hash::{BuildHasher, RandomState},
    io::{self, Write as _},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The most names that are tried for the temporary file.
const TRIES: usize = 16;

pub(super) fn write(path: &Path, bytes: &[u8], how: WriteMode, mode: u32) -> Result<(), WriteError> {
    let place = target(path, how)?;
    let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else {
        return Err(WriteError::Exists);
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = rustix::fs::open(parent, flags, Mode::empty()).map_err(of)?;
    let mut temp = TempFile::new(&dir)?;
    temp.fill(bytes, mode).map_err(|error| write_error(&error))?;
    temp.put(name, how).map_err(of)?;
    drop(temp);
    match rustix::fs::fsync(&dir) {
        // Some file systems have nothing to flush in a directory.
        Ok(()) | Err(Errno::INVAL) => Ok(()),
        Err(error) => Err(of(error)),
    }
}

/// Finds the place to write at. A link to a file is written through: the file it leads to is replaced, and the link
/// stays, because people keep their dotfiles elsewhere and link them in.
fn target(path: &Path, how: WriteMode) -> Result<PathBuf, WriteError> {
    let place = match stat::link_stat(path) {
        None => return Ok(path.to_owned()),
        Some(_) if how == WriteMode::New => return Err(WriteError::Exists),
        Some(stat) if stat.kind == FileKind::Link => {
            let lead = stat::lead(path);
            match lead.problem {
                None => {}
                Some(ReadError::Missing | ReadError::Dangling) if lead.whole => return Ok(lead.place),
                Some(problem) => return Err(cannot_write(problem)),
            }
            lead.place
        }
        Some(_) => path.to_owned(),
    };
    match stat::link_stat(&place) {
        // To rename onto `/dev/null` would be the end of it.
        Some(stat) if stat.kind != FileKind::File => Err(WriteError::Exists),
        _ => Ok(place),
    }
}

/// A temporary file that is gone when it is dropped, unless it was put in place.
struct TempFile<'a> {
    dir: &'a OwnedFd,
    name: String,
    file: File,
    placed: bool,
}

impl<'a> TempFile<'a> {
    /// Creates the file, for us alone until it is complete.
    fn new(dir: &'a OwnedFd) -> Result<Self, WriteError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut outcome = Errno::EXIST;
        for _ in 0..TRIES {
            let name = unpredictable_name();
            match rustix::fs::openat(dir, &name, flags, Mode::RUSR | Mode::WUSR) {
                Ok(file) => return Ok(TempFile { dir, name, file: file.into(), placed: false }),
                Err(error) => outcome = error,
            }
            if outcome != Errno::EXIST {
                break;
            }
        }
        Err(of(outcome))
    }

    fn fill(&mut self, bytes: &[u8], mode: u32) -> io::Result<()> {
        self.file.write_all(bytes)?;
        // Not left to the umask, and before the flush, so that the file never appears with another mode.
        self.file.set_permissions(Permissions::from_mode(mode))?;
        self.file.sync_all()
    }

    fn put(&mut self, name: &OsStr, how: WriteMode) -> Result<(), Errno> {
        match how {
            WriteMode::Replace => rustix::fs::renameat(self.dir, &self.name, self.dir, name)?,
            WriteMode::New => match rename_without_replacing((self.dir, &self.name), (self.dir, name)) {
                // A link refuses as well. The temporary name goes when `self` is dropped.
                None => return rustix::fs::linkat(self.dir, &self.name, self.dir, name, AtFlags::empty()),
                Some(answer) => answer?,
            },
        }
        self.placed = true;
        Ok(())
    }
}

/// Renames in one step that never replaces. `None`: the file system or the kernel has no such step.
fn rename_without_replacing(
    (from_dir, from): (impl AsFd, impl Arg),
    (to_dir, to): (impl AsFd, impl Arg),
) -> Option<Result<(), Errno>> {
    match rustix::fs::renameat_with(from_dir, from, to_dir, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => None,
        answer => Some(answer),
    }
}

/// Moves to a name that is free.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), WriteError> {
    match rename_without_replacing((CWD, from), (CWD, to)) {
        Some(done) => done.map_err(of),
        None if stat::link_stat(to).is_some() => Err(WriteError::Exists),
        None => std::fs::rename(from, to).map_err(|error| write_error(&error)),
    }
}

/// Adds to the end of a regular file, or creates it.
pub(super) fn append(path: &Path, bytes: &[u8], mode: u32) -> Result<(), WriteError> {
    let mut file = open_file(path, OFlags::WRONLY | OFlags::APPEND, mode)?;
    let before = file.metadata().map_err(|error| write_error(&error))?;
    if !before.is_file() {
        return Err(WriteError::Exists);
    }
    file.set_permissions(Permissions::from_mode(mode)).map_err(|error| write_error(&error))?;
    file.write_all(bytes).map_err(|error| {
        // Half of it is nothing that anybody could read.
        let _ = file.set_len(before.len());
        write_error(&error)
    })
}

/// Opens or creates a file itself: not through a link, and without waiting for a pipe.
pub(super) fn open_file(path: &Path, flags: OFlags, mode: u32) -> Result<File, WriteError> {
    let flags =
        flags | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    // For us alone until it has its mode.
    match rustix::fs::open(path, flags, Mode::from_raw_mode(mode as _) & Mode::RWXU) {
        Ok(file) => Ok(file.into()),
        Err(Errno::LOOP | Errno::MLINK | Errno::ISDIR | Errno::NXIO) => Err(WriteError::Exists),
        Err(error) => Err(of(error)),
    }
}

impl Drop for TempFile<'_> {
    fn drop(&mut self) {
        if !self.placed {
            let _ = rustix::fs::unlinkat(self.dir, &self.name, AtFlags::empty());
        }
    }
}

/// Returns a name that other processes cannot predict: `RandomState` is seeded by the machine.
fn unpredictable_name() -> String {
    let random = RandomState::new();
    format!(".preface-{:016x}{:08x}.tmp", random.hash_one(0), random.hash_one(1) as u32)
}

fn of(error: Errno) -> WriteError {
    write_error(&error.into())
}
