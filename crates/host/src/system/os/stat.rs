//! Looks at paths without opening what is there.

use super::error::read_error;
use crate::system::{
    DirEntry, FileId, FileKind, ReadError, Stat,
    resolve::{self, PathEntry, ResolvedPath},
};
use std::{
    fs::{self, FileType, Metadata},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

pub(super) fn stat(path: &Path) -> Option<Stat> {
    fs::metadata(path).ok().map(|metadata| stat_of(&metadata))
}

pub(super) fn link_stat(path: &Path) -> Option<Stat> {
    fs::symlink_metadata(path).ok().map(|metadata| stat_of(&metadata))
}

/// At most `limit` entries are kept, however many there are.
pub(super) fn list(dir: &Path, limit: usize) -> Result<Vec<DirEntry>, ReadError> {
    let entries = fs::read_dir(dir).map_err(|error| match error.kind() {
        ErrorKind::NotADirectory => match stat(dir) {
            Some(stat) => ReadError::Kind(stat.kind),
            None => ReadError::Missing,
        },
        _ => read_error(dir, &error),
    })?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| read_error(dir, &error))?;
        // An entry that is gone by now was never there.
        let Ok(file_type) = entry.file_type() else { continue };
        if found.len() == limit {
            return Err(ReadError::TooLarge { size: limit as u64 + 1, limit: limit as u64 });
        }
        found.push(DirEntry { name: entry.file_name(), kind: kind_of(file_type) });
    }
    found.sort_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
    Ok(found)
}

pub(super) fn canonical(path: &Path) -> Result<PathBuf, ReadError> {
    fs::canonicalize(path).map_err(|error| read_error(path, &error))
}

/// Resolves `path` as far as possible.
pub(super) fn lead(path: &Path) -> ResolvedPath {
    match fs::canonicalize(path) {
        Ok(place) => ResolvedPath { place, whole: true, problem: None },
        Err(_) => resolve::lead(path, |place| read_entry(place).or_else(|error| not_there(place, &error))),
    }
}

fn read_entry(place: &Path) -> io::Result<Option<PathEntry>> {
    let file_type = fs::symlink_metadata(place)?.file_type();
    if file_type.is_symlink() {
        return Ok(Some(PathEntry::Link(fs::read_link(place)?)));
    }
    Ok(Some(if file_type.is_dir() { PathEntry::Dir } else { PathEntry::Other }))
}

fn not_there(place: &Path, error: &io::Error) -> Result<Option<PathEntry>, ReadError> {
    match read_error(place, error) {
        ReadError::Missing => Ok(None),
        error => Err(error),
    }
}

pub(super) fn stat_of(metadata: &Metadata) -> Stat {
    use std::os::unix::fs::MetadataExt;
    Stat {
        kind: kind_of(metadata.file_type()),
        len: metadata.len(),
        id: Some(FileId { device: metadata.dev(), inode: metadata.ino() }),
        mode: Some(metadata.mode() & 0o7777),
        owner: Some(metadata.uid()),
        links: Some(metadata.nlink()),
        changed: jiff::Timestamp::new(metadata.ctime(), i32::try_from(metadata.ctime_nsec()).unwrap_or(0))
            .ok(),
    }
}

fn kind_of(file_type: FileType) -> FileKind {
    if file_type.is_file() {
        FileKind::File
    } else if file_type.is_dir() {
        FileKind::Dir
    } else if file_type.is_symlink() {
        FileKind::Link
    } else {
        FileKind::Special
    }
}
