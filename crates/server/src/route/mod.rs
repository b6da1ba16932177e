//! The handlers, one file a resource.

pub mod health;
pub mod metrics;
pub mod openapi;
