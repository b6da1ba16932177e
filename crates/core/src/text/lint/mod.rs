//! Lints of texts for the model. They report; none of them changes a byte.
//!
//! Every lint is a file with a `scan` that returns findings in the order of the text; [`finding::diagnostics`] turns
//! them into diagnostics with a place. What a text becomes on a screen, in a record or in a prompt part that its writer does
//! not control is decided beside the lint that finds it: [`character`], [`secret::redact`],
//! [`forged::neutralise`].

pub mod character;
pub mod decoded;
pub mod finding;
pub mod forged;
pub mod hidden;
pub mod prompt_text;
pub mod secret;
pub mod template;
