//! Settings: what each layer's `settings.json` says, and what they say together.
//!
//! ```text
//! bytes ─parse→ LayerSettings ─merge→ Merged ─read→ SystemPromptFile, SectionOverride, …
//! ```
//!
//! The schema is one list, [`TOP`]; reading, merging and `--set` follow it. Every value keeps the place where it was
//! written, so that each note can point at it and [`Merged::why`] can list who said what. [`edit`](edit()) changes one value in
//! the text of a file and leaves the rest as the person wrote it.

mod check;
mod edit;
mod extension;
mod json_schema;
mod key_path;
mod layout;
mod merge;
mod node;
mod notes;
mod own;
mod parse;
mod refusal;
mod schema;
mod section_override;
mod set_by;
mod set_value;
mod shared;
mod source;
mod system_prompt_file;
mod why;

pub use edit::{Change, EditError, edit};
pub use extension::ExtensionSettings;
pub use json_schema::{PublishedSchema, SCHEMAS};
pub use key_path::{KeyPath, KeyPathError};
pub use merge::{Merged, merge};
pub use node::{Node, Table, Tree};
pub(crate) use notes::shown;
pub use own::{Budget, OnOver, Own, SystemPrompt, TemplateLimits};
pub(crate) use parse::{Dialect, holds_login, is_reference, parse_document};
pub use parse::{LayerSettings, parse, parse_shared};
pub use schema::{Entries, Field, Lists, Project, ROOT, Rest, Shape, TOP, project_may, shape_at};
pub use section_override::{Language, SectionContent, SectionOverride};
pub use set_by::{SetBy, Sourced};
pub use set_value::{SetError, SetValue, is_settings_root, setting_at};
pub use shared::left_alone;
pub use source::SettingsSource;
pub use system_prompt_file::SystemPromptFile;
pub use why::{Outcome, Said};
