//! Scenarios: a file that declares extensions and what a model answers, and is played through a [`Conversation`]. It shows
//! what each request of a conversation would hold, without a model, a network or a program of the file's.
//!
//! The format is that of the scenarios with which the `pi` packages are compared, and a little more
//! (`tests/scenarios/README.md`). Nothing of a scenario is executed.
//!
//! [`Conversation`]: preface_engine::Conversation

mod extension;
mod play;
mod read;
mod record;
mod types;

pub use read::{MOST_BYTES, MOST_ENTRIES, ScenarioError};
pub use record::{HookError, HookLogEntry, HookObservation, PromptRow, ScenarioRecord};
pub use types::Scenario;
