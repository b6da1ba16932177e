//! Where blocking work runs.

use super::ConversationError;
use std::{
    fmt,
    future::{Future, ready},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

/// Something that waits for disks or takes long: a construct, a look at trust, or reading recorded requests. It hands over
/// its result by itself.
pub type Work = Box<dyn FnOnce() + Send>;

/// The end of a [`Work`], or the reason why it was not done.
pub type WorkFuture = Pin<Box<dyn Future<Output = Result<(), ConversationError>> + Send>>;

/// Runs work somewhere.
pub trait Offload: fmt::Debug + Send + Sync {
    /// Runs it, and resolves when it is done.
    fn run(&self, work: Work) -> WorkFuture;
}

impl dyn Offload {
    /// Runs work and returns its result.
    pub(super) async fn result<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ConversationError> + Send + 'static,
    ) -> Result<T, ConversationError> {
        let slot = Arc::new(Mutex::new(None));
        let filled = slot.clone();
        self.run(Box::new(move || {
            let done = work();
            *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        }))
        .await?;
        let done = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        done.unwrap_or_else(|| Err(ConversationError::Overloaded("the work was not done".to_owned())))
    }
}

/// Runs the work in the calling thread.
#[derive(Clone, Copy, Debug)]
pub struct InlineOffload;

impl Offload for InlineOffload {
    fn run(&self, work: Work) -> WorkFuture {
        work();
        Box::pin(ready(Ok(())))
    }
}
