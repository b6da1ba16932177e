//! Trust: what the user decided about projects, and where it is recorded.
//!
//! Three kinds of records are in one file, `trust.json`, outside of every project: a decision about a project as a whole,
//! grants of single texts by path and digest, and permissions, which allow one command, endpoint or file to write.
//! [`TrustStore`] is the only reader and the only writer. It decides nothing by itself: no flag, no headless run and no
//! file of a project ever makes a record.
//!
//! ```text
//! store_file → TrustStore ─load→ Records ─whole→ WholeRecord      one decision for all
//!                                        ├pins─→ Pins ─state→ PinState   granted | changed | new
//!                                        └permissions→ Permissions ─state→ PermissionState   granted | changed | new
//! ```
//!
//! Before anything is granted, a project is listed ([`Summary`]) and digested ([`whole_digest`]); what a grant shows is worked out by
//! whoever asks for one.
//!
#![doc = include_str!("format.md")]

mod change;
mod command;
mod contents;
mod file;
mod path;
mod permission;
mod pins;
mod record;
mod store;

pub use command::{CheckedCommand, CommandWords, GrantedCommands};
pub use contents::{Digest, DigestParseError, FileRole, Summary, SummaryEntry, is_digested, whole_digest};
pub use path::{Dirs, StoreKind, store_file};
pub(crate) use path::{state_dir, state_variable};
pub use permission::{
    Permission, PermissionAction, PermissionLine, PermissionLineKind, PinnedFile, quoted, shell_quoted,
};
pub use pins::{DeclineRecord, ExportError, PinPath, PinState, PinnedText, PinnedVersion, Pins};
pub use record::{
    Decision, GrantedText, PermissionState, Permissions, Records, TrustRow, TrustRowText, WholeRecord,
};
pub use store::{
    ChangeOutcome, PermissionReport, PermissionRevokeReport, RevokeReport, TextGrantReport, TrustError,
    TrustStore, WholeReport, trust_evaluated, trusted_once,
};

#[cfg(test)]
mod tests;
