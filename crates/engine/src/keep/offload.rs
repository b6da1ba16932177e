//! Where the waiting for disks is done.

use super::{KeepError, construct::Constructed};
use std::{fmt, future::Future, future::ready, pin::Pin};

/// A construct that waits to be done. Opaque: it is run, and its result handed back.
pub type Work = Box<dyn FnOnce() -> Result<Constructed, KeepError> + Send>;

/// The result of a [`Work`], later.
pub type Worked = Pin<Box<dyn Future<Output = Result<Constructed, KeepError>> + Send>>;

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
