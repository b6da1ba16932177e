//! Stored templates: the effective text, restoring a version, differences, labels, export and import.
//!
//! The functions take any [`Store`](crate::store::Store), so the command line and the service share them. They do not know the
//! default template: the caller gives the text that is used if nothing is stored.

mod chosen;
mod diff;
mod error;
mod export;
mod import;
mod label;
mod read;
mod restore;

pub use chosen::{chosen, unknown};
pub use diff::{Diff, DiffKind, DiffLine, Hunk, diff, diff_texts};
pub use error::TemplatesError;
pub use export::{Document, FORMAT, StoredTemplate, StoredVersion, current, export};
pub use import::{Imported, ImportedTemplate, import};
pub use label::{check_label, set_label};
pub use read::{EffectiveTemplate, at_version, effective};
pub use restore::{check_declarations, check_note, put, reset, restore};
