//! A directory that is written in, with `std` alone.
//!
//! Without directory handles the best that can be had: each component is looked at and must be no link.

use super::{dirs, error::write_error, lock, stat, write};
use crate::system::{
    Directory, FileKind, NOT_BENEATH, ReadError, ReadScope, Stat, WriteError, WriteMode, names_below,
};
use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

/// A directory of this machine.
#[derive(Debug)]
pub(super) struct OpenDirectory {
    dir: PathBuf,
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
    crate::system::make_dirs_by(root, |dir| dirs::make_dir(dir, mode))?;
    let mut dir = root.to_owned();
    for name in names {
        dir.push(name);
        match stat::link_stat(&dir).map(|stat| stat.kind) {
            Some(FileKind::Dir) => {}
            Some(_) => return Err(WriteError::Other(NOT_BENEATH.into())),
            None => _ = dirs::make_dir(&dir, mode)?,
        }
    }
    Ok(OpenDirectory { dir, lock_wait })
}

impl OpenDirectory {
    fn file(&self, name: &OsStr) -> Result<PathBuf, WriteError> {
        let path = self.dir.join(name);
        match stat::link_stat(&path) {
            Some(stat) if stat.kind != FileKind::File => Err(WriteError::Exists),
            _ => Ok(path),
        }
    }
}

impl Directory for OpenDirectory {
    fn append(&self, name: &OsStr, bytes: &[u8], _mode: u32) -> Result<(), WriteError> {
        let path = self.file(name)?;
        let opened = File::options().append(true).create(true).open(path);
        let mut file = opened.map_err(|error| write_error(&error))?;
        let before = file.metadata().map_err(|error| write_error(&error))?;
        file.write_all(bytes).map_err(|error| {
            // Half of it is nothing that anybody could read.
            let _ = file.set_len(before.len());
            write_error(&error)
        })
    }

    fn write(&self, name: &OsStr, bytes: &[u8], how: WriteMode, mode: u32) -> Result<(), WriteError> {
        write::write(&self.file(name)?, bytes, how, mode)
    }

    fn lock(&self, name: &OsStr) -> Result<Box<dyn Send>, WriteError> {
        Ok(Box::new(lock::lock(&self.file(name)?, self.lock_wait)?))
    }

    fn link_stat(&self, name: &OsStr) -> Option<Stat> {
        stat::link_stat(&self.dir.join(name))
    }

    fn names(&self, limit: usize) -> Result<Vec<OsString>, ReadError> {
        Ok(stat::list(&self.dir, limit)?.into_iter().map(|entry| entry.name).collect())
    }

    fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), WriteError> {
        let to = self.dir.join(to);
        match stat::link_stat(&to) {
            Some(_) => Err(WriteError::Exists),
            None => fs::rename(self.dir.join(from), to).map_err(|error| write_error(&error)),
        }
    }

    fn remove(&self, name: &OsStr) -> Result<(), WriteError> {
        dirs::remove(&self.dir.join(name))
    }
}
