//! Trust: what the user said about projects, and where it is kept.
//!
//! Three kinds of records live in one file, `trust.json`, outside of every project: a decision about a project as a whole,
//! grants of single texts by path and digest, and permits, which allow
//! one command, endpoint or file to write. [`TrustStore`] is
//! the only reader and the only writer. It decides nothing by itself: no flag, no headless run and no file of a project
//! ever makes a record.
//!
//! ```text
//! store_file → TrustStore ─load→ Records ─whole→ WholeRecord      one decision for all
//!                                        ├pins─→ Pins ─state→ PinState   granted | changed | new
//!                                        └permits→ Permits ─state→ PermitState   granted | changed | new
//! ```
//!
//! Before anything is granted, a project is listed ([`Summary`]) and digested ([`whole_digest`]); what a grant shows is worked out by
//! whoever asks for one.
//!
#![doc = include_str!("format.md")]

pub mod audit;
mod change;
mod checked_command;
mod contents;
mod copies;
mod digest;
mod error;
mod export;
mod file;
mod lean;
mod not_pinned;
mod object;
mod path;
mod permit;
mod permit_change;
mod permits;
mod pins;
mod place;
mod program_files;
mod record;
mod row;
mod store;
mod summary;

pub use checked_command::{CheckedCommand, CommandWords, GrantedCommand, GrantedCommands};
pub use contents::{is_digested, whole_digest};
pub use digest::{Digest, LazyDigest, NoDigest};
pub use error::TrustError;
pub use export::{ExportError, export};
pub use permit::{Action, Permit, quoted};
pub use permits::{PermitState, Permits};
pub use pins::{Declined, PinPath, PinState, Pinned, PinnedText, Pins};
pub use place::{Dirs, StoreKind, state_dir, store_file};
pub use record::{Decision, GrantedText, Records, WholeRecord};
pub use row::{Row, RowText};
pub use store::{
    GrantReport, Outcome, PermitReport, PermitRevokeReport, RevokeReport, TrustStore, WholeReport,
};
pub use summary::{Role, Summary, SummaryEntry};

#[cfg(all(test, unix))]
mod tests;
