//! The handlers, one file a resource.

pub mod conversations;
pub mod health;
pub mod metrics;
pub mod openapi;
