//! What people write for preface, on the disk.

pub mod agents;
pub mod catalogs;
pub mod commands;
pub(crate) mod directory_walk;
pub mod extensions;
pub mod hook_command;
pub(crate) mod ignore_patterns;
pub mod markdown;
pub mod mcp_recordings;
pub mod models;
pub mod profile;
pub mod reminders;
pub mod skills;
pub mod styles;
