//! The machine, through one door.
//!
//! [`system::System`] is the only thing in preface that touches disks, clocks, environment and processes. Around it
//! stand discovery of the layers, the trust store and the context providers.

pub mod provider;
pub mod system;
pub mod trust;
