//! Messages as lines. One that is too long or no message is refused and the next one is read; whoever does not read the
//! answers is not listened to until they do.

use super::{LONGEST_MESSAGE, Offer};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientJsonRpcMessage, ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId,
        ServerJsonRpcMessage,
    },
    transport::Transport,
};
use serde::{Deserialize, de::IgnoredAny};
use std::{io, mem, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{Mutex, Semaphore, watch},
    task::JoinSet,
};

/// How many answers may wait to be read before no more is asked for.
const UNREAD: usize = 64;

/// Both directions of one connection.
pub(super) struct Lines<R, W> {
    offer: Arc<dyn Offer>,
    read: BufReader<R>,
    /// What came of the line that is being read.
    line: Vec<u8>,
    /// The line that is being read is too long: the rest of it is passed over.
    skipping: bool,
    /// The client said which version it speaks.
    begun: bool,
    write: Arc<Mutex<W>>,
    /// Places for answers that are not written yet.
    room: Arc<Semaphore>,
    /// Nobody reads any more.
    gone: watch::Sender<bool>,
    /// Refusals on their way.
    refusals: JoinSet<()>,
}

/// What came.
enum Came {
    Line(Vec<u8>),
    TooLong,
    End,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(offer: Arc<dyn Offer>, read: R, write: W) -> Self {
        Lines {
            offer,
            read: BufReader::new(read),
            line: Vec::new(),
            skipping: false,
            begun: false,
            write: Arc::new(Mutex::new(write)),
            room: Arc::new(Semaphore::new(UNREAD)),
            gone: watch::Sender::new(false),
            refusals: JoinSet::new(),
        }
    }

    /// Reads on. Whoever stops waiting loses nothing: what was read is kept for the next call.
    async fn next(&mut self) -> Came {
        // Whoever has that many answers to read reads them first.
        drop(self.room.acquire().await);
        loop {
            let bytes = match self.read.fill_buf().await {
                Ok(bytes) => bytes,
                Err(error) => {
                    self.offer.note(&format!("cannot read on: {error}"));
                    return Came::End;
                }
            };
            let is_end = bytes.is_empty();
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let taken = part.len() + usize::from(end.is_some());
            if self.skipping || self.line.len() + part.len() > LONGEST_MESSAGE {
                self.skipping = true;
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            self.read.consume(taken);
            match (end.is_some() || is_end, mem::take(&mut self.line)) {
                (true, _) if mem::take(&mut self.skipping) => return Came::TooLong,
                (true, line) if is_end && line.is_empty() => return Came::End,
                (true, line) => return Came::Line(line),
                (false, line) => self.line = line,
            }
        }
    }

    /// Answers a line that is no message.
    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        self.offer.note(&format!("refused a line: {}", error.message));
        let sent = self.send(ServerJsonRpcMessage::error(error, id));
        while self.refusals.try_join_next().is_some() {}
        self.refusals.spawn(async move {
            // Where it cannot be written, `gone` says so.
            let _ = sent.await;
        });
    }

    /// False for what cannot be meant yet: before a client began, nothing was asked of it and nothing happened.
    fn is_due(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if self.begun {
            return true;
        }
        match message {
            JsonRpcMessage::Request(request) => {
                self.begun = begins(&request.request);
                true
            }
            _ => false,
        }
    }
}

/// True for a request after which the connection is open.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

/// What is left of a message that is none: the id of who waits for an answer.
#[derive(Deserialize)]
struct Waits {
    id: RequestId,
}

/// Says what is wrong with a line that is no message, and to whom.
fn wrong(line: &[u8]) -> (Option<RequestId>, ErrorData) {
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(line) {
        return (None, ErrorData::parse_error(format!("not JSON: {error}"), None));
    }
    let id = serde_json::from_slice(line).ok().map(|Waits { id }| id);
    (id, ErrorData::invalid_request("not a message of JSON-RPC 2.0, alone on its line", None))
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Without a place it goes out all the same; it is the reading that waits.
        let place = self.room.clone().try_acquire_owned().ok();
        let (write, gone) = (self.write.clone(), self.gone.clone());
        async move {
            let mut bytes = serde_json::to_vec(&message)?;
            bytes.push(b'\n');
            let mut write = write.lock().await;
            let mut written = write.write_all(&bytes).await;
            if written.is_ok() {
                written = write.flush().await;
            }
            if written.is_err() {
                gone.send_replace(true);
            }
            drop(place);
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let mut gone = self.gone.subscribe();
        loop {
            let came = tokio::select! {
                _ = gone.wait_for(|gone| *gone) => {
                    self.offer.note("nobody reads the answers any more");
                    return None;
                }
                came = self.next() => came,
            };
            match came {
                Came::End => {
                    // Who left without a beginning is not told of `close`: what they were refused goes out first.
                    while self.refusals.join_next().await.is_some() {}
                    return None;
                }
                Came::TooLong => {
                    let what =
                        format!("a message has at most {LONGEST_MESSAGE} bytes, and this one has more");
                    self.refuse(None, ErrorData::invalid_request(what, None));
                }
                Came::Line(line) if line.trim_ascii().is_empty() => {}
                Came::Line(line) => match serde_json::from_slice(&line) {
                    Ok(message) if self.is_due(&message) => return Some(message),
                    Ok(_) => self.offer.note("passed over a message from before the beginning"),
                    Err(_) => {
                        let (id, error) = wrong(&line);
                        self.refuse(id, error);
                    }
                },
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        while self.refusals.join_next().await.is_some() {}
        Ok(())
    }
}
