//! The exchange over HTTP: each of our messages is a POST, each answer its body or an event of it.

use super::address::{HttpAddress, SESSION, TargetHeaders, name_message};
use crate::{intake::Intake, text};
use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    client::conn::http1,
    http::{HeaderMap, HeaderValue, header},
};
use hyper_util::rt::TokioIo;
use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, JsonRpcMessage, ProtocolVersion, ServerJsonRpcMessage, ServerResult},
    transport::Transport,
};
use serde_json::Value;
use std::{
    future::Future,
    io::{self, ErrorKind},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::{sleep, timeout},
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

/// The reason why a message or its answer did not arrive.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PostError {
    /// The connection failed.
    #[error(transparent)]
    Connection(io::Error),
    /// The server requires authentication.
    #[error("the server requires authentication (HTTP {})", .0.as_u16())]
    Unauthorized(StatusCode),
    /// The server refused the request.
    #[error("HTTP {0}")]
    Status(StatusCode),
    /// The server violated the protocol.
    #[error("{0}")]
    Violation(String),
    /// The redirection is not followed.
    #[error("{0}")]
    Redirect(String),
}

impl From<io::Error> for PostError {
    fn from(error: io::Error) -> Self {
        PostError::Connection(error)
    }
}

impl From<serde_json::Error> for PostError {
    fn from(error: serde_json::Error) -> Self {
        PostError::Connection(error.into())
    }
}

/// Messages as POST requests.
pub(crate) struct Posts {
    shared: Arc<SharedConnection>,
    receiver: UnboundedReceiver<ServerJsonRpcMessage>,
    /// Kept so that `receiver` ends when this closes, and not before.
    replies: Option<UnboundedSender<ServerJsonRpcMessage>>,
}

/// The state that all requests of an exchange share.
struct SharedConnection {
    address: Mutex<HttpAddress>,
    headers: TargetHeaders,
    intake: Arc<Intake>,
    patience: Duration,
    session: Mutex<HttpSession>,
}

#[derive(Clone, Default)]
struct HttpSession {
    id: Option<String>,
    version: Option<String>,
}

/// The most redirections that are followed.
const REDIRECTIONS: usize = 3;

/// The most times that a broken stream is resumed, and the longest wait before that.
const RESUMES: usize = 3;
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// The longest duration of ending a session.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(400);

impl Posts {
    pub(crate) fn new(
        address: HttpAddress,
        headers: TargetHeaders,
        intake: Arc<Intake>,
        patience: Duration,
    ) -> Self {
        let (replies, receiver) = unbounded_channel();
        let shared = SharedConnection {
            address: Mutex::new(address),
            headers,
            intake,
            patience,
            session: Mutex::default(),
        };
        Posts { shared: Arc::new(shared), receiver, replies: Some(replies) }
    }
}

impl Transport<RoleClient> for Posts {
    type Error = PostError;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), PostError>> + Send + 'static {
        let (shared, replies) = (self.shared.clone(), self.replies.clone());
        async move {
            let replies = replies.ok_or_else(|| io::Error::from(ErrorKind::NotConnected))?;
            let Some(id) = shared.intake.register_request(&message) else {
                return shared.post(&message, &replies).await;
            };
            // A server that does not know the request may reply with any status, or not at all; other faults show in the
            // older handshake.
            match timeout(shared.patience, shared.post(&message, &replies)).await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) if !matches!(error, PostError::Status(_)) => Err(error),
                _ => {
                    if let Some(no) = shared.intake.give_up(&id) {
                        let _ = replies.send(no);
                    }
                    Ok(())
                }
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.receiver.recv().await
    }

    async fn close(&mut self) -> Result<(), PostError> {
        self.replies = None;
        let session = self.shared.session().clone();
        if session.id.is_some() {
            // The server may keep the session.
            let _ = timeout(CLOSE_TIMEOUT, self.shared.request(Method::DELETE, None, None)).await;
        }
        Ok(())
    }
}

/// The kind of a server's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessageKind {
    Answer,
    Request,
}

