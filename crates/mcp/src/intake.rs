//! What a server may still send, and what each of its messages is. Both ways to a server, lines and HTTP, bring what they
//! hear here, and only what is an answer or a request goes on.
//!
//! An answer goes on as plain JSON: the lists are read leniently, item by item, where the SDK would refuse a whole list for
//! one bad item. Answers to the handshake are the SDK's own.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, CustomResult, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Counts what a server sends, and sorts it.
pub(crate) struct Intake {
    limit: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    taken: usize,
    flooded: bool,
    messages: usize,
    nonsense: Option<String>,
    asked: BTreeMap<i64, Asked>,
    speaks_modern: bool,
}

/// What was asked with an id.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Discover,
    /// Nobody waits for the answer any more.
    GivenUp,
    Initialize,
    Other,
}

impl Intake {
    pub(crate) fn new(limit: usize) -> Self {
        Intake { limit, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes so many bytes. False once there were too many: nothing more is read then.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let mut state = self.state();
        state.taken = state.taken.saturating_add(bytes);
        state.flooded |= state.taken > self.limit;
        !state.flooded
    }

    /// Notes that a server announced more than may come.
    pub(crate) fn flood(&self) {
        self.state().flooded = true;
    }

    /// How many bytes may come still.
    pub(crate) fn left(&self) -> usize {
        self.limit.saturating_sub(self.state().taken)
    }

    /// The limit, where it was reached.
    pub(crate) fn flooded(&self) -> Option<usize> {
        self.state().flooded.then_some(self.limit)
    }

    /// Whether anything came that is a message.
    pub(crate) fn heard_any(&self) -> bool {
        self.state().messages > 0
    }

    /// The first thing that came and was no message that anybody sends.
    pub(crate) fn nonsense(&self) -> Option<String> {
        self.state().nonsense.clone()
    }

    /// Whether it answered in the way of 2026-07-28, only too late.
    pub(crate) fn speaks_modern(&self) -> bool {
        self.state().speaks_modern
    }

    /// Remembers what is asked, so that its answer is known when it comes.
    pub(crate) fn asks(&self, message: &ClientJsonRpcMessage) -> Option<RequestId> {
        let JsonRpcMessage::Request(request) = message else { return None };
        let asked = match request.request {
            ClientRequest::DiscoverRequest(_) => Asked::Discover,
            ClientRequest::InitializeRequest(_) => Asked::Initialize,
            _ => Asked::Other,
        };
        self.state().asked.insert(number(&request.id)?, asked);
        (asked == Asked::Discover).then(|| request.id.clone())
    }

    /// Gives up on the answer to `server/discover`, and returns the one that a server gives that does not know it.
    /// `None` where it was answered.
    pub(crate) fn give_up(&self, id: &RequestId) -> Option<ServerJsonRpcMessage> {
        let mut state = self.state();
        let asked = state.asked.get_mut(&number(id)?)?;
        *asked = Asked::GivenUp;
        drop(state);
        let why = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no answer to server/discover", None);
        Some(ServerJsonRpcMessage::error(why, Some(id.clone())))
    }

    /// Sorts one message. `None` for what nobody waits for: notifications, answers that come twice, and nonsense, of which
    /// the first is remembered.
    pub(crate) fn sort(&self, bytes: &[u8]) -> Option<ServerJsonRpcMessage> {
        let value: Value = match serde_json::from_slice(bytes) {
            Ok(value) => value,
            Err(error) => return self.wonder(bytes, &format!("what is not JSON ({error})")),
        };
        let Value::Object(mut object) = value else {
            return self.wonder(bytes, "what is not a message");
        };
        if object.contains_key("method") {
            if object.get("id").is_none_or(Value::is_null) {
                self.state().messages += 1;
                return None;
            }
            return self.whole(bytes, object);
        }
        let answered = object.get("id").and_then(whole_number);
        let asked = answered.and_then(|id| self.state().asked.remove(&id));
        match (asked, object.contains_key("result")) {
            (Some(Asked::GivenUp), answers) => {
                let mut state = self.state();
                state.messages += 1;
                state.speaks_modern |=
                    answers && object.get("result").is_some_and(|it| it.get("supportedVersions").is_some());
                None
            }
            (Some(Asked::Discover | Asked::Initialize), _) | (_, false) => self.whole(bytes, object),
            (Some(Asked::Other), true) => {
                self.state().messages += 1;
                let result = object.remove("result").unwrap_or_default();
                // `asked` is only known where `answered` is.
                let id = RequestId::Number(answered.unwrap_or_default());
                let result = ServerResult::CustomResult(CustomResult::new(result));
                Some(ServerJsonRpcMessage::response(result, id))
            }
            (None, true) => self.wonder(bytes, "an answer to a question that nobody asked"),
        }
    }

    /// Lets the SDK read a message.
    fn whole(&self, bytes: &[u8], object: serde_json::Map<String, Value>) -> Option<ServerJsonRpcMessage> {
        match serde_json::from_value(Value::Object(object)) {
            Ok(message) => {
                self.state().messages += 1;
                Some(message)
            }
            Err(error) => self.wonder(bytes, &format!("what is not a message ({error})")),
        }
    }

    fn wonder(&self, bytes: &[u8], what: &str) -> Option<ServerJsonRpcMessage> {
        let mut state = self.state();
        state.nonsense.get_or_insert_with(|| format!("{what}: `{}`", crate::words::shown(bytes, SHOWN)));
        None
    }
}

/// How much of a piece of nonsense is shown, in characters.
const SHOWN: usize = 80;

/// The ids that the SDK gives are whole numbers.
fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(text) => text.parse().ok(),
    }
}

/// An id that comes back, also from the servers that make text of it.
fn whole_number(id: &Value) -> Option<i64> {
    id.as_i64().or_else(|| id.as_str()?.parse().ok())
}
