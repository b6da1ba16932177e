//! Opens files for reading, wherever they are or only inside a root, with `std` alone.
//!
//! Without directory handles the best that can be had: resolve, compare, open, and resolve once more.

use super::{look, trouble::read_error};
use crate::system::{FileKind, ReadError};
use std::{fs::File, path::Path};

pub(super) fn anywhere(path: &Path) -> Result<File, ReadError> {
    // Opening is what can block, or wake a device: look first.
    match look::stat(path) {
        Some(stat) if stat.kind != FileKind::File => return Err(ReadError::Kind(stat.kind)),
        _ => {}
    }
    File::open(path).map_err(|error| read_error(path, &error))
}

pub(super) fn within(path: &Path, root: &Path) -> Result<File, ReadError> {
    let lead = look::lead(path);
    let root = look::lead(root).place;
    if !lead.place.starts_with(&root) {
        return Err(ReadError::Outside { target: lead.place });
    }
    if let Some(trouble) = lead.trouble {
        return Err(trouble);
    }
    if !root.is_dir() {
        return Err(ReadError::Missing);
    }
    let file = anywhere(&lead.place)?;
    if look::canonical(&lead.place)? != lead.place {
        return Err(ReadError::Other("it changed while it was being opened".into()));
    }
    Ok(file)
}
