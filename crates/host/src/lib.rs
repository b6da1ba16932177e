//! The machine, through one door.
//!
//! [`system::System`] is the only thing in preface that touches disks, clocks, environment and processes. Around it
//! are the places of a turn, discovery of the layers, the trust store with its gate, and the context and variable
//! providers. `engine` puts them together.

pub mod audit_file;
pub mod provider;
pub mod system;
pub mod trust;

mod project;
pub use project::{discover, places, scaffold, settings_file, work_tree};

mod sources;
pub use sources::{
    agents, catalogs, commands, extensions, hook_command, markdown, mcp_recordings, models, profile,
    reminders, skills, styles,
};
pub(crate) use sources::{directory_walk, ignore_patterns};
