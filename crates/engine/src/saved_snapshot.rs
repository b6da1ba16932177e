//! Snapshots in JSON.

use preface_core::snapshot::{SNAPSHOT_VERSION, Snapshot};
use serde::Deserialize;

/// The reason why a saved snapshot cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// It is not the JSON form of a snapshot; the reason.
    #[error("invalid snapshot: {0}")]
    Invalid(String),
    /// Another version of preface wrote it.
    #[error("the snapshot has version {0}; this program reads version {SNAPSHOT_VERSION}")]
    Version(u32),
}

/// Reads a saved snapshot.
///
/// ```
/// use preface_engine::{SnapshotError, read_snapshot};
///
/// let error = read_snapshot(br#"{"version": 1}"#).unwrap_err();
/// assert_eq!(error, SnapshotError::Version(1));
/// ```
///
/// # Errors
/// See [`SnapshotError`].
pub fn read_snapshot(json: &[u8]) -> Result<Snapshot, SnapshotError> {
    // A file of another version has other fields.
    #[derive(Deserialize)]
    struct SnapshotVersion {
        version: u32,
    }
    let invalid = |error: serde_json::Error| SnapshotError::Invalid(error.to_string());
    let SnapshotVersion { version } = serde_json::from_slice(json).map_err(invalid)?;
    match version {
        SNAPSHOT_VERSION => serde_json::from_slice(json).map_err(invalid),
        other => Err(SnapshotError::Version(other)),
    }
}
