//! What people write for preface, read and resolved.

pub mod catalog;
pub mod extension;
pub mod hook;
pub mod mcp_servers;
pub mod profile;
pub mod reminder;
pub mod settings;
pub mod skill;
