//! The handlers, one file a resource.

pub mod health;
