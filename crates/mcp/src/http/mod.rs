//! The way to a server that is an address: streamable HTTP.
//!
//! Not the SDK's own client: its limits are for a body or an event each, and an endless stream of small ones passes. Here
//! every byte of a connection is counted, whatever it is for. No proxy is used, and nothing of the environment: what is
//! sent and where is in the target. A redirection is followed to the same origin only.

mod address;
mod posts;

pub(crate) use address::HttpAddress;
pub(crate) use address::TargetHeaders;
#[cfg(any(test, feature = "testing"))]
pub(crate) use posts::Events;
pub(crate) use posts::{PostError, Posts};
