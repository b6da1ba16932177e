//! Scenarios: a file that declares extensions and what a model answers, and is played through a [`Session`]. It shows
//! what each request of a conversation would hold, without a model, a network or a program of the file's.
//!
//! The format is that of the scenarios with which the `pi` packages are compared, and a little more
//! (`docs/reference/hooks.md`, "Scenarios"). A scenario is the caller's own file; nothing in it is executed.
//!
//! ```no_run
//! use preface_engine::{ASSETS, Engine, OsSystem, Request, scenario::Scenario};
//! let scenario = Scenario::read("hi.json", br#"{"steps": [{"prompt": "hi"}]}"#)?;
//! let system = OsSystem::new(ASSETS);
//! let record = scenario.play(Engine::new(&system), Request { preset: Some("pi".to_owned()), ..Request::new(".") })?;
//! assert_eq!(record.calls.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Session`]: crate::Session

mod extension;
mod play;
mod read;
mod record;
mod types;

pub use read::{MOST_BYTES, MOST_ENTRIES, ScenarioError};
pub use record::{HookError, HookLogEntry, HookObservation, PromptRow, ScenarioRecord};
pub use types::Scenario;
