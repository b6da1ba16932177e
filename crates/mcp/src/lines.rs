//! The way to a server that is a program: a message a line, in both directions.
//!
//! Not the SDK's own, which gives no shorter time to `server/discover` than ten seconds, passes over what is no message
//! without a word, and bounds a line but not their number.

use crate::intake::Intake;
use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::Transport,
};
use std::{
    collections::VecDeque,
    future::{Future, pending},
    io,
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::Mutex,
    time::{Instant, sleep_until},
};

/// Messages as lines over a pair of pipes.
pub(crate) struct Lines<R, W> {
    reads: R,
    writes: Arc<Mutex<Option<W>>>,
    intake: Arc<Intake>,
    /// What was read and not yet taken apart.
    rest: Vec<u8>,
    /// How much of it is known to hold no end of a line.
    seen: usize,
    ready: VecDeque<ServerJsonRpcMessage>,
    patience: Duration,
    /// The question whether it speaks 2026-07-28, and until when we wait for the answer.
    discovering: Option<(RequestId, Instant)>,
    ended: bool,
}

/// How much is read at a time.
const CHUNK: usize = 64 << 10;

impl<R, W> Lines<R, W> {
    /// Waits so long for an answer to `server/discover`: a server of an earlier version may say nothing at all.
    pub(crate) fn new(reads: R, writes: W, intake: Arc<Intake>, patience: Duration) -> Self {
        Lines {
            reads,
            writes: Arc::new(Mutex::new(Some(writes))),
            intake,
            rest: Vec::new(),
            seen: 0,
            ready: VecDeque::new(),
            patience,
            discovering: None,
            ended: false,
        }
    }

    /// Takes the whole lines apart that were read.
    fn split(&mut self) {
        let mut from = 0;
        while let Some(at) = self.rest[self.seen..].iter().position(|byte| *byte == b'\n') {
            let end = self.seen + at;
            let line = self.rest[from..end].trim_ascii();
            let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
            if !line.is_empty() {
                self.ready.extend(self.intake.sort(line));
            }
            from = end + 1;
            self.seen = from;
        }
        self.rest.drain(..from);
        self.seen = self.rest.len();
    }
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let Some(id) = self.intake.asks(&message) {
            self.discovering = Some((id, Instant::now() + self.patience));
        }
        let writes = self.writes.clone();
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut writes = writes.lock().await;
            let Some(writes) = writes.as_mut() else { return Err(io::ErrorKind::NotConnected.into()) };
            writes.write_all(&line).await?;
            writes.flush().await
        }
    }

    /// Nothing is lost where this is dropped half way: what was read stays here.
    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.ended {
                return None;
            }
            self.rest.reserve(CHUNK);
            let until = self.discovering.as_ref().map(|(_, until)| *until);
            let tired = async {
                match until {
                    Some(until) => sleep_until(until).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                read = self.reads.read_buf(&mut self.rest) => {
                    let read = read.unwrap_or(0);
                    self.ended = read == 0 || !self.intake.take(read) ;
                    if !self.ended {
                        self.split();
                        self.ended = self.intake.speaks_modern();
                    }
                }
                () = tired => {
                    let given_up = self.discovering.take().and_then(|(id, _)| self.intake.give_up(&id));
                    self.ready.extend(given_up);
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.ended = true;
        self.writes.lock().await.take();
        Ok(())
    }
}
