//! What the listings have in common: their flags, and the question to the engine.

use crate::{CommandResult, OutputFormat, TrustFlags, TurnFlags};
use preface_engine::Request;

/// The flags of every list.
#[derive(clap::Args, Clone, Debug)]
pub struct ListingFlags {
    /// Set the output format; JSON includes what is not active
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    pub format: OutputFormat,

    #[command(flatten)]
    pub turn: TurnFlags,

    #[command(flatten)]
    pub trust: TrustFlags,
}

/// The treatment of inactive entries in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InactiveRows {
    /// Each has a row, with a reason.
    Shown,
    LeftOut,
}

impl ListingFlags {
    /// Returns the question.
    pub fn request(&self) -> CommandResult<Request> {
        Ok(Request { default_on_error: true, ..self.trust.apply(self.turn.request())? })
    }
}
