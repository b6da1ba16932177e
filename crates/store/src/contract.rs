//! The suite that each backend must pass.

#[cfg(all(unix, feature = "postgres"))]
pub mod server;
