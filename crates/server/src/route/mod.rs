//! The handlers, one file a resource.

pub mod analyze;
pub mod conversations;
pub mod editor;
pub mod files;
pub mod requests;
pub mod scopes;
pub mod service;
pub mod system_prompt;
pub mod templates;
pub mod transfer;
pub mod variables;
