//! What the layers bring, for people: one table for every listing, and the story of one name.
//!
//! `preface list extensions`, `tools`, `providers`, `hooks`, `mcp` and `health` show the same [`preface::ScopesReport`]; what they have
//! in common is here, so that a word means the same in all of them.

mod aside;
mod listing;
mod row;
#[cfg(test)]
mod sample;
mod state;
mod story;
mod table;

pub use aside::asides;
pub use listing::{InactiveRows, ListingFlags, list, view};
pub use row::{LayerContents, ListingGroup, ListingRow};
pub use state::{EntryState, with_state};
pub use story::{ProjectVisibility, named, story, unknown};
pub use table::{restricted, rewrites, summary, table, troubles};
