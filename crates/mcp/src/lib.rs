//! Talks to MCP servers: starts or reaches them, asks what they offer, and lets go of them again, each within its own
//! deadline. The runtime stays inside: whoever calls waits.

mod heard;
mod reach;
mod serve;

pub use heard::{Heard, Trouble};
pub use reach::{Limits, Reach, Target};
pub use serve::{
    About, Arguments, Done, LONGEST_MESSAGE, Offer, PromptArgument, PromptOffer, Refusal, RefusalKind,
    ResourceOffer, ToolOffer, serve, serve_stdio,
};
