//! The thread that writes. It takes waiting writes, up to a bound, writes them in one transaction, and answers once that is
//! on disk: one wait for the disk serves many. Each write of a batch is a savepoint of its own, so one that fails leaves its
//! neighbours alone. A batch is refused where the file is not in its place any more: what a file without a name holds is gone
//! when the process ends.

use super::file::{StoreFile, retry_while_busy};
use crate::StoreError;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

/// The most writes of one transaction.
const BATCH: usize = 256;

/// The number of writes in the queue before callers must wait.
const QUEUE: usize = 1024;

/// A write on a connection.
type WriteAction = dyn FnMut(&Connection) -> rusqlite::Result<()> + Send;

/// A write on its way.
struct WriteJob {
    /// Runs the write; again if it was rolled back.
    act: Box<WriteAction>,
    /// Sends the outcome to the caller, who may have left; the write stays.
    answer: oneshot::Sender<Result<(), StoreError>>,
}

enum WriterMessage {
    Write(WriteJob),
    Close(oneshot::Sender<Result<(), StoreError>>),
}

/// The sender to the thread, which ends with a `Close` or with the last sender.
#[derive(Debug)]
pub(crate) struct SqliteWriter(mpsc::Sender<WriterMessage>);

/// The receiver of the thread.
pub(super) struct Queue(mpsc::Receiver<WriterMessage>);

impl SqliteWriter {
    /// Creates both ends of the channel.
    pub(super) fn new() -> (SqliteWriter, Queue) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (SqliteWriter(sender), Queue(receiver))
    }

    /// Writes on the thread; returns once it is on disk.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        mut act: impl FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let (made, take) = std::sync::mpsc::channel();
        let act = Box::new(move |connection: &Connection| {
            // Nobody waits where the caller left.
            let _ = made.send(act(connection)?);
            Ok(())
        });
        let write = WriterMessage::Write(WriteJob { act, answer });
        self.0.send(write).await.map_err(|_| StoreError::Closed)?;
        answered.await.unwrap_or(Err(StoreError::Closed))?;
        // The last one is of the attempt that is on disk.
        take.try_iter().last().ok_or(StoreError::Closed)
    }

    /// Returns the number of waiting writes.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.0.max_capacity() - self.0.capacity()
    }

    /// Finishes the accepted writes and ends the thread.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.0.send(WriterMessage::Close(answer)).await.map_err(|_| StoreError::Closed)?;
        answered.await.unwrap_or(Err(StoreError::Closed))
    }
}

impl Queue {
    /// Writes until the queue is closed.
    pub(super) fn run(mut self, connection: Connection, file: &StoreFile) {
        let mut closer = None;
        let mut batch = Vec::with_capacity(BATCH);
        while let Some(message) = self.0.blocking_recv() {
            let mut message = Some(message);
            while let Some(taken) = message {
                match taken {
                    WriterMessage::Write(write) => batch.push(write),
                    WriterMessage::Close(answer) => {
                        // What was accepted is still taken, nothing is accepted any more.
                        self.0.close();
                        closer = Some(answer);
                    }
                }
                message = if batch.len() < BATCH { self.0.try_recv().ok() } else { None };
            }
            write_batch(&connection, std::mem::take(&mut batch), file);
        }
        if let Some(closer) = closer {
            let _ = closer.send(close_connection(connection).map_err(|error| file.convert_error(&error)));
        }
    }
}

/// Writes the log into the file and closes it. Where another process reads, that one writes it later.
fn close_connection(connection: Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(std::time::Duration::from_millis(100))?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).or_else(|error| {
        match error.sqlite_error_code() {
            // What was acknowledged is in the log, and the log is on disk.
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DiskFull) => Ok(()),
            _ => Err(error),
        }
    })?;
    connection.close().map_err(|(_, error)| error)
}

/// The outcome of a batch.
enum Batch {
    /// The batch is on disk, except for the writes that failed by themselves.
    Kept(Vec<Result<(), StoreError>>),
    /// Nothing of the batch is on disk.
    Lost(StoreError),
    /// One write failed the whole batch; nothing of it is on disk.
    Broken(StoreError),
}

/// Writes a batch and answers each of its writes.
fn write_batch(connection: &Connection, mut batch: Vec<WriteJob>, file: &StoreFile) {
    if batch.is_empty() {
        return;
    }
    match run_batch(connection, &mut batch, file) {
        Batch::Kept(outcomes) => {
            for (write, outcome) in batch.into_iter().zip(outcomes) {
                let _ = write.answer.send(outcome);
            }
        }
        Batch::Broken(_) if batch.len() > 1 => {
            for write in batch {
                write_batch(connection, vec![write], file);
            }
        }
        Batch::Lost(error) | Batch::Broken(error) => {
            for write in batch {
                let _ = write.answer.send(Err(error.clone()));
            }
        }
    }
}

fn run_batch(connection: &Connection, batch: &mut [WriteJob], file: &StoreFile) -> Batch {
    let execute = |sql: &str| connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
    let undo = |error: &rusqlite::Error| {
        if !connection.is_autocommit() {
            // An error here leaves nothing to undo.
            let _ = execute("ROLLBACK");
        }
        file.convert_error(error)
    };
    if let Err(gone) = file.check_in_place() {
        return Batch::Lost(gone);
    }
    if let Err(error) = retry_while_busy(|| execute("BEGIN IMMEDIATE")) {
        return Batch::Lost(undo(&error));
    }
    let mut outcomes = Vec::with_capacity(batch.len());
    for write in batch {
        let outcome = execute("SAVEPOINT one").and_then(|_| (write.act)(connection));
        let tidied = match &outcome {
            // Some errors, a full disk among them, end the transaction and not only the write.
            Err(error) if connection.is_autocommit() => return Batch::Broken(file.convert_error(error)),
            Err(_) => execute("ROLLBACK TO one").and_then(|_| execute("RELEASE one")),
            Ok(()) => execute("RELEASE one"),
        };
        if let Err(error) = tidied {
            return Batch::Broken(undo(&error));
        }
        outcomes.push(outcome.map_err(|error| file.convert_error(&error)));
    }
    match execute("COMMIT") {
        // The file may have been removed meanwhile: such a write is not acknowledged.
        Ok(_) => file.check_in_place().map_or_else(Batch::Lost, |()| Batch::Kept(outcomes)),
        Err(error) => Batch::Lost(undo(&error)),
    }
}
