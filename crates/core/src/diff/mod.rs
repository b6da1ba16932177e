//! What changed between two prompts, and why the cached prefix ends where it does.
//!
//! Both sides are [`Document`](crate::document::Document)s: a build of now, or a receipt that somebody saved.

mod align;
mod change;
mod difference;
mod increasing;
mod unified;

pub use change::{Change, PartChange};
pub use difference::{CachedPrefix, Difference, FirstDifference, Side};
