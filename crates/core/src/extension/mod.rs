//! Extensions: the entries that layers add to preface, and which of them are active.
//!
//! ```text
//! manifests ─read→ Manifest ─resolve→ Scopes      settings ─┘      ordering.json ─┘
//! ```
//!
//! A layer adds an extension with a `manifest.json`. [`Manifest::read`] takes it through the stages of
//! validation, [`resolve`] selects the active one of each name, and [`Scopes`] lists all entries: those that
//! are active, hidden, disabled or failed, and why.

mod ability;
mod category;
mod config;
mod config_schema;
mod failure;
mod grants;
mod layered;
mod manifest;
mod ordering;
mod reading;
mod resolve;
mod scopes;
mod slot;
mod version;

pub use ability::{
    Ability, Action, CommandTexts, Context, ContextSource, FragmentKind, Hook, Log, Model, Program, Role,
    SecretReference, Sessions, ToolTexts,
};
pub use category::{Category, UnknownCategory};
pub use config_schema::{Fault, MOST_FAULTS, NoSchemas, SchemaChecker, SchemaFault};
pub use failure::{Failure, Named, Stage};
pub use grants::{Grants, NoGrants, ProviderChange};
pub use layered::{DisabledBy, Entry, EntryOrigin, Extension, Layered, Status};
pub(crate) use layered::{decide, switched_on};
pub use manifest::{Lies, Manifest, Refused, extension_id_fault, id_fault};
pub use ordering::{Ordered, Ordering, OrderingRewrite, order};
pub use resolve::{Found, FoundWhat, NAMED, resolve, resolve_granted};
pub use scopes::{IgnoredSetting, Scopes, Startup};
pub use slot::{Position, Slot, Stage as SlotStage, UnknownSlot};
pub use version::{CONTRACT_VERSION, CORE_VERSION, Version};
