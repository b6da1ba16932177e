//! Talks to MCP servers: starts or reaches them, asks what they offer, and lets go of them again, each within its own
//! deadline. The runtime stays inside: whoever calls waits.

mod ask;
mod conversation;
mod http;
mod intake;
mod program;
mod reach;
#[cfg(any(test, feature = "testing"))]
mod replay;
mod serve;
mod server_reply;
mod text;

pub use ask::ask;
pub use reach::{AskLimits, ServerEndpoint, ServerTarget, StopSignal};
#[cfg(feature = "testing")]
pub use replay::replay;
pub use serve::{
    Arguments, CallOutput, LONGEST_MESSAGE, Offer, PromptArgument, PromptOffer, Refusal, RefusalKind,
    ResourceOffer, ServerInfo, ToolOffer, serve, serve_stdio,
};
pub use server_reply::{McpError, ServerReply};
