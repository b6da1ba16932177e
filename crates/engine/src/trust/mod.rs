//! Trust in projects: the gate of a request, grants, and revocations.

pub mod coverage;
pub mod grant;
pub(crate) mod permission;
