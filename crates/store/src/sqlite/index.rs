//! The header of the WAL index, which changes with every write.
//!
//! Beside a file with a log SQLite keeps an index of that log, `PATH-shm`, which all processes share. Its first 48 bytes
//! change with every transaction, come twice, and are what SQLite itself compares to see whether what it remembers of the
//! file still holds ("WAL-Index Header" in its description of the format). To read them is one call and takes no lock; to
//! read one row of the file takes five calls and two locks.
//!
//! The handle must not be closed while this process has the file open through SQLite: closing any handle of a file lets
//! go of all locks that the process holds on it. So all stores of this process share one for each index, and each lets go
//! of it after its last connection.

use crate::ChangeStamp;
use std::path::Path;

pub(super) use unix::WalIndex;

/// Half of the head: it is there twice.
const HEAD: usize = 48;
/// The version of the index's form, its first field.
const VERSION: u32 = 3_007_000;
/// The offset of the byte that is set once the head was written.
const WRITTEN: usize = 12;

/// Reads the head. `None` if it is in the middle of a change, or of a form that is not known.
fn read_stamp(head: &[u8; 2 * HEAD]) -> Option<ChangeStamp> {
    let (one, two) = head.split_at(HEAD);
    let form = u32::from_ne_bytes(one.get(..4)?.try_into().ok()?);
    let known = one == two && form == VERSION && one[WRITTEN] == 1;
    if known { Some(ChangeStamp::new(one.try_into().ok()?)) } else { None }
}

mod unix {
    use super::{ChangeStamp, HEAD, Path, read_stamp};
    use std::{
        fs::{File, metadata},
        os::unix::fs::{FileExt, MetadataExt},
        sync::{Arc, Mutex, PoisonError, Weak},
    };

    /// Device and inode.
    type Identity = (u64, u64);

    /// The indexes that stores of this process have open.
    static OPEN: Mutex<Vec<(Identity, Weak<File>)>> = Mutex::new(Vec::new());

    /// The index of a store's log.
    #[derive(Clone, Debug)]
    pub(in super::super) struct WalIndex(Arc<File>);

    impl WalIndex {
        /// Opens the index of a file that a connection has open. `None` if there is none.
        pub fn of(path: &Path) -> Option<Self> {
            let mut index = path.canonicalize().ok()?.into_os_string();
            index.push("-shm");
            let identity = |found: std::fs::Metadata| -> Identity { (found.dev(), found.ino()) };
            let known = metadata(&index).ok().map(identity)?;
            let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
            open.retain(|(_, file)| file.strong_count() > 0);
            let shared = open.iter().find(|(of, _)| *of == known).and_then(|(_, file)| file.upgrade());
            if let Some(file) = shared {
                return Some(WalIndex(file));
            }
            let file = File::open(&index).ok()?;
            if file.metadata().ok().map(identity) != Some(known) {
                // Another took its name just now. It may be open elsewhere, so it is not closed.
                std::mem::forget(file);
                return None;
            }
            let file = Arc::new(file);
            open.push((known, Arc::downgrade(&file)));
            Some(WalIndex(file))
        }

        /// Returns the stamp of the last write.
        pub fn change_stamp(&self) -> Option<ChangeStamp> {
            let mut head = [0; 2 * HEAD];
            self.0.read_exact_at(&mut head, 0).ok()?;
            read_stamp(&head)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> [u8; 2 * HEAD] {
        let mut head = [7; 2 * HEAD];
        for half in [0, HEAD] {
            head[half..half + 4].copy_from_slice(&VERSION.to_ne_bytes());
            head[half + WRITTEN] = 1;
        }
        head
    }

    #[test]
    fn a_head_has_a_stamp_only_if_it_is_whole_and_known() {
        assert!(read_stamp(&head()).is_some());
        for (at, value) in [(0, 0), (20, 8), (HEAD + 20, 8), (WRITTEN, 0)] {
            let mut broken = head();
            broken[at] = value;
            assert_eq!(read_stamp(&broken), None, "byte {at}");
        }
    }
}
