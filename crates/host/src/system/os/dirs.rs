//! Makes directories and removes files.

use super::{
    error::{is_a_directory, write_error},
    stat,
};
use crate::system::{CreateOutcome, FileKind, WriteError};
use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

/// Returns the result of a single `mkdir`: of two processes exactly one gets [`CreateOutcome::New`].
pub(super) fn make_dir(path: &Path, mode: u32) -> Result<CreateOutcome, WriteError> {
    match mkdir(path, mode) {
        Ok(()) => {}
        Err(error) => {
            return match stat::stat(path) {
                Some(stat) if stat.kind == FileKind::Dir => Ok(CreateOutcome::Existed),
                _ => Err(write_error(&error)),
            };
        }
    }
    settle(path, mode).map_err(|error| write_error(&error))?;
    Ok(CreateOutcome::New)
}

fn mkdir(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(mode).create(path)
}

/// Gives a new directory the mode that the umask cut, and makes it last.
fn settle(path: &Path, mode: u32) -> io::Result<()> {
    use rustix::fs::{Mode, OFlags};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    // On the directory itself: the name may be a link by now.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = fs::File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let inherited = dir.metadata()?.mode() & 0o7000;
    dir.set_permissions(fs::Permissions::from_mode(inherited | mode))?;
    if let Some(parent) = path.parent() {
        // The directory is there; whether a power cut forgets it is no reason to fail.
        let _ = fs::File::open(parent).and_then(|parent| parent.sync_all());
    }
    Ok(())
}

pub(super) fn remove(path: &Path) -> Result<(), WriteError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
        Err(error) => match stat::link_stat(path) {
            Some(stat) if stat.kind == FileKind::Dir => Err(is_a_directory()),
            _ => Err(write_error(&error)),
        },
    }
}

pub(super) fn remove_dir(path: &Path) -> Result<(), WriteError> {
    match fs::remove_dir(path) {
        Ok(()) => Ok(()),
        // A file in the middle of the path: nothing is there. The path itself being a file is another matter.
        Err(_) if stat::link_stat(path).is_none() => Ok(()),
        Err(error) => Err(write_error(&error)),
    }
}
