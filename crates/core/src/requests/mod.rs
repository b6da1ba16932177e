//! Requests for the services of models.

pub mod format;
pub mod message;
pub mod model;
