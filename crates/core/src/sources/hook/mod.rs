//! Hooks: the events at which they run, their input, their replies, and the effect of a reply.
//!
//! Nothing here starts a program or owns a conversation. The host runs commands, and the engine's `Conversation`
//! calls hooks in order; the functions on values here decide what a reply changes. See `docs/reference/hooks.md` for
//! users.

mod agent_start;
mod call;
mod chain;
mod event;
mod failure;
mod handler;
mod read;
mod reply;
mod source;

pub use agent_start::{AgentStart, rebased};
pub use call::{DiscoverReason, HookCall, HookContextFile, HookInputs, HookSkill, HookTool};
pub use chain::{SkillPath, apply_context_reply, apply_input_reply, apply_resources_reply};
pub use event::HookEvent;
pub use failure::HookFailure;
pub use handler::{HookFn, HookHandler, call_handler};
pub use reply::HookReply;
pub use source::HookSource;
