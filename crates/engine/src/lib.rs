//! Builds system prompts for LLM agents on a machine: the engine behind the crate `preface`, which programs embed, the
//! command line and the service.
//!
//! ```no_run
//! use preface_engine::{Engine, OsSystem, BuildOptions};
//! let system = OsSystem::new(preface_engine::ASSETS);
//! let built = Engine::new(&system).build(&BuildOptions::in_dir("."))?;
//! println!("{}", built.prompt.text);
//! for diagnostic in &built.prompt.diagnostics {
//!     eprintln!("{}: {}", diagnostic.severity, diagnostic.message);
//! }
//! # Ok::<(), preface_engine::Error>(())
//! ```
//!
//! A [`BuildOptions`] has the options of a build; [`Engine::build`] turns it into a [`BuildResult`]: the prompt, in which each byte has an
//! origin, and the snapshot that it was made from. `preface-core` holds the pure line from that snapshot to the prompt,
//! `preface-host` everything that looks at the machine. To add a preset, a section text, a context provider or a variable,
//! see CONTRIBUTING.md.
//!
//! # Features
//!
//! All features are off by default. Without them the library compiles 86 crates, itself included; `cargo tree --edges
//! normal,build` on Linux gives the figures below. The `preface` command turns on all of them but `testing`.
//!
//! | feature | what it adds | more crates |
//! | --- | --- | ---: |
//! | `catalog` | imports prompt catalogs; imported ones work without it | 60 |
//! | `exact-counts` | the counters `o200k` and `cl100k`, exact for OpenAI's models | 5 |
//! | `mcp` | queries MCP servers; recordings can be read without it | 95 |
//! | `openapi` | OpenAPI schemas of the types in the answers of the service | 3 |
//! | `schema` | checks the `config` of an extension against its JSON Schema; without it such an extension is left out | 42 |
//! | `store-postgres` | stores conversations and templates on a PostgreSQL server | 63 |
//! | `store-sqlite` | stores conversations and templates in a SQLite file | 7 |
//! | `testing` | the machine in memory, for tests of programs that embed the library | 0 |
//!
//! A store in memory comes with `store-sqlite`.

pub mod analyze;
mod build;
mod build_options;
pub mod catalogs;
pub mod conversation;
mod counters;
mod default_store;
mod engine;
mod error;
#[cfg(feature = "exact-counts")]
mod exact_counts;
mod hooks;
mod input;
mod interactive;
pub mod json_input;
pub mod lint;
mod list;
mod log;
pub mod mcp;
mod saved_snapshot;
#[cfg(feature = "schema")]
mod schema;
mod template_source;
pub mod templates;
mod trust;

pub use build::BuildResult;
pub use build_options::{BuildOptions, TemplateInput, ToolChoice, ToolOption, TrustChoice, setting};
pub use conversation::Conversation;
pub use counters::{COUNTERS, counter};
pub use default_store::default_store;
pub use engine::{DEFAULT_PRESET, Engine, WriteScope};
pub use error::{Error, UntrustedProject};
pub use input::consent::{self, Ask, TrustAnswer, TrustQuestion};
pub use input::{catalog::CatalogUse, load_profile::ProfileSource};
pub use list::Build;
pub use list::agents::{FileCount, FilesReport};
pub use list::reminders::RemindersReport;
pub use list::scopes::ScopesReport;
pub use list::servers::{RecordingInfo, ServersReport};
pub use list::settings::SettingsReport;
pub use list::skills::SkillsReport;
pub use list::variables::{VariableRow, variables};
pub use log::HandOver;
pub use preface_core as core;
pub use preface_core::assets::ASSETS;
pub use preface_core::variable::info::VariableInfo as Variable;
pub use preface_host as host;
pub use preface_host::{profile::names as preset_names, provider::context::Headless, system::os::OsSystem};
pub use preface_store as store;
pub use saved_snapshot::{SnapshotError, read_snapshot};
#[cfg(feature = "schema")]
pub use schema::JsonSchema;
pub use template_source::TemplateSource;
pub use trust::permission::{CoveredPermission, PermissionGrant};
pub use trust::{coverage, grant};