impl SharedConnection {
    fn session(&self) -> MutexGuard<'_, HttpSession> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn address(&self) -> MutexGuard<'_, HttpAddress> {
        self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message and forwards the answer.
    async fn post(
        &self,
        message: &ClientJsonRpcMessage,
        replies: &UnboundedSender<ServerJsonRpcMessage>,
    ) -> Result<(), PostError> {
        let value = serde_json::to_value(message)?;
        let awaits = matches!(message, JsonRpcMessage::Request(_));
        let answer = self.request(Method::POST, Some(&value), None).await?;
        let status = answer.status();
        if let Some(length) =
            content_length(answer.headers()).filter(|length| *length > self.intake.remaining())
        {
            self.intake.mark_flooded();
            return Err(PostError::Violation(format!("it announces {length} bytes")));
        }
        if status.is_success() && !awaits {
            // Nothing is expected; some servers reply nevertheless.
            return Ok(());
        }
        let session = answer.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let kind = media_type(answer.headers());
        if !status.is_success() {
            return self.handle_error_status(status, &kind, answer, awaits.then_some(&value), replies).await;
        }
        match &*kind {
            "application/json" => {
                let body = answer.into_body().collect().await.map_err(io::Error::other)?.to_bytes();
                match self.forward_message(&body, session.as_deref(), replies) {
                    Some(MessageKind::Answer) => Ok(()),
                    _ => Err(self.violation(status, "a body that is no answer")),
                }
            }
            "text/event-stream" => self.forward_events(answer, session.as_deref(), replies).await,
            "" => Err(self.violation(status, "no answer")),
            other => Err(self.violation(status, &format!("`{}`", text::shown(other.as_bytes(), 60)))),
        }
    }

    /// Handles a status that is no success. A protocol error in the body is taken as the answer.
    async fn handle_error_status(
        &self,
        status: StatusCode,
        kind: &str,
        answer: Response<Incoming>,
        request_value: Option<&Value>,
        replies: &UnboundedSender<ServerJsonRpcMessage>,
    ) -> Result<(), PostError> {
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(PostError::Unauthorized(status));
        }
        if let Some(request_value) = request_value.filter(|_| kind == "application/json") {
            let body = answer.into_body().collect().await.map_err(io::Error::other)?.to_bytes();
            if let Ok(Value::Object(mut error)) = serde_json::from_slice(&body)
                && error.get("error").is_some_and(Value::is_object)
            {
                // Who refuses in front of a server does not know the id.
                error.insert("id".to_owned(), request_value["id"].clone());
                if self.forward_message(&serde_json::to_vec(&error)?, None, replies).is_some() {
                    return Ok(());
                }
            }
        }
        Err(PostError::Status(status))
    }

    /// Forwards one message. `None` if it is not expected.
    fn forward_message(
        &self,
        body: &[u8],
        session: Option<&str>,
        replies: &UnboundedSender<ServerJsonRpcMessage>,
    ) -> Option<MessageKind> {
        let message = self.intake.sort(body)?;
        let answers = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        if let JsonRpcMessage::Response(response) = &message {
            let version = match &response.result {
                ServerResult::InitializeResult(result) => Some(&result.protocol_version),
                _ => None,
            };
            if let Some(version) = version {
                *self.session() = HttpSession {
                    id: session.map(str::to_owned),
                    version: Some(version.as_str().to_owned()),
                };
            }
        }
        // It fails where the receiver is gone.
        replies.send(message).ok()?;
        Some(if answers { MessageKind::Answer } else { MessageKind::Request })
    }

    /// Forwards a stream of events up to the answer. One that ends before is resumed if possible.
    async fn forward_events(
        &self,
        answer: Response<Incoming>,
        session: Option<&str>,
        replies: &UnboundedSender<ServerJsonRpcMessage>,
    ) -> Result<(), PostError> {
        let mut events = Events::default();
        let mut body = answer.into_body();
        for _ in 0..=RESUMES {
            while let Some(Ok(frame)) = body.frame().await {
                let Some(data) = frame.data_ref() else { continue };
                for event in events.feed(data) {
                    if self.forward_message(&event, session, replies) == Some(MessageKind::Answer) {
                        return Ok(());
                    }
                }
            }
            let Some(last) = events.last_id.clone().filter(|_| self.intake.flooded().is_none()) else {
                break;
            };
            let wait = Duration::from_millis(events.retry.unwrap_or(500)).min(LONGEST_WAIT);
            sleep(wait).await;
            let answer = self.request(Method::GET, None, Some(&last)).await?;
            if !answer.status().is_success() || media_type(answer.headers()) != "text/event-stream" {
                break;
            }
            body = answer.into_body();
        }
        Err(io::Error::new(ErrorKind::UnexpectedEof, "its stream of events ended before the answer").into())
    }

