//! The check of an extension's `config` against its schema.
#![cfg(feature = "schema")]

mod bundled;
mod hostile;
mod published;
