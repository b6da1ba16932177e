//! Settings: the `settings.json` of each layer, and their merged values.
//!
//! ```text
//! bytes ─parse→ LayerSettings ─merge→ MergedSettings ─read→ Settings
//! ```
//!
//! [`Settings`] describes each setting once; reading, merging and `--set` follow its schema. Every value keeps its location,
//! so that each diagnostic can refer to it and [`MergedSettings::why`] can list the value of each layer.
//! [`edit`](edit()) changes one value in the text of a file and leaves the rest as it is.

mod edit;
mod key_path;
mod keys;
mod merge;
mod node;
mod parse;
mod schema;
mod typed;

pub use edit::{SettingChange, edit};
pub use key_path::{KeyPath, SetValue, is_settings_root, setting_at};
pub use keys::{
    ActiveSettings, AddedList, BudgetSettings, ContextProviderSettings, EntrySetting, EntrySettings,
    FilePath, LintSettings, SectionOverride, SecurityModeSettings, Settings, SystemPromptFilePaths,
    SystemPromptFileSettings, SystemPromptSettings, TemplateSettings, TrustSettings,
};
pub use merge::{LayerValue, MergedSettings, SetBy, ValueOutcome, merge};
pub use node::{SettingsNode, SettingsSource, SettingsTable, SettingsTree};
pub(crate) use parse::scanner;
pub use parse::{LayerSettings, names_secret, offset_in_string, parse, parse_foreign};
pub(crate) use parse::{holds_login, is_reference, parse_document, shown};
pub use schema::{ValueShape, json_schema, project_may};
pub(crate) use typed::TypeFault;
