//! The pure line of preface.
//!
//! A [`Snapshot`](snapshot::Snapshot) goes in, a [`Prompt`](prompt::Prompt) comes out, and every byte of the prompt knows
//! where it came from. Nothing in this crate looks at a disk, a clock, an environment or a hash order: the same
//! snapshot gives the same bytes everywhere.

pub mod assets;
pub mod attachment;
pub mod audit;
pub mod budget;
pub mod condition;
pub mod declaration;
pub mod definition;
pub mod diagnostic;
pub mod layer;
pub mod origin;
pub mod pipeline;
pub mod prompt;
pub mod scope;
pub mod section;
pub mod snapshot;
pub mod template;
#[cfg(test)]
mod testing;
pub mod trigger;
pub mod trust;
pub mod turn;
pub mod variable;

mod inspect;
pub(crate) use inspect::covering;
pub use inspect::{diff, document, explain, lock, revise};

mod requests;
pub use requests::{format, message, model};

mod sources;
pub use sources::{catalog, extension, hook, mcp_servers, profile, reminder, settings, skill};

mod text;
pub use text::{
    bounded_list, causes, duplicate_key, input_error, json_type, lint, markdown_code, suggestion,
};
