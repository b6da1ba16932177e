//! Writes a file so that everybody sees the old one or the new one, with `std` alone.

use super::{
    error::{cannot_write, write_error},
    stat,
};
use crate::system::{FileKind, ReadError, WriteError, WriteMode};
use std::{
    fs::{self, OpenOptions},
    hash::{BuildHasher, RandomState},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

pub(super) fn write(path: &Path, bytes: &[u8], how: WriteMode, _mode: u32) -> Result<(), WriteError> {
    let place = target(path, how)?;
    let temp = place.with_file_name(unpredictable_name());
    let done = fill(&temp, bytes).and_then(|()| put(&temp, &place, how));
    if done.is_err() || how == WriteMode::New {
        let _ = fs::remove_file(&temp);
    }
    done.map_err(|error| write_error(&error))
}

fn target(path: &Path, how: WriteMode) -> Result<PathBuf, WriteError> {
    if path.file_name().is_none() {
        return Err(WriteError::Exists);
    }
    let lead = match stat::link_stat(path) {
        None => return Ok(path.to_owned()),
        Some(_) if how == WriteMode::New => return Err(WriteError::Exists),
        Some(_) => stat::lead(path),
    };
    match lead.problem {
        None => {}
        Some(ReadError::Missing | ReadError::Dangling) if lead.whole => return Ok(lead.place),
        Some(problem) => return Err(cannot_write(problem)),
    }
    match stat::link_stat(&lead.place) {
        Some(stat) if stat.kind != FileKind::File => Err(WriteError::Exists),
        _ => Ok(lead.place),
    }
}

fn fill(temp: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(temp)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn put(temp: &Path, place: &Path, how: WriteMode) -> io::Result<()> {
    match how {
        WriteMode::Replace => fs::rename(temp, place),
        // A link never replaces, a rename would.
        WriteMode::New => fs::hard_link(temp, place),
    }
}

fn unpredictable_name() -> String {
    let random = RandomState::new();
    format!(".preface-{:016x}{:08x}.tmp", random.hash_one(0), random.hash_one(1) as u32)
}
