//! A bounded pool of threads for work that blocks or takes long.

use crate::TRACE;
use preface_engine::conversation::{ConversationError, Offload, Work, WorkFuture};
use std::{num::NonZero, sync::Arc, thread, time::Duration};
use tokio::{
    sync::Semaphore,
    task::{JoinError, spawn_blocking},
    time::timeout,
};
use tracing::{Instrument, info_span};

/// Places on the runtime's blocking threads.
#[derive(Clone, Debug)]
pub(crate) struct ThreadSlots(Arc<Semaphore>);

impl ThreadSlots {
    /// Lets this many tasks run at a time.
    pub(crate) fn new(at_once: usize) -> Self {
        ThreadSlots(Arc::new(Semaphore::new(at_once)))
    }

    /// As many as the machine has cores, and two for those that wait for a disk.
    pub(crate) fn of_cores() -> Self {
        ThreadSlots::new(thread::available_parallelism().map_or(1, NonZero::get) + 2)
    }

    /// Waits for a place and works there. Whoever is dropped while it waits gives its turn to the next; work that has begun
    /// keeps its place to its end, also where nobody waits for it any more.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let place = self.0.clone().acquire_owned().await;
        spawn_blocking(move || {
            let _place = place;
            work()
        })
        .await
    }
}

/// Runs work on the runtime's blocking threads, and waits for none of them for ever.
#[derive(Debug)]
pub(crate) struct Threads {
    places: ThreadSlots,
    deadline: Duration,
}

impl Threads {
    /// Runs so many at a time. One that waits or works longer than the deadline is given up; nothing of it is kept.
    pub(crate) fn new(at_once: usize, deadline: Duration) -> Self {
        Threads { places: ThreadSlots::new(at_once), deadline }
    }
}

impl Offload for Threads {
    fn run(&self, work: Work) -> WorkFuture {
        let (places, deadline) = (self.places.clone(), self.deadline);
        Box::pin(async move {
            let done = async {
                let aborted = |_| ConversationError::Overloaded("the work was aborted".to_owned());
                places.run(work).await.map_err(aborted)
            };
            let late = || {
                ConversationError::Overloaded(format!("the work timed out after {} s", deadline.as_secs()))
            };
            let done = timeout(deadline, done).instrument(info_span!(target: TRACE, "build"));
            done.await.unwrap_or_else(|_| Err(late()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        future::Future,
        pin::pin,
        sync::{
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
        task::{Context, Waker},
    };

    #[tokio::test]
    async fn no_more_work_at_once_than_there_are_places() {
        let places = ThreadSlots::new(2);
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let (places, now, most) = (places.clone(), now.clone(), most.clone());
                tokio::spawn(async move {
                    let work = move || {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                    };
                    places.run(work).await
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert!(most.load(Ordering::SeqCst) <= 2);
    }

    #[tokio::test]
    async fn a_cancelled_wait_frees_its_place_and_never_runs() {
        let places = ThreadSlots::new(1);
        let mut cx = Context::from_waker(Waker::noop());
        let (end, held) = mpsc::channel::<()>();
        let mut first = Box::pin(places.run(move || held.recv()));
        assert!(first.as_mut().poll(&mut cx).is_pending());
        {
            let mut second = pin!(places.run(|| panic!("it was given up")));
            assert!(second.as_mut().poll(&mut cx).is_pending());
        }
        // The work goes on without anybody who waits for it, and keeps its place.
        drop(first);
        let mut third = pin!(places.run(|| 3));
        assert!(third.as_mut().poll(&mut cx).is_pending());
        end.send(()).unwrap();
        assert_eq!(third.await.unwrap(), 3);
    }
}
