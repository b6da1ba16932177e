//! Files of a project that a granted program is started from: read once, digested as they were read, and copied.
//!
//! A file that is checked and then opened again by its name can be another file by then: whoever may write in the project
//! could swap it in between. So a granted program never starts from the project. Its files are copied to `programs/` beside
//! the trust store, under the digest of the copy, and only a copy that has this digest is started.

use super::{
    digest::{Digest, Fingers},
    error::TrustError,
};
use crate::system::{FileKind, Made, ReadError, Stat, System, Within, Write, WriteError};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The directory with all copies.
const DIR: &str = "programs";
const DIR_MODE: u32 = 0o700;
const PROGRAM_MODE: u32 = 0o500;
const FILE_MODE: u32 = 0o400;
const EXECUTABLE: u32 = 0o111;

/// The most files, bytes and nested directories of one program.
pub(super) const FILES: usize = 2_000;
const BYTES: u64 = 32 << 20;
const DEPTH: usize = 16;

/// The largest single file that is pinned by its digest.
pub(super) const FILE_BYTES: u64 = 16 << 20;

/// The most bytes that the list of a copy's files can have: each path is at most as long as the machine allows.
const LIST_BYTES: u64 = 16 << 20;

/// How many copies stay whatever their age, and the age at which others are removed.
const COPIES: usize = 64;
const OLD: SignedDuration = SignedDuration::from_hours(24);

/// The most entries that are looked at in a directory of copies.
const ENTRIES: usize = 10_000;

/// One file of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ProgramFile {
    executable: bool,
    bytes: Vec<u8>,
}

/// The files of a program by their path, relative to their directory with `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProgramFiles(BTreeMap<String, ProgramFile>);

/// One file in the list of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ListedFile {
    path: String,
    executable: bool,
    digest: Digest,
}

impl ProgramFiles {
    /// Returns a program that is this file alone.
    pub(super) fn single(name: &str, executable: bool, bytes: Vec<u8>) -> Self {
        ProgramFiles(BTreeMap::from([(name.to_owned(), ProgramFile { executable, bytes })]))
    }

    /// Reads a directory of the project whole. `root` and `dir` are canonical.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] for what cannot be copied: links that lead out of the directory, links to directories,
    /// pipes and devices, names that are not UTF-8, unreadable files, and more than the limits allow.
    pub(super) fn read(system: &dyn System, root: &Path, dir: &Path) -> Result<Self, TrustError> {
        let mut reading = Reading { system, root, dir, files: ProgramFiles::default(), bytes: 0 };
        reading.directory(dir, "", 0)?;
        Ok(reading.files)
    }

    fn list(&self) -> Vec<ListedFile> {
        let listed = |(path, file): (&String, &ProgramFile)| ListedFile {
            path: path.clone(),
            executable: file.executable,
            digest: Digest::of(&file.bytes),
        };
        self.0.iter().map(listed).collect()
    }

    /// Returns the digest of every file: its path, whether it can be executed, and its bytes.
    pub(super) fn digest(&self) -> Digest {
        digest_of(&self.list())
    }

    /// Returns the digest of one file's bytes.
    pub(super) fn file(&self, path: &str) -> Option<Digest> {
        self.0.get(path).map(|file| Digest::of(&file.bytes))
    }
}

/// Returns the digest that [`ProgramFiles::single`] has, from the digest of the bytes.
pub(super) fn single_digest(name: &str, executable: bool, digest: Digest) -> Digest {
    digest_of(&[ListedFile { path: name.to_owned(), executable, digest }])
}

fn digest_of(list: &[ListedFile]) -> Digest {
    let mut all = Fingers::default();
    for ListedFile { path, executable, digest } in list {
        all.add(path.as_bytes());
        all.add(if *executable { b"x" } else { b"-" });
        all.add(digest.to_string().as_bytes());
    }
    all.digest()
}

fn is_executable(stat: &Stat) -> bool {
    stat.mode.is_some_and(|mode| mode & EXECUTABLE != 0)
}

