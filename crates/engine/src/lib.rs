//! `preface` builds system prompts for LLM agents and explains every byte of them.
//!
//! ```no_run
//! use preface::{Engine, OsSystem, Request};
//! let system = OsSystem::new(preface::ASSETS);
//! let built = Engine::new(&system).build(&Request::new("."))?;
//! println!("{}", built.prompt.text);
//! for note in &built.prompt.diagnostics {
//!     eprintln!("{}: {}", note.severity, note.message);
//! }
//! # Ok::<(), preface::Error>(())
//! ```
//!
//! A [`Request`] says what is asked; [`Engine::build`] turns it into a [`Built`]: the prompt, in which each byte has an
//! origin, and the world that it was made from. `preface-core` holds the pure line from that world to the prompt,
//! `preface-host` everything that looks at the machine. To add a preset, a section text, a context provider or a fact,
//! see CONTRIBUTING.md.

mod agents;
pub mod analyze;
pub mod catalogs;
pub mod consent;
mod counters;
pub mod coverage;
mod default_store;
mod engine;
mod error;
mod extensions;
mod gather;
mod gatherings;
mod given;
pub mod grant;
mod hooks;
mod imported;
pub mod keep;
pub mod lint;
mod log;
pub mod mcp;
mod named;
pub mod object;
mod options;
mod permit;
mod prepare;
mod project_changes;
mod reminders;
mod request;
pub mod scenario;
mod scopes;
pub mod session;
mod settings;
mod skills;
mod template_source;
pub mod templates;
mod variables;
pub mod whole;

pub use agents::{AgentsReport, FileCount};
pub use consent::{Ask, TrustAnswer, TrustQuestion};
pub use counters::COUNTERS;
pub use default_store::default_store;
pub use engine::{Built, DEFAULT_PRESET, Engine, FactRow, Writes};
pub use error::{Error, Held};
pub use imported::CatalogUse;
pub use permit::PermitGrant;
pub use preface_core as core;
pub use preface_core::assets::ASSETS;
pub use preface_host as host;
pub use preface_host::{look::Headless, profile::names as preset_names, system::os::OsSystem};
#[cfg(feature = "mcp")]
pub use preface_mcp as mcp_protocol;
#[cfg(feature = "json-schema")]
pub use preface_schema::JsonSchema;
pub use preface_store as store;
pub use reminders::RemindersReport;
pub use request::{Request, StoredTemplate, ToolChoice, TrustChoice};
pub use scopes::ScopesReport;
pub use session::Session;
pub use settings::{Settings, SettingsLayer, SettingsState};
pub use skills::{Expanded, SkillsReport};
pub use template_source::TemplateSource;
pub use variables::{Variable, variables};
