//! What the layers bring, for people: one table for every listing, and the story of one name.
//!
//! `preface list extensions`, `tools`, `providers`, `hooks`, `servers` and `preface doctor` show the same [`preface_engine::ScopesReport`]; what they have
//! in common is here, so that a word means the same in all of them.

mod details;
mod entry;
mod row;
mod table;
#[cfg(test)]
mod testing;

pub use details::details;
pub use entry::{ProjectVisibility, entry_report, named, unknown, unread_servers, untrusted_servers};
pub use row::{ListingGroup, ListingRow, row, rows};
pub use table::{InactiveRows, head, rewrites, scope_problems, table, totals};
