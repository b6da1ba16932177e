//! Hooks: the events at which they run, their input, their replies, and the effect of a reply.
//!
//! Nothing here starts a program or owns a conversation. The host runs commands, and the engine's session
//! calls hooks in order; the functions on values here decide what a reply changes. See `docs/reference/hooks.md` for
//! users.

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
pub use event::{HookEvent, HookFailureAction, UnknownEvent};
pub use failure::HookFailure;
pub use handler::{HookFn, HookHandler, tell};
pub use reply::HookReply;
pub use source::HookSource;
