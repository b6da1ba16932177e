//! Templates as they are kept: which text speaks, going back to an older one, what differs between two, labels, moving all
//! of them to another store.
//!
//! The functions take any [`Store`](crate::store::Store), so the command line and the service share them. They do not know the
//! default template: whoever calls says what speaks where nothing is stored.

mod diff;
mod error;
mod export;
mod import;
mod label;
mod read;
mod restore;

pub use diff::{Diff, DiffKind, DiffLine, Hunk, diff, diff_texts};
pub use error::TemplatesError;
pub use export::{Document, FORMAT, StoredTemplate, StoredVersion, export};
pub use import::{Imported, ImportedTemplate, import};
pub use label::{check_label, set_label};
pub use read::{EffectiveTemplate, at_version, speaking};
pub use restore::{check_note, put, reset, restore};
