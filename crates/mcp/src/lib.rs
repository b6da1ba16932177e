//! Talks to MCP servers: starts or reaches them, asks what they offer, and lets go of them again, each within its own
//! deadline. The runtime stays inside: whoever calls waits.

mod ask;
mod by_address;
mod by_program;
mod conversation;
#[cfg_attr(unix, path = "group_unix.rs")]
#[cfg_attr(not(unix), path = "group_portable.rs")]
mod group;
mod heard;
mod hidden;
mod http;
mod intake;
mod judgement;
mod lines;
mod nobody;
mod overheard;
mod program;
mod reach;
mod reading;
mod secrets;
mod serve;
mod stop;
mod story;
mod time;
mod words;

pub use ask::ask;
pub use heard::{Heard, Trouble};
#[doc(hidden)]
pub use overheard::overheard;
pub use reach::{Limits, Reach, Target};
pub use serve::{
    About, Arguments, Done, LONGEST_MESSAGE, Offer, PromptArgument, PromptOffer, Refusal, RefusalKind,
    ResourceOffer, ToolOffer, serve, serve_stdio,
};
pub use stop::Stop;