    async fn request(
        &self,
        method: Method,
        message: Option<&Value>,
        last_event: Option<&str>,
    ) -> Result<Response<Incoming>, PostError> {
        let body = message.map(serde_json::to_vec).transpose()?.map(Bytes::from).unwrap_or_default();
        for _ in 0..=REDIRECTIONS {
            let address = self.address().clone();
            let request = self.build(&address, &method, message, last_event, body.clone())?;
            let answer = send(&address, request, &self.intake).await?;
            if !answer.status().is_redirection() {
                return Ok(answer);
            }
            let kept =
                matches!(answer.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
            let location = answer.headers().get(header::LOCATION).and_then(|it| it.to_str().ok());
            let to = location.filter(|_| kept).and_then(|location| address.redirected(location));
            let Some(to) = to else {
                return Err(PostError::Redirect(format!(
                    "it redirects elsewhere (HTTP {}), and that is not followed",
                    answer.status().as_u16()
                )));
            };
            *self.address() = to;
        }
        Err(PostError::Redirect("it redirects in a circle".to_owned()))
    }

    fn build(
        &self,
        address: &HttpAddress,
        method: &Method,
        message: Option<&Value>,
        last_event: Option<&str>,
        body: Bytes,
    ) -> Result<Request<Full<Bytes>>, PostError> {
        let session = self.session().clone();
        // A message of 2026-07-28 has its own version, and no session.
        let own = message.and_then(|message| {
            message.get("params")?.get("_meta")?.get("io.modelcontextprotocol/protocolVersion")?.as_str()
        });
        let version = own.or(session.version.as_deref());
        let mut headers = self.headers.of_request(&address.authority, session.id.as_deref(), version);
        let accepted =
            if message.is_some() { "application/json, text/event-stream" } else { "text/event-stream" };
        headers.insert(header::ACCEPT, HeaderValue::from_static(accepted));
        if let Some(message) = message {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            if version.is_some_and(|version| version >= ProtocolVersion::STANDARD_HEADERS.as_str()) {
                name_message(&mut headers, message);
            }
        }
        if let Some(id) = last_event.and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert("last-event-id", id);
        }
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method.clone();
        *request.uri_mut() = address.path.parse().map_err(io::Error::other)?;
        *request.headers_mut() = headers;
        Ok(request)
    }

    fn violation(&self, status: StatusCode, what: &str) -> PostError {
        let what = format!("it answers with {what} (HTTP {})", status.as_u16());
        PostError::Violation(self.intake.nonsense().map_or(what, |it| format!("it sends {it}")))
    }
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The media type, in small letters and without what follows it. Empty if there is none.
fn media_type(headers: &HeaderMap) -> String {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

// A connection to a server: TCP, TLS where the address wants it, and every byte that comes counted.
//
// Each request has a connection of its own. There are a dozen of them in a conversation, and nothing is to be found out
// about one that has died meanwhile.

/// Sends a request and returns the answer, whose body is still to come.
pub(super) async fn send(
    address: &HttpAddress,
    request: Request<Full<Bytes>>,
    intake: &Arc<Intake>,
) -> io::Result<Response<Incoming>> {
    let tcp = TcpStream::connect((address.host.as_str(), address.port)).await?;
    // Nothing is waited for: a request is one piece.
    let _ = tcp.set_nodelay(true);
    let tcp = CountedStream { inner: tcp, intake: intake.clone() };
    if address.secure {
        let name = ServerName::try_from(address.host.clone()).map_err(io::Error::other)?;
        let tls = TlsConnector::from(tls_config()?).connect(name, tcp).await.map_err(no_tls)?;
        send_over(tls, request).await
    } else {
        send_over(tcp, request).await
    }
}

/// Adds to an error that TLS failed; the address may be one of plain HTTP.
fn no_tls(error: io::Error) -> io::Error {
    let help = match error.to_string().contains("InvalidContentType") {
        true => "; is it an `http` address?",
        false => "",
    };
    io::Error::new(error.kind(), format!("TLS failed: {error}{help}"))
}

async fn send_over<C>(connection: C, request: Request<Full<Bytes>>) -> io::Result<Response<Incoming>>
where
    C: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(connection)).await.map_err(io::Error::other)?;
    // It ends with the answer, or when that is dropped.
    tokio::spawn(connection);
    sender.send_request(request).await.map_err(io::Error::other)
}

