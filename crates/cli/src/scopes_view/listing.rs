//! What the listings have in common: their flags, the question to the engine, and the diagnostics.

use crate::{
    diagnostics,
    failure::CommandFailure,
    flags::{OutputFormat, TrustFlags, TurnFlags},
    ui::Ui,
};
use preface_engine::{Request, core::diagnostic::Diagnostic};

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
    pub fn request(&self) -> Result<Request, CommandFailure> {
        let mut request = self.turn.request();
        self.trust.apply(&mut request)?;
        request.default_on_error = true;
        Ok(request)
    }

    /// Prints diagnostics: warnings and errors, all with `-v`, only errors with `-q`.
    pub fn print_diagnostics(&self, ui: &Ui, diagnostics: &[Diagnostic]) {
        diagnostics::listing(ui, diagnostics);
    }
}
