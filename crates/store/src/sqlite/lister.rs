//! The thread for slow reads: lists, history, checks. A future that waits for it blocks no thread of its runtime.

use super::readers::Readers;
use crate::StoreError;
use std::{sync::Arc, thread};
use tokio::sync::{mpsc, oneshot};

/// The number of reads in the queue before callers must wait.
const QUEUE: usize = 256;

type ReadJob = Box<dyn FnOnce(&Readers) + Send>;

/// The sender to the thread, which ends with the last sender.
#[derive(Debug)]
pub(super) struct Lister(mpsc::Sender<ReadJob>);

impl Lister {
    /// Starts the thread.
    pub(super) fn start(readers: Arc<Readers>) -> std::io::Result<Self> {
        let (sender, mut receiver) = mpsc::channel::<ReadJob>(QUEUE);
        thread::Builder::new().name("store-lister".to_owned()).spawn(move || {
            while let Some(read) = receiver.blocking_recv() {
                read(&readers);
            }
        })?;
        Ok(Lister(sender))
    }

    /// Reads on the thread.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Readers) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let read: ReadJob = Box::new(move |readers| {
            // The caller may have left.
            let _ = answer.send(act(readers));
        });
        self.0.send(read).await.map_err(|_| StoreError::Closed)?;
        answered.await.unwrap_or(Err(StoreError::Closed))
    }
}
