//! Where blocking work runs.

use super::{ConversationError, construct::ConstructedPrompt};
use preface_core::diagnostic::Diagnostics;
use std::{fmt, future::Future, future::ready, pin::Pin};

/// The result of a [`Work`]. Opaque: it is handed back as it is.
#[derive(Debug)]
pub struct WorkResult(pub(super) WorkOutcome);

#[derive(Debug)]
pub(super) enum WorkOutcome {
    /// A prompt was built.
    Constructed(Box<ConstructedPrompt>),
    /// The content of a turn was built.
    Turn(Box<super::TurnContent>),
    /// A stored prompt may be returned, with these diagnostics.
    Checked(Diagnostics),
    /// Recorded requests were read.
    Ledger(Box<super::requests::RequestLedger>),
}

/// Something that waits for disks or takes long: a construct, a look at trust, or reading recorded requests. It is run, and its
/// result handed back.
pub type Work = Box<dyn FnOnce() -> Result<WorkResult, ConversationError> + Send>;

/// The result of a [`Work`], later.
pub type WorkFuture = Pin<Box<dyn Future<Output = Result<WorkResult, ConversationError>> + Send>>;

/// Runs work somewhere.
pub trait Offload: fmt::Debug + Send + Sync {
    /// Runs it, and resolves when it is done.
    fn run(&self, work: Work) -> WorkFuture;
}

/// Runs the work in the calling thread.
#[derive(Clone, Copy, Debug)]
pub struct InlineOffload;

impl Offload for InlineOffload {
    fn run(&self, work: Work) -> WorkFuture {
        Box::pin(ready(work()))
    }
}
