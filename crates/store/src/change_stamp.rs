//! Stamps that show that nothing was written.

/// A stamp of the store's state that changes with writes. Two equal stamps, taken one after the other, mean
/// that there was no write in between, on any node; two different ones mean nothing.
///
/// See [`Store::change_stamp`](crate::Store::change_stamp).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeStamp([u8; 48]);

impl ChangeStamp {
    /// Creates a stamp from bytes of a store.
    #[must_use]
    pub fn new(bytes: [u8; 48]) -> Self {
        ChangeStamp(bytes)
    }

    /// Creates a stamp from the number of writes.
    #[must_use]
    pub fn count(writes: u64) -> Self {
        let mut bytes = [0; 48];
        bytes[..8].copy_from_slice(&writes.to_ne_bytes());
        ChangeStamp(bytes)
    }
}
