//! Inputs for comparing presets with the published programs whose prompts they rebuild.
//!
//! Everything here is made from a seed that is printed with the first difference, so that one input can be made again.
//! Nothing here knows what a prompt should look like: the other program decides that.
//! `docs/design/peers.md` explains how the comparison works.

mod builder_input;
mod edge_workspaces;
mod odd;
mod pi_options;
mod pi_workspace;
mod random;
mod random_inputs;
mod random_skills;
mod random_workspaces;
mod workspace;

pub use builder_input::{BuilderInput, BuilderSkill, ContextFile, ascii};
pub use edge_workspaces::edge_workspaces;
pub use pi_options::{PiCondition, PiOptions, PiToolTexts, Rule};
pub use pi_workspace::{PiBuilder, ProfileFault};
pub use random::Random;
pub use random_inputs::random_input;
pub use random_workspaces::random_workspace;
pub use workspace::{Workspace, WorkspaceNode};

/// The published forms of the prompt, oldest first: the value of option `variant`.
pub const VARIANTS: [&str; 3] = ["0.58", "0.73", "0.87"];
