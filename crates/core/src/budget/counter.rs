//! Counters of tokens. Ceilings cut with [`Bytes4`] unless the user selects another counter, so that a change of
//! model does not change bytes.

use std::fmt::Debug;

/// A counter of the tokens of a text.
///
/// A counter is a pure function of the text. A longer prefix of a text counts as fewer tokens by a few at most, and never
/// in an estimate: the search for the place to cut relies on it.
///
/// ```
/// use preface_core::budget::Counter;
///
/// #[derive(Debug)]
/// struct Words;
///
/// impl Counter for Words {
///     fn name(&self) -> &str {
///         "test:words"
///     }
///     fn about(&self) -> &str {
///         "words between white space"
///     }
///     fn exact(&self) -> bool {
///         true
///     }
///     fn count(&self, text: &str) -> usize {
///         text.split_whitespace().count()
///     }
/// }
///
/// assert_eq!(Words.count("one two three"), 3);
/// assert_eq!(Words.count_joined("one t", "wo three"), 3);
/// ```
pub trait Counter: Debug + Send + Sync {
    /// Returns the name that options and reports use, such as `estimate:bytes4`.
    fn name(&self) -> &str;

    /// Describes in one line for people how it counts.
    fn about(&self) -> &str;

    /// Returns true if the count is the model's own and false if it is an estimate.
    fn exact(&self) -> bool;

    /// Counts the tokens of `text`.
    fn count(&self, text: &str) -> usize;

    /// Counts the tokens of `head` followed directly by `tail`, as one text.
    fn count_joined(&self, head: &str, tail: &str) -> usize {
        self.count(&[head, tail].concat())
    }

    /// Returns the fewest and the most tokens that `text` may well have, where that was measured.
    fn interval(&self, _text: &str) -> Option<(usize, usize)> {
        None
    }

    /// Returns the counter for cuts, in place of a counter whose parts may add up to less than the whole.
    fn cutter(&self) -> Option<&dyn Counter> {
        None
    }
}

/// A counter with one token for every four bytes begun.
///
/// ```
/// use preface_core::budget::{Bytes4, Counter};
/// assert_eq!(Bytes4.name(), "estimate:bytes4");
/// assert_eq!(["", "a", "four", "fiver"].map(|text| Bytes4.count(text)), [0, 1, 1, 2]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes4;

impl Bytes4 {
    /// The name of this counter.
    pub const NAME: &str = "estimate:bytes4";
}

impl Counter for Bytes4 {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn about(&self) -> &str {
        "four bytes a token, rounded up"
    }

    fn exact(&self) -> bool {
        false
    }

    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }

    fn count_joined(&self, head: &str, tail: &str) -> usize {
        (head.len() + tail.len()).div_ceil(4)
    }
}
