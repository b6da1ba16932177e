//! A token for every four whole bytes, rounded down.

use super::{Bytes4, Counter};

/// A counter with one token for every four whole bytes.
///
/// ```
/// use preface_core::budget::{Bytes4Floor, Counter};
/// assert_eq!(["", "abc", "four", "fiver"].map(|text| Bytes4Floor.count(text)), [0, 0, 1, 1]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes4Floor;

impl Bytes4Floor {
    /// The name of this counter.
    pub const NAME: &str = "estimate:bytes4-floor";
}

impl Counter for Bytes4Floor {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn about(&self) -> &str {
        "four bytes a token, rounded down"
    }

    fn exact(&self) -> bool {
        false
    }

    fn count(&self, text: &str) -> usize {
        text.len() / 4
    }

    fn count_joined(&self, head: &str, tail: &str) -> usize {
        (head.len() + tail.len()) / 4
    }

    /// Parts that are rounded down one by one add up to less than the whole.
    fn cutter(&self) -> Option<&dyn Counter> {
        Some(&Bytes4)
    }
}
