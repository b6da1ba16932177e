//! Settings: what each layer's `settings.json` says, and what they say together (seed 004; `docs/settings.md`).
//!
//! ```text
//! bytes ─parse→ LayerSettings ─merge→ Merged ─read→ SystemPromptFile, SectionOverride, …
//! ```
//!
//! The schema is one list, [`TOP`]; reading, merging and `--set` follow it. Every value keeps the place where it was
//! written, so that each note can point at it and [`Merged::why`] can list who said what.

mod check;
mod key_path;
mod node;
mod notes;
mod parse;
mod schema;
mod set_by;
mod source;

pub use key_path::{KeyPath, KeyPathError};
pub use node::{Node, Table, Tree};
pub use parse::{LayerSettings, parse};
pub use schema::{Entries, Field, Lists, Project, ROOT, Rest, Shape, TOP, shape_at};
pub use set_by::{SetBy, Sourced};
pub use source::SettingsSource;
