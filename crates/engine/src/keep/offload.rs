//! Where the waiting for disks is done.

use super::{KeepError, construct::Constructed};
use preface_core::diagnostic::Diagnostics;
use std::{fmt, future::Future, future::ready, pin::Pin};

/// The result of a [`Work`]. Opaque: it is handed back as it is.
#[derive(Debug)]
pub struct Done(pub(super) Outcome);

#[derive(Debug)]
pub(super) enum Outcome {
    /// A prompt was built.
    Constructed(Box<Constructed>),
    /// A stored prompt may be returned, with these diagnostics.
    Checked(Diagnostics),
}

/// Something that waits for disks: a construct, or a look at trust. It is run, and its result handed back.
pub type Work = Box<dyn FnOnce() -> Result<Done, KeepError> + Send>;

/// The result of a [`Work`], later.
pub type Worked = Pin<Box<dyn Future<Output = Result<Done, KeepError>> + Send>>;

/// Runs work somewhere.
pub trait Offload: fmt::Debug + Send + Sync {
    /// Runs it, and answers once it is done.
    fn run(&self, work: Work) -> Worked;
}

/// Runs work where it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Here;

impl Offload for Here {
    fn run(&self, work: Work) -> Worked {
        Box::pin(ready(work()))
    }
}
