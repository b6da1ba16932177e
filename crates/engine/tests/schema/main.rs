//! The check of an extension's `config` against its schema.
#![cfg(feature = "schema")]

mod hostile;
mod published;
