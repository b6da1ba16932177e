//! A sign that nothing was written.

/// A stamp of the store's state that changes with writes. Two equal stamps, taken one after the other, mean
/// that there was no write in between, on any node; two different ones mean nothing.
///
/// See [`Store::pulse`](crate::Store::pulse).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeStamp([u8; 48]);

impl ChangeStamp {
    /// Makes one of whatever a store can tell.
    #[must_use]
    pub fn new(bytes: [u8; 48]) -> Self {
        ChangeStamp(bytes)
    }

    /// Makes one of how often something was written.
    #[must_use]
    pub fn count(writes: u64) -> Self {
        let mut bytes = [0; 48];
        bytes[..8].copy_from_slice(&writes.to_ne_bytes());
        ChangeStamp(bytes)
    }
}
