//! What is read from a finished prompt, and what a hook changes in one.

pub(crate) mod covering;
pub mod diff;
pub mod document;
pub mod explain;
pub mod lock;
pub mod revise;
