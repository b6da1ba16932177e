//! The changes between two prompts, and the reason for the end of the cached prefix.
//!
//! Both sides are [`Document`](crate::document::Document)s: a build of now, or a saved one.

mod change;
mod difference;
mod hunk;
mod unified;

pub use change::{Change, PartChange};
pub use difference::{CachedPrefix, Difference, FirstDifference, Side};
pub use hunk::{DiffKind, DiffLine, Hunk, hunks, unified, with_head};
