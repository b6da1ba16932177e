//! What looks wrong in a text before it reaches a model. A finding never changes the prompt.

pub mod finding;
pub mod forged;
pub mod template;
