//! Hooks: who is told what at which moment of a run, what they may answer, and what an answer does.
//!
//! Nothing here starts a program or owns a conversation. The host runs commands, the engine's session calls
//! everybody in order; what an answer changes is decided here, as functions on values. `docs/hooks.md` is the page for
//! people.

mod agent_start;
mod ask;
mod chain;
mod event;
mod failure;
mod handler;
mod read;
mod reply;
mod source;

pub use agent_start::{AgentStart, rebased};
pub use ask::{DiscoverReason, HookAsk, HookContextFile, HookInputs, HookSkill, HookTool};
pub use chain::{SkillPath, hear_context, hear_input, hear_resources};
pub use event::{HookEvent, OnFailure, UnknownEvent};
pub use failure::HookFailure;
pub use handler::{HookFn, HookHandler, tell};
pub use reply::HookReply;
pub use source::HookSource;
