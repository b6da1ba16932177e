//! The pure line of preface.
//!
//! A [`World`](world::World) goes in, a [`Prompt`](prompt::Prompt) comes out, and every byte of the prompt knows
//! where it came from. Nothing in this crate looks at a disk, a clock, an environment or a hash order: the same
//! world gives the same bytes everywhere.

pub mod audit;
pub mod diagnostic;
pub mod fact;
pub mod origin;
pub mod scope;
pub mod settings;
pub mod suggestion;
pub mod trust;
