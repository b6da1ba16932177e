//! Opens files for reading, wherever they are or only inside a root.
//!
//! Inside a root the path is resolved and compared, and what was compared is opened. Whoever can swap a directory for a link
//! between the two can write in the project.

use super::{error::read_error, stat};
use crate::system::{ReadError, resolve::ResolvedPath};
use rustix::fs::{Mode, OFlags};
use std::{fs::File, path::Path};

/// `NONBLOCK`: a pipe without a writer, or a line without a modem, must not hold us.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

pub(super) fn anywhere(path: &Path) -> Result<File, ReadError> {
    match rustix::fs::open(path, READ, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(error) => Err(read_error(path, &error.into())),
    }
}

pub(super) fn within(path: &Path, root: &Path) -> Result<File, ReadError> {
    let ResolvedPath { place: target, problem, .. } = stat::lead(path);
    let root = stat::lead(root).place;
    if !target.starts_with(&root) {
        return Err(ReadError::Outside { target });
    }
    match problem {
        Some(problem) => Err(problem),
        None if !root.is_dir() => Err(ReadError::Missing),
        None => anywhere(&target),
    }
}
