//! Talks to MCP servers: starts or reaches them, asks what they offer, and lets go of them again, each within its own
//! deadline. The runtime stays inside: whoever calls waits.

mod ask;
mod conversation;
mod heard;
mod http;
mod intake;
#[cfg(any(test, feature = "testing"))]
mod overheard;
mod program;
mod reach;
mod serve;
mod text;

pub use ask::ask;
pub use heard::{McpError, ServerReply};
#[cfg(feature = "testing")]
pub use overheard::overheard;
pub use reach::{AskLimits, ServerEndpoint, ServerTarget, StopSignal};
pub use serve::{
    Arguments, CallOutput, LONGEST_MESSAGE, Offer, PromptArgument, PromptOffer, Refusal, RefusalKind,
    ResourceOffer, ServerInfo, ToolOffer, serve, serve_stdio,
};
