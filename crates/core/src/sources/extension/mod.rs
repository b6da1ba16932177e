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
mod entry;
mod failure;
mod grants;
mod manifest;
mod ordering;
mod resolve;
mod scopes;
mod slot;
mod version;

pub use ability::{
    Ability, CommandTexts, Context, ContextSource, FragmentKind, Hook, HookRole, Log, ModelProvider,
    PrivilegedAction, ProgramSpec, SecretReference, Sessions, ToolTexts,
};
pub use category::{Category, UnknownCategory};
pub use config_schema::{MOST_FAULTS, NoSchemas, SchemaChecker, SchemaFault, SchemaViolation};
pub use entry::{
    DisabledBy, Entry, EntryKind, EntryOrigin, EntryState, Extension, ExtensionEntry, Status, select_active,
};
pub(crate) use entry::{EntrySwitch, EntrySwitches};
pub(crate) use failure::failure_of;
pub use grants::{Grants, NoGrants, ProviderChange};
pub use manifest::{InvalidManifest, Manifest, ManifestLocation, extension_id_fault, id_fault};
pub use ordering::{Ordering, OrderingRewrite, SlotHook, order};
pub use resolve::{DiscoveredContent, DiscoveredManifest, NAMED, resolve};
pub use scopes::{IgnoredSetting, Scopes, Startup};
pub use slot::{Slot, UnknownSlot};
pub use version::{CONTRACT_VERSION, CORE_VERSION, SemanticVersion};
