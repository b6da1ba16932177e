//! The pure line of preface.
//!
//! A [`Snapshot`](snapshot::Snapshot) goes in, a [`Prompt`](prompt::Prompt) comes out, and every byte of the prompt knows
//! where it came from. Nothing in this crate looks at a disk, a clock, an environment or a hash order: the same
//! snapshot gives the same bytes everywhere.

pub mod assemble;
pub mod assets;
pub mod attachment;
pub mod audit;
pub mod bounded_list;
pub mod budget;
pub mod catalog;
pub mod causes;
pub mod compose;
pub mod condition;
mod covering;
pub mod declaration;
pub mod definition;
pub mod diagnostic;
pub mod diff;
pub mod document;
pub mod draft;
pub mod duplicate_key;
pub mod explain;
pub mod extension;
pub mod format;
pub mod hook;
pub mod input_error;
pub mod json_type;
pub mod layer;
pub mod lint;
pub mod lock;
pub mod markdown_code;
pub mod mcp_servers;
pub mod message;
pub mod model;
pub mod origin;
pub mod outline;
pub mod pipeline;
pub mod profile;
pub mod prompt;
pub mod reminder;
pub mod render;
pub mod revise;
pub mod scope;
pub mod section;
pub mod settings;
pub mod skill;
pub mod snapshot;
pub mod suggestion;
pub mod template;
#[cfg(test)]
mod testing;
pub mod trigger;
pub mod trust;
pub mod turn;
pub mod variable;
pub mod variable_info;
pub mod variable_source;
