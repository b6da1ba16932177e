//! The machine, through one door.
//!
//! [`system::System`] is the only thing in preface that touches disks, clocks, environment and processes. Around it
//! are the places of a turn, discovery of the layers, the trust store with its gate, and the context and variable
//! providers. `engine` puts them together.

pub mod agents;
pub mod audit_file;
pub mod bounds;
pub mod catalogs;
pub mod commands;
mod directory_walk;
pub mod discover;
pub mod extensions;
pub mod gate;
pub mod hook_command;
mod ignore_patterns;
pub mod markdown;
pub mod mcp_recordings;
pub mod models;
pub mod places;
pub mod profile;
pub mod provider;
pub mod provider_context;
pub mod reminders;
pub mod scaffold;
pub mod settings_file;
pub mod skills;
pub mod styles;
pub mod system;
pub mod trust;
pub mod work_tree;