/// Returns the TLS configuration with this machine's certificates. They are read once: it is a file of some
/// hundred.
fn tls_config() -> io::Result<Arc<ClientConfig>> {
    static TRUST: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    let trust = TRUST.get_or_init(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err("this machine trusts no certificate; `SSL_CERT_FILE` names a file of them".to_owned());
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
    });
    trust.clone().map_err(io::Error::other)
}

/// A connection that ends where a server has sent too much.
struct CountedStream {
    inner: TcpStream,
    intake: Arc<Intake>,
}

impl AsyncRead for CountedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let read = buffer.filled().len() - before;
        if !self.intake.count_bytes(read) {
            return Poll::Ready(Err(io::Error::other("it sends too much")));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

// Takes a stream of server-sent events apart.

/// The state of a stream that is being read.
#[derive(Default)]
pub(crate) struct Events {
    rest: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The id of the last event, from which a broken stream is resumed.
    pub(super) last_id: Option<String>,
    /// The wait before that, in milliseconds.
    pub(super) retry: Option<u64>,
}

/// The longest id that is sent back.
const ID: usize = 1 << 10;

impl Events {
    /// Takes more of the stream, and returns the data of the events that are whole now.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        // Where the rest has no end of a line, only what is new may have one.
        let mut look = self.rest.len();
        self.rest.extend_from_slice(bytes);
        let mut rest = std::mem::take(&mut self.rest);
        let (mut from, mut whole) = (0, Vec::new());
        while let Some(at) = rest[look..].iter().position(|byte| *byte == b'\n') {
            let end = look + at;
            let line = &rest[from..end];
            whole.extend(self.line(line.strip_suffix(b"\r").unwrap_or(line)));
            from = end + 1;
            look = from;
        }
        rest.drain(..from);
        self.rest = rest;
        whole
    }

    fn line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return std::mem::take(&mut self.has_data)
                .then_some(data)
                .filter(|data| !data.trim_ascii().is_empty());
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = colon.map_or((line, &[][..]), |at| (&line[..at], &line[at + 1..]));
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"id" if value.len() <= ID => self.last_id = String::from_utf8(value.to_vec()).ok(),
            b"retry" => self.retry = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Events;

    #[test]
    fn events_come_whole_however_they_are_cut() {
        let stream = b": hello\r\nid: 7\r\nretry: 20\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nid: 8\ndata:\n\nevent: x\ndata:two\n\ndata: no end";
        for size in 1..stream.len() {
            let mut events = Events::default();
            let whole: Vec<_> = stream.chunks(size).flat_map(|chunk| events.feed(chunk)).collect();
            assert_eq!(whole, [b"{\"a\":\n1}".to_vec(), b"two".to_vec()], "{size}");
            assert_eq!((events.last_id.as_deref(), events.retry), (Some("8"), Some(20)));
        }
    }

    #[test]
    fn a_long_line_in_small_pieces_is_one_event() {
        let mut events = Events::default();
        assert!(events.feed(b"data:").is_empty());
        for _ in 0..200_000 {
            assert!(events.feed(b"0123456789").is_empty());
        }
        assert_eq!(events.feed(b"\n\n"), [b"0123456789".repeat(200_000)]);
    }
}
