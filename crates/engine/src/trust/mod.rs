//! Who trusts which project: the gate of a request, and grants and revocations.

pub mod consent;
pub mod coverage;
pub mod grant;
pub(crate) mod permission;
