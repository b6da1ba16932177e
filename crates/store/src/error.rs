//! The errors of a store, by their remedies.

use std::path::PathBuf;

/// The reason why a store operation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The address cannot be read or names a kind that this build does not have.
    #[error("not a store: `{address}`: {why}")]
    Address {
        /// As it was given, without a password.
        address: String,
        /// The reason.
        why: String,
    },
    /// The store does not answer, or not in time. It may answer later.
    #[error("the store does not answer: {address}: {why}")]
    Unreachable {
        /// The address, without a password.
        address: String,
        /// The message of the system.
        why: String,
    },
    /// Another process locks the store for too long. It may answer later.
    #[error("the store is busy: {0}")]
    Busy(String),
    /// The disk is full.
    #[error("the store's disk is full: {0}")]
    Full(String),
    /// The store can be read but not written.
    #[error("the store cannot be written: {0}")]
    ReadOnly(String),
    /// The file or database is not a store of preface.
    #[error("not a store of preface: {}", .0.display())]
    NotAStore(PathBuf),
    /// A newer preface made it.
    #[error("a newer preface made this store: its tables are version {found}, known is {known}")]
    Newer {
        /// The version of its tables.
        found: u32,
        /// The newest version that this preface knows.
        known: u32,
    },
    /// The file of the store was removed or replaced. Writes would be lost, so they fail.
    #[error("the store's file was removed or replaced while it was open: {}", .0.display())]
    Gone(PathBuf),
    /// The store is damaged.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// Something else.
    #[error("the store failed: {0}")]
    Other(String),
}

impl StoreError {
    /// Returns true if another attempt may succeed later, without a change to the store's contents.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        matches!(
            self,
            StoreError::Unreachable { .. }
                | StoreError::Busy(_)
                | StoreError::Full(_)
                | StoreError::ReadOnly(_)
                | StoreError::Gone(_)
                | StoreError::Closed
        )
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        Some(match self {
            StoreError::Address { .. } => {
                "a store is `sqlite:PATH`, `postgres://USER@HOST/DATABASE` or `memory:`".to_owned()
            }
            StoreError::Unreachable { .. } => "check that the server runs and lets you in".to_owned(),
            StoreError::Busy(_) => "another program writes to it; try again, or end that program".to_owned(),
            StoreError::Full(_) => "free some space; nothing of this write was kept".to_owned(),
            StoreError::ReadOnly(_) => {
                "a file and its directory must be writable, a server must take writes from its user; or use \
                 another store"
                    .to_owned()
            }
            StoreError::NotAStore(_) => "name another file; this one was left as it is".to_owned(),
            StoreError::Newer { .. } => "use the preface that made it, or a newer one".to_owned(),
            StoreError::Damaged(_) => {
                "bring the store back from a copy; what is there was left as it is".to_owned()
            }
            StoreError::Gone(_) => {
                "put the file back, or start preface again to use what lies there now".to_owned()
            }
            StoreError::Closed | StoreError::Other(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_files_and_servers_have_help_for_both() {
        for error in [StoreError::ReadOnly("why".to_owned()), StoreError::Damaged("why".to_owned())] {
            let help = error.help().expect("there is something to do");
            assert_eq!(help.contains("file"), help.contains("server"), "{help}");
        }
    }
}
