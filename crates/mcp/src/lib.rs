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
pub use heard::{Heard, Trouble};
#[cfg(feature = "testing")]
pub use overheard::overheard;
pub use reach::{Limits, Reach, Stop, Target};
pub use serve::{
    About, Arguments, Done, LONGEST_MESSAGE, Offer, PromptArgument, PromptOffer, Refusal, RefusalKind,
    ResourceOffer, ToolOffer, serve, serve_stdio,
};