/// A directory that is being read.
struct Reading<'a> {
    system: &'a dyn System,
    root: &'a Path,
    dir: &'a Path,
    files: ProgramFiles,
    bytes: u64,
}

impl Reading<'_> {
    fn directory(&mut self, dir: &Path, prefix: &str, depth: usize) -> Result<(), TrustError> {
        if depth > DEPTH {
            return Err(refused(dir, format!("more than {DEPTH} nested directories")));
        }
        // Each entry is a file or leads to one, so a directory with more of them exceeds the limit anyway.
        let entries = self.system.list(dir, FILES).map_err(|error| match error {
            ReadError::TooLarge { .. } => refused(self.dir, too_many()),
            error => refused(dir, error.to_string()),
        })?;
        for entry in entries {
            let path = dir.join(&entry.name);
            let Some(name) = entry.name.to_str() else {
                return Err(refused(&path, "its name is not UTF-8".to_owned()));
            };
            let name = format!("{prefix}{name}");
            match entry.kind {
                FileKind::Dir => self.directory(&path, &format!("{name}/"), depth + 1)?,
                FileKind::File => self.file(&path, name)?,
                FileKind::Link => {
                    let target =
                        self.system.canonical(&path).map_err(|error| refused(&path, error.to_string()))?;
                    if !target.starts_with(self.dir) {
                        return Err(refused(&path, "a link that leads out of the directory".to_owned()));
                    }
                    self.file(&path, name)?;
                }
                FileKind::Special => return Err(refused(&path, ReadError::Kind(entry.kind).to_string())),
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, name: String) -> Result<(), TrustError> {
        if self.files.0.len() == FILES {
            return Err(refused(self.dir, too_many()));
        }
        let read = self.system.read(path, Within::Root(self.root), FILE_BYTES);
        let read = read.map_err(|error| refused(path, error.to_string()))?;
        self.bytes += read.bytes.len() as u64;
        if self.bytes > BYTES {
            return Err(refused(self.dir, format!("more than {} MiB", BYTES >> 20)));
        }
        let file = ProgramFile { executable: is_executable(&read.stat), bytes: read.into_bytes() };
        self.files.0.insert(name, file);
        Ok(())
    }
}

fn too_many() -> String {
    format!("more than {FILES} files")
}

fn refused(path: &Path, why: String) -> TrustError {
    TrustError::invalid(
        path,
        format!("a program's directory is copied whole, and this cannot be copied: {why}"),
    )
}

/// The copies of granted programs, each `programs/<hex digest>/` beside the store, with the list of its files in
/// `programs/<hex digest>.json`.
#[derive(Clone, Debug)]
pub(super) struct ProgramCopies<'a> {
    system: &'a dyn System,
    dir: PathBuf,
}

impl<'a> ProgramCopies<'a> {
    pub(super) fn beside(system: &'a dyn System, store: &Path) -> Self {
        ProgramCopies { system, dir: store.with_file_name(DIR) }
    }

    /// Returns the directory of the copy with this digest, and makes the copy where there is none. A copy counts only
    /// where each of its files is there and has the bytes that the digest is about; it is checked each time.
    ///
    /// # Errors
    /// What `read` fails with; [`TrustError::EntryInvalid`] where it reads something else than the digest is about;
    /// [`TrustError::Unavailable`] where the copy cannot be written, or the directory of copies belongs to somebody else.
    pub(super) fn directory(
        &self,
        digest: &Digest,
        read: impl FnOnce() -> Result<(PathBuf, ProgramFiles), TrustError>,
    ) -> Result<PathBuf, TrustError> {
        let copy = self.dir.join(digest.hex());
        if self.is_private()? && self.is_whole(&copy, digest) {
            return Ok(copy);
        }
        let (from, files) = read()?;
        if files.digest() != *digest {
            return Err(TrustError::invalid(from, "it changed after it was compared with its grant"));
        }
        let no = |error: WriteError| TrustError::unavailable(&copy, error);
        self.system.make_dirs(&self.dir, DIR_MODE).map_err(no)?;
        if !self.is_private()? {
            return Err(TrustError::unavailable(&self.dir, "it is not there"));
        }
        // Whoever waits here finds the copy that the other one made.
        let _lock = self.system.lock(&self.dir.join("lock")).map_err(no)?;
        if !self.is_whole(&copy, digest) {
            let made = self.write(&copy, &files).map_err(no)?;
            if !self.is_whole(&copy, digest) {
                return Err(TrustError::unavailable(&copy, "the copy could not be completed"));
            }
            if made == Made::New {
                self.remove_old();
            }
        }
        Ok(copy)
    }

