//! Opens files for reading, wherever they are or only inside a root, with `std` alone.
//!
//! Without directory handles the best that can be had: resolve, compare, open, and resolve once more.

use super::{error::read_error, stat};
use crate::system::{FileKind, ReadError};
use std::{fs::File, path::Path};

pub(super) fn anywhere(path: &Path) -> Result<File, ReadError> {
    // Opening is what can block, or wake a device: look first.
    match stat::stat(path) {
        Some(stat) if stat.kind != FileKind::File => return Err(ReadError::Kind(stat.kind)),
        _ => {}
    }
    File::open(path).map_err(|error| read_error(path, &error))
}

pub(super) fn within(path: &Path, root: &Path) -> Result<File, ReadError> {
    let lead = stat::lead(path);
    let root = stat::lead(root).place;
    if !lead.place.starts_with(&root) {
        return Err(ReadError::Outside { target: lead.place });
    }
    if let Some(problem) = lead.problem {
        return Err(problem);
    }
    if !root.is_dir() {
        return Err(ReadError::Missing);
    }
    let file = anywhere(&lead.place)?;
    if stat::canonical(&lead.place)? != lead.place {
        return Err(ReadError::Other("it changed while it was being opened".into()));
    }
    Ok(file)
}
