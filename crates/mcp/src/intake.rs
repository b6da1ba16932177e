//! The limits of what a server may send, and the messages of a server that is a program, of which only answers and
//! requests go on.

use rmcp::{
    RoleClient,
    model::{
        ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
        ServerJsonRpcMessage, ServerResult,
    },
    transport::Transport,
};
use std::{
    collections::{BTreeMap, VecDeque},
    future::{Future, pending},
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::Notify,
    time::{Instant, sleep_until},
};

/// The counter and sorter of a server's messages.
pub(crate) struct Intake {
    limit: usize,
    state: Mutex<IntakeState>,
    /// Wakes who waits for the flood.
    flood: Notify,
}

#[derive(Default)]
struct IntakeState {
    taken: usize,
    flooded: bool,
    messages: usize,
    nonsense: Option<String>,
    pending: BTreeMap<i64, PendingRequest>,
    answered_discover_late: bool,
}

/// The kind of the request with an id.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PendingRequest {
    Discover,
    /// The answer is no longer expected.
    GivenUp,
    Other,
}

impl Intake {
    pub(crate) fn new(limit: usize) -> Self {
        Intake { limit, state: Mutex::default(), flood: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, IntakeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts received bytes. Returns false once there were too many: nothing more is read then.
    pub(crate) fn count_bytes(&self, bytes: usize) -> bool {
        let mut state = self.state();
        state.taken = state.taken.saturating_add(bytes);
        let flooded = state.flooded || state.taken > self.limit;
        drop(state);
        if flooded {
            self.mark_flooded();
        }
        !flooded
    }

    /// Records that a server announced more bytes than the limit.
    pub(crate) fn mark_flooded(&self) {
        self.state().flooded = true;
        self.flood.notify_one();
    }

    /// Waits until the limit is exceeded.
    pub(crate) async fn until_flooded(&self) {
        self.flood.notified().await;
    }

    /// Returns the number of bytes up to the limit.
    pub(crate) fn remaining(&self) -> usize {
        self.limit.saturating_sub(self.state().taken)
    }

    /// Returns the limit if it was exceeded.
    pub(crate) fn flooded(&self) -> Option<usize> {
        self.state().flooded.then_some(self.limit)
    }

    /// Returns true once a message arrived.
    pub(crate) fn received_any(&self) -> bool {
        self.state().messages > 0
    }

    /// Returns the first input that was not a message.
    pub(crate) fn nonsense(&self) -> Option<String> {
        self.state().nonsense.clone()
    }

    /// Returns true if the server answered `server/discover`, only too late.
    pub(crate) fn answered_discover_late(&self) -> bool {
        self.state().answered_discover_late
    }

    /// Registers a request, so that its answer is recognized.
    pub(crate) fn register_request(&self, message: &ClientJsonRpcMessage) -> Option<RequestId> {
        let JsonRpcMessage::Request(request) = message else { return None };
        let pending = match request.request {
            ClientRequest::DiscoverRequest(_) => PendingRequest::Discover,
            _ => PendingRequest::Other,
        };
        let mut state = self.state();
        if matches!(request.request, ClientRequest::InitializeRequest(_)) {
            let discovering =
                state.pending.values_mut().filter(|pending| **pending == PendingRequest::Discover);
            discovering.for_each(|pending| *pending = PendingRequest::GivenUp);
        }
        state.pending.insert(numeric_id(&request.id)?, pending);
        (pending == PendingRequest::Discover).then(|| request.id.clone())
    }

    /// Gives up on the answer to `server/discover`, and returns the answer of a server that does not know the method.
    /// `None` if it was answered.
    pub(crate) fn give_up(&self, id: &RequestId) -> Option<ServerJsonRpcMessage> {
        let mut state = self.state();
        let pending = state
            .pending
            .get_mut(&numeric_id(id)?)
            .filter(|pending| **pending == PendingRequest::Discover)?;
        *pending = PendingRequest::GivenUp;
        Some(Self::unknown_method(id))
    }

    /// Returns the answer of a server that does not know `server/discover`.
    pub(crate) fn unknown_method(id: &RequestId) -> ServerJsonRpcMessage {
        let why = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no answer to server/discover", None);
        ServerJsonRpcMessage::error(why, Some(id.clone()))
    }

    /// Sorts one message. `None` if it is not expected: notifications, answers that come twice, and nonsense, of which
    /// the first is remembered.
    pub(crate) fn sort(&self, bytes: &[u8]) -> Option<ServerJsonRpcMessage> {
        let mut message: ServerJsonRpcMessage = match serde_json::from_slice(bytes) {
            Ok(message) => message,
            Err(error) if error.is_data() => {
                return self.record_nonsense(bytes, &format!("what is not a message ({error})"));
            }
            Err(error) => return self.record_nonsense(bytes, &format!("what is not JSON ({error})")),
        };
        let mut state = self.state();
        if let JsonRpcMessage::Response(response) = &mut message {
            let number = numeric_id(&response.id).filter(|id| state.pending.contains_key(id));
            let Some(number) = number else {
                drop(state);
                return self.record_nonsense(bytes, "a reply without a request");
            };
            // Some servers turn the number of an id into text.
            response.id = RequestId::Number(number);
            if state.pending.remove(&number) == Some(PendingRequest::GivenUp) {
                state.messages += 1;
                state.answered_discover_late |= matches!(response.result, ServerResult::DiscoverResult(_));
                return None;
            }
        }
        state.messages += 1;
        let awaited = match &mut message {
            JsonRpcMessage::Error(error) => {
                let number = error.id.as_ref().and_then(numeric_id);
                let pending = number.and_then(|number| state.pending.remove(&number));
                error.id = number.map(RequestId::Number);
                pending != Some(PendingRequest::GivenUp)
            }
            JsonRpcMessage::Notification(_) => false,
            _ => true,
        };
        drop(state);
        awaited.then_some(message)
    }

    fn record_nonsense(&self, bytes: &[u8], what: &str) -> Option<ServerJsonRpcMessage> {
        let mut state = self.state();
        state.nonsense.get_or_insert_with(|| format!("{what}: `{}`", crate::text::shown(bytes, SHOWN)));
        None
    }
}

/// The most characters of invalid input that are shown.
const SHOWN: usize = 80;

/// Returns the number of an id; those of the SDK are whole numbers.
fn numeric_id(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(text) => text.parse().ok(),
    }
}

// The transport to a server that is a program: a message a line, in both directions.
//
// Not the SDK's own, which gives no shorter time to `server/discover` than ten seconds, passes over what is no message
// without a word, and bounds a line but not their number.

/// Messages as lines over a pair of pipes.
pub(crate) struct PipeTransport<R, W> {
    reads: R,
    writes: Arc<tokio::sync::Mutex<Option<W>>>,
    intake: Arc<Intake>,
    /// The bytes that were read and not yet parsed.
    rest: Vec<u8>,
    /// The number of them that are known to contain no line end.
    seen: usize,
    ready: VecDeque<ServerJsonRpcMessage>,
    patience: Duration,
    /// The request `server/discover`, and the time until which its answer is awaited.
    discovering: Option<(RequestId, Instant)>,
    ended: bool,
}

/// The number of bytes that are read at a time.
const CHUNK: usize = 64 << 10;

impl<R, W> PipeTransport<R, W> {
    /// Waits for that time for an answer to `server/discover`: a server of an earlier version may not reply at all.
    pub(crate) fn new(reads: R, writes: W, intake: Arc<Intake>, patience: Duration) -> Self {
        PipeTransport {
            reads,
            writes: Arc::new(tokio::sync::Mutex::new(Some(writes))),
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

impl<R, W> Transport<RoleClient> for PipeTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let Some(id) = self.intake.register_request(&message) {
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
                    self.ended = read == 0 || !self.intake.count_bytes(read);
                    if !self.ended {
                        self.split();
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