    /// Returns whether the directory of copies is there and belongs to the user alone.
    fn is_private(&self) -> Result<bool, TrustError> {
        let Some(stat) = self.system.link_stat(&self.dir) else { return Ok(false) };
        let own = stat.owner.is_none() || stat.owner == self.system.user_id();
        let closed = stat.mode.is_none_or(|mode| mode & 0o077 == 0);
        match stat.kind == FileKind::Dir && own && closed {
            true => Ok(true),
            false => Err(TrustError::unavailable(
                &self.dir,
                "programs start only from a directory that belongs to you alone (mode 700); remove this one",
            )),
        }
    }

    fn is_whole(&self, copy: &Path, digest: &Digest) -> bool {
        let Ok(read) = self.system.read(&list_of(copy), Within::Root(&self.dir), LIST_BYTES) else {
            return false;
        };
        let Ok(list) = serde_json::from_slice::<Vec<ListedFile>>(&read.bytes) else { return false };
        digest_of(&list) == *digest
            && list.iter().all(|file| {
                let read = self.system.read(&copy.join(&file.path), Within::Root(copy), FILE_BYTES);
                read.is_ok_and(|read| {
                    is_executable(&read.stat) == file.executable && Digest::of(&read.bytes) == file.digest
                })
            })
    }

    fn write(&self, copy: &Path, files: &ProgramFiles) -> Result<Made, WriteError> {
        let made = self.system.make_dir(copy, DIR_MODE)?;
        for (path, file) in &files.0 {
            let path = copy.join(path);
            if let Some(parent) = path.parent() {
                self.system.make_dirs(parent, DIR_MODE)?;
            }
            let mode = if file.executable { PROGRAM_MODE } else { FILE_MODE };
            self.system.write(&path, &file.bytes, Write::Replace, mode)?;
        }
        // The list comes last: without it the copy is not used.
        let list = serde_json::to_vec(&files.list()).map_err(|error| WriteError::Other(error.to_string()))?;
        self.system.write(&list_of(copy), &list, Write::Replace, FILE_MODE)?;
        Ok(made)
    }

    /// Removes copies that are more than a few and more than a day old. One that is needed again is made again; one that
    /// stays is only untidy.
    fn remove_old(&self) {
        let Ok(entries) = self.system.list(&self.dir, ENTRIES) else { return };
        let now = self.system.now();
        let mut copies: Vec<_> = entries
            .into_iter()
            .filter(|entry| entry.kind == FileKind::Dir)
            .filter_map(|entry| {
                let path = self.dir.join(entry.name);
                // The list is written once, when the copy is made.
                let made = self.system.link_stat(&list_of(&path)).and_then(|stat| stat.changed)?;
                Some((made, path))
            })
            .collect();
        copies.sort();
        let more = copies.len().saturating_sub(COPIES);
        for (made, path) in copies.into_iter().take(more) {
            if now.duration_since(made) > OLD {
                let _ = self.system.remove(&list_of(&path));
                self.remove_tree(&path, 0);
            }
        }
    }

    fn remove_tree(&self, dir: &Path, depth: usize) {
        for entry in self.system.list(dir, ENTRIES).unwrap_or_default() {
            let path = dir.join(entry.name);
            match entry.kind {
                FileKind::Dir if depth < 2 * DEPTH => self.remove_tree(&path, depth + 1),
                _ => _ = self.system.remove(&path),
            }
        }
        let _ = self.system.remove_dir(dir);
    }
}

fn list_of(copy: &Path) -> PathBuf {
    let mut name = copy.as_os_str().to_owned();
    name.push(".json");
    name.into()
}
