//! A sign that nothing was written.

/// What a store looked like at some instant, as far as writes go. Two that are equal, taken one after the other, say that
/// nobody wrote in between, on any node; two that differ say nothing.
///
/// See [`Store::pulse`](crate::Store::pulse).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pulse([u8; 48]);

impl Pulse {
    /// Makes one of whatever a store can tell.
    #[must_use]
    pub fn new(bytes: [u8; 48]) -> Self {
        Pulse(bytes)
    }

    /// Makes one of how often something was written.
    #[must_use]
    pub fn count(writes: u64) -> Self {
        let mut bytes = [0; 48];
        bytes[..8].copy_from_slice(&writes.to_ne_bytes());
        Pulse(bytes)
    }
}
