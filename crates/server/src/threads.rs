//! Constructs wait for disks, so they run on threads of their own, a few at a time and never for ever.

use crate::TRACE;
use preface::keep::{KeepError, Offload, Work, Worked};
use std::{sync::Arc, time::Duration};
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};
use tracing::{Instrument, info_span};

/// Runs constructs on the runtime's blocking threads.
#[derive(Debug)]
pub(crate) struct Threads {
    places: Arc<Semaphore>,
    deadline: Duration,
}

impl Threads {
    /// Runs so many at a time. One that waits or works longer than the deadline is given up; nothing of it is kept.
    pub(crate) fn new(at_once: usize, deadline: Duration) -> Self {
        Threads { places: Arc::new(Semaphore::new(at_once)), deadline }
    }
}

impl Offload for Threads {
    fn run(&self, work: Work) -> Worked {
        let (places, deadline) = (self.places.clone(), self.deadline);
        Box::pin(async move {
            let done = async {
                let place = places.acquire_owned().await;
                // The place is given back when the work ends, also where nobody waits for it any more.
                let worked = spawn_blocking(move || {
                    let _place = place;
                    work()
                });
                worked
                    .await
                    .unwrap_or_else(|_| Err(KeepError::Overloaded("the construct was stopped".to_owned())))
            };
            let late = || KeepError::Overloaded(format!("no prompt after {} s", deadline.as_secs()));
            let done = timeout(deadline, done).instrument(info_span!(target: TRACE, "build"));
            done.await.unwrap_or_else(|_| Err(late()))
        })
    }
}
