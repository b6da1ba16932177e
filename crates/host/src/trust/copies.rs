//! Copies of the granted texts, so that a diff can show what changed since.
//!
//! Each is `trust.d/<hex digest>` beside the store. A copy is written before the record that names it and removed after
//! it, so a crash leaves at most a copy too many.

use super::{digest::Digest, error::TrustError};
use crate::system::{System, Within, Write};
use preface_core::audit::AuditEvent;
use std::path::{Path, PathBuf};

const DIR: &str = "trust.d";
const DIR_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// The largest text that can be granted.
pub(super) const COPY_LIMIT: u64 = 16 << 20;

/// The directory with the copies.
#[derive(Clone, Debug)]
pub(super) struct Copies<'a> {
    system: &'a dyn System,
    dir: PathBuf,
}

impl<'a> Copies<'a> {
    pub(super) fn beside(system: &'a dyn System, store: &Path) -> Self {
        Copies { system, dir: store.with_file_name(DIR) }
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.dir.join(digest.hex())
    }

    /// Reads a copy; `None` where it is missing or damaged.
    pub(super) fn read(&self, digest: &Digest) -> Option<Vec<u8>> {
        let bytes = self.system.read(&self.path(digest), Within::Anywhere, COPY_LIMIT).ok()?.into_bytes();
        (Digest::of(&bytes) == *digest).then_some(bytes)
    }

    /// Writes a copy, unless it is there and whole.
    pub(super) fn keep(&self, digest: &Digest, bytes: &[u8]) -> Result<(), TrustError> {
        let path = self.path(digest);
        if self.read(digest).is_some() {
            return Ok(());
        }
        self.system
            .make_dir(&self.dir, DIR_MODE)
            .map_err(|error| TrustError::unavailable(&self.dir, error))?;
        self.system
            .write(&path, bytes, Write::Replace, FILE_MODE)
            .map_err(|error| TrustError::unavailable(path, error))
    }

    /// Removes copies. One that stays is no danger, only untidy.
    pub(super) fn drop_all(&self, digests: &[Digest]) -> Vec<AuditEvent> {
        let remove = |digest| self.system.remove(&self.path(digest)).err();
        let events = digests.iter().filter_map(remove).map(|error| AuditEvent::SuppressedError {
            reason: "remove the copy of a text that is no longer granted".into(),
            cause: error.to_string(),
        });
        events.collect()
    }
}
