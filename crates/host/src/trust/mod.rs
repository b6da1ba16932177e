//! Trust: what the user decided about projects, and where it is recorded.
//!
//! What is decided about a project is one [`RootRecord`] in one file, `trust.json`, outside of every project: texts by path and
//! digest, the project's directory as a whole, and permissions, which allow one command, endpoint or file to write.
//! [`TrustStore`] is the only reader and the only writer. It decides nothing by itself: no flag, no headless run and no
//! file of a project ever makes a record.
//!
//! ```text
//! store_file → TrustStore ─load→ Records ─root→ RootRecord ─state→ GrantState   granted | changed | new
//!                                                          └permission_state→ GrantState   granted | changed | new
//! ```
//!
//! What a grant shows is worked out by whoever asks for one.
//!
#![doc = include_str!("format.md")]

pub mod bounds;
mod command;
mod digest;
pub mod gate;
mod path;
mod permission;
mod pins;
mod record;
mod store;

pub use command::{CheckedCommand, CommandWords, GrantedCommands};
pub use digest::{Digest, DigestParseError};
pub use path::{StoreKind, store_file};
pub(crate) use path::{state_dir, state_variable};
pub use permission::{
    Permission, PermissionAction, PermissionLine, PermissionLineKind, PinnedFile, quoted, shell_quoted,
};
pub use pins::{ExportError, GrantState, PinPath, PinnedText, PinnedVersion};
pub use record::{DeclineRecord, GrantedText, Records, RootRecord, TrustChange, TrustRow};
pub use store::{TrustError, TrustReport, TrustStore, trust_evaluated, trusted_once};

#[cfg(test)]
mod tests;
