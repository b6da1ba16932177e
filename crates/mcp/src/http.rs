//! The way to a server that is an address: the SDK's streamable HTTP with a client that bounds it.
//!
//! The SDK keeps sessions, resumes streams and sets the headers of the protocol. Its own client bounds a body and an event
//! each, and an endless stream of small events passes; this one counts the bytes of all bodies. No proxy is used, and
//! nothing of the environment: what is sent and where is in the target. A redirection is followed to the same origin only.

use crate::{intake::Intake, text};
use futures_util::{
    StreamExt, TryStreamExt,
    stream::{BoxStream, Stream},
};
use http_body_util::{BodyDataStream, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    client::conn::http1,
    http::{
        HeaderMap, HeaderName, HeaderValue, Uri,
        header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, LOCATION, USER_AGENT},
    },
};
use hyper_util::rt::TokioIo;
use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::{
        StreamableHttpClientTransport, Transport,
        streamable_http_client::{
            SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
            StreamableHttpPostResponse,
        },
    },
};
use sse_stream::{Sse, SseStream};
use std::{
    collections::HashMap,
    io,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

/// The most redirections that are followed.
const REDIRECTIONS: usize = 3;

/// The reason why a message or its answer did not arrive.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PostError {
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

/// An error as the transport wraps it.
pub(crate) type HttpError = StreamableHttpError<PostError>;

/// The headers that a request and the SDK set.
type Headers = HashMap<HeaderName, HeaderValue>;

fn violation(what: impl Into<String>) -> HttpError {
    StreamableHttpError::Client(PostError::Violation(what.into()))
}

/// Returns the transport to a server. The error names what is wrong with its address or headers, without their values.
pub(crate) fn connect(
    url: &str,
    headers: &[(String, String)],
    intake: Arc<Intake>,
    patience: Duration,
) -> Result<impl Transport<RoleClient> + 'static, String> {
    let address = HttpAddress::parse(url)?;
    let config = StreamableHttpClientTransportConfig::with_uri(url).reinit_on_expired_session(false);
    let client = BoundedClient { address, headers: read_headers(headers)?, intake, patience };
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// An address taken apart, as far as a connection needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HttpAddress {
    /// True: the connection uses TLS.
    secure: bool,
    /// The host, without the brackets of an IPv6 address.
    host: String,
    port: u16,
    /// The value of the header `Host`.
    authority: String,
    /// Path and query.
    path: String,
}

impl HttpAddress {
    /// Parses an address. The error does not contain the address: it may hold a secret.
    fn parse(url: &str) -> Result<HttpAddress, &'static str> {
        let url = url.split('#').next().unwrap_or_default();
        let uri: Uri = url.parse().map_err(|_| "its address is invalid")?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("its address is neither http nor https"),
        };
        let authority = uri.authority().ok_or("its address names no host")?;
        if authority.as_str().contains('@') {
            return Err("its address holds a user name or a password; these belong into a header");
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err("its address names no host");
        }
        Ok(HttpAddress {
            secure,
            host,
            port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            authority: authority.as_str().to_owned(),
            path: uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        })
    }

    /// Returns the target of a redirection. `None` if it is another origin, or no address at all.
    fn redirected(&self, location: &str) -> Option<HttpAddress> {
        if location.starts_with('/') && !location.starts_with("//") {
            let uri: Uri = location.split('#').next()?.parse().ok()?;
            return Some(HttpAddress { path: uri.path_and_query()?.as_str().to_owned(), ..self.clone() });
        }
        let to = HttpAddress::parse(location).ok()?;
        let same =
            (to.secure, &to.port) == (self.secure, &self.port) && to.host.eq_ignore_ascii_case(&self.host);
        same.then_some(to)
    }
}

/// The headers that the connection and the protocol set themselves.
const OURS: [&str; 12] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Reads the headers of a target. The error names the first that cannot be sent.
fn read_headers(headers: &[(String, String)]) -> Result<HeaderMap, String> {
    let mut read = HeaderMap::new();
    for (name, value) in headers {
        let shown = text::shown(name.as_bytes(), 40);
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("the header `{shown}` has a name that no header has"))?;
        if OURS.contains(&name.as_str()) {
            return Err(format!("the header `{shown}` is set by the protocol; remove it"));
        }
        let mut value = HeaderValue::from_str(value.trim())
            .map_err(|_| format!("the header `{shown}` has a value that no header can have"))?;
        value.set_sensitive(true);
        read.append(name, value);
    }
    Ok(read)
}

/// Returns the TLS configuration with this machine's certificates. They are read once: it is a file of some hundred.
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

/// Sends a request over a connection of its own: nothing is to be found out about one that has died meanwhile.
async fn exchange(address: &HttpAddress, request: Request<Full<Bytes>>) -> io::Result<Response<Incoming>> {
    let tcp = TcpStream::connect((address.host.as_str(), address.port)).await?;
    if !address.secure {
        return exchange_over(tcp, request).await;
    }
    let name = ServerName::try_from(address.host.clone()).map_err(io::Error::other)?;
    let tls = TlsConnector::from(tls_config()?).connect(name, tcp).await;
    let tls = tls.map_err(|error| io::Error::new(error.kind(), format!("TLS failed: {error}")))?;
    exchange_over(tls, request).await
}

async fn exchange_over<C>(connection: C, request: Request<Full<Bytes>>) -> io::Result<Response<Incoming>>
where
    C: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(connection)).await.map_err(io::Error::other)?;
    // It ends with the answer, or when that is dropped.
    tokio::spawn(connection);
    sender.send_request(request).await.map_err(io::Error::other)
}

/// A client whose replies are counted.
#[derive(Clone)]
struct BoundedClient {
    address: HttpAddress,
    /// The headers of the target.
    headers: HeaderMap,
    intake: Arc<Intake>,
    /// The longest wait for the answer to `server/discover`.
    patience: Duration,
}

impl BoundedClient {
    /// Sends a request and follows redirections that repeat it at the same origin.
    async fn send(
        &self,
        method: Method,
        session: Option<&str>,
        headers: Headers,
        body: Option<&ClientJsonRpcMessage>,
    ) -> Result<Response<Incoming>, HttpError> {
        let bytes = body.map(serde_json::to_vec).transpose()?.map(Bytes::from).unwrap_or_default();
        let mut address = self.address.clone();
        for _ in 0..=REDIRECTIONS {
            let request =
                self.request(&address, &method, session, &headers, body.is_some(), bytes.clone())?;
            let response = exchange(&address, request).await?;
            if response.status().is_redirection() {
                let repeats = [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT];
                let location = response.headers().get(LOCATION).and_then(|it| it.to_str().ok());
                let to = location.filter(|_| repeats.contains(&response.status()));
                address = to.and_then(|to| address.redirected(to)).ok_or_else(|| {
                    let status = response.status().as_u16();
                    let what = format!("it redirects elsewhere (HTTP {status}), and that is not followed");
                    StreamableHttpError::Client(PostError::Redirect(what))
                })?;
                continue;
            }
            let length = response.headers().get(CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse().ok());
            if let Some(length) = length.filter(|length: &usize| *length > self.intake.remaining()) {
                self.intake.mark_flooded();
                return Err(violation(format!("it announces {length} bytes")));
            }
            return Ok(response);
        }
        Err(StreamableHttpError::Client(PostError::Redirect("it redirects in a circle".to_owned())))
    }

    fn request(
        &self,
        address: &HttpAddress,
        method: &Method,
        session: Option<&str>,
        headers: &Headers,
        posts: bool,
        body: Bytes,
    ) -> io::Result<Request<Full<Bytes>>> {
        let header = |value: &str| HeaderValue::from_str(value).map_err(io::Error::other);
        let mut all = self.headers.clone();
        all.entry(USER_AGENT)
            .or_insert(HeaderValue::from_static(concat!("preface/", env!("CARGO_PKG_VERSION"))));
        all.extend(headers.clone());
        all.insert(HOST, header(&address.authority)?);
        all.insert(
            ACCEPT,
            header(if posts { "application/json, text/event-stream" } else { "text/event-stream" })?,
        );
        if posts {
            all.insert(CONTENT_TYPE, header("application/json")?);
        }
        if let Some(session) = session {
            all.insert("mcp-session-id", header(session)?);
        }
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method.clone();
        *request.uri_mut() = address.path.parse().map_err(io::Error::other)?;
        *request.headers_mut() = all;
        Ok(request)
    }

    /// Returns the body in pieces, until the server has sent too much.
    fn pieces(&self, response: Response<Incoming>) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        let intake = self.intake.clone();
        BodyDataStream::new(response.into_body()).map(move |piece| {
            let piece = piece.map_err(io::Error::other)?;
            if intake.count_bytes(piece.len()) {
                Ok(piece)
            } else {
                Err(io::Error::other("it sends too much"))
            }
        })
    }

    /// Reads the message of a body, which must answer the request.
    async fn message(
        &self,
        response: Response<Incoming>,
        id: &RequestId,
    ) -> Result<ServerJsonRpcMessage, HttpError> {
        let body: Vec<u8> = self
            .pieces(response)
            .try_fold(Vec::new(), |mut body, piece| async move {
                body.extend_from_slice(&piece);
                Ok(body)
            })
            .await?;
        let shown = || text::shown(&body, 80);
        let mut message = serde_json::from_slice(&body)
            .map_err(|error| violation(format!("it sends what is not a message ({error}): `{}`", shown())))?;
        match &mut message {
            // Who refuses in front of a server does not know the id.
            JsonRpcMessage::Error(error) => error.id = Some(id.clone()),
            JsonRpcMessage::Response(response) if response.id.to_string() == id.to_string() => {
                response.id = id.clone();
            }
            _ => return Err(violation(format!("it sends a reply without a request: `{}`", shown()))),
        }
        Ok(message)
    }

    /// Reads the reply to a request.
    async fn reply(
        &self,
        response: Response<Incoming>,
        id: &RequestId,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let status = response.status();
        let session = response.headers().get("mcp-session-id").and_then(|id| id.to_str().ok());
        let session = session.map(str::to_owned);
        let kind = media_type(&response);
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(StreamableHttpError::Client(PostError::Unauthorized(status)));
        }
        if !status.is_success() {
            return match self.message(response, id).await {
                Ok(message @ JsonRpcMessage::Error(_)) => Ok(StreamableHttpPostResponse::Json(message, None)),
                _ => Err(StreamableHttpError::Client(PostError::Status(status))),
            };
        }
        match &*kind {
            "application/json" => {
                Ok(StreamableHttpPostResponse::Json(self.message(response, id).await?, session))
            }
            "text/event-stream" => Ok(StreamableHttpPostResponse::Sse(self.events(response), session)),
            "" => Err(violation(format!("it answers with no answer (HTTP {})", status.as_u16()))),
            other => Err(violation(format!(
                "it answers with `{}` (HTTP {})",
                text::shown(other.as_bytes(), 60),
                status.as_u16()
            ))),
        }
    }

    fn events(&self, response: Response<Incoming>) -> BoxStream<'static, Result<Sse, SseError>> {
        SseStream::from_bytes_stream(self.pieces(response)).boxed()
    }
}

impl StreamableHttpClient for BoundedClient {
    type Error = PostError;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let answer = async {
            let response = self.send(Method::POST, session.as_deref(), headers, Some(&message)).await?;
            match &message {
                JsonRpcMessage::Request(request) => self.reply(response, &request.id).await,
                // Nothing is expected; some servers reply nevertheless.
                _ if response.status().is_success() => Ok(StreamableHttpPostResponse::Accepted),
                _ => Err(StreamableHttpError::Client(PostError::Status(response.status()))),
            }
        };
        let id = match &message {
            JsonRpcMessage::Request(request)
                if matches!(request.request, ClientRequest::DiscoverRequest(_)) =>
            {
                &request.id
            }
            _ => return answer.await,
        };
        // A server that does not know the request may reply with any status, or not at all; other faults show in the older
        // handshake.
        match timeout(self.patience, async { answer.await?.expect_initialized().await }).await {
            Ok(Ok((message, session))) => Ok(StreamableHttpPostResponse::Json(message, session)),
            Ok(Err(error)) if !matches!(error, StreamableHttpError::Client(PostError::Status(_))) => {
                Err(error)
            }
            _ => Ok(StreamableHttpPostResponse::Json(Intake::unknown_method(id), None)),
        }
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        // The server may keep the session.
        self.send(Method::DELETE, Some(&session), headers, None).await.map(drop)
    }

    /// Resumes a stream. Nothing else is listened to.
    async fn get_stream(
        &self,
        _: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        mut headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, HttpError> {
        let last = last_event.and_then(|id| HeaderValue::from_str(&id).ok());
        let last = last.ok_or(StreamableHttpError::ServerDoesNotSupportSse)?;
        headers.insert(HeaderName::from_static("last-event-id"), last);
        let response = self.send(Method::GET, session.as_deref(), headers, None).await?;
        if !response.status().is_success() || media_type(&response) != "text/event-stream" {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        Ok(self.events(response))
    }
}

/// The media type, in small letters and without what follows it. Empty if there is none.
fn media_type(response: &Response<Incoming>) -> String {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{HttpAddress, read_headers};

    #[test]
    fn an_address_is_taken_apart() {
        let address = HttpAddress::parse("https://[::1]:8443/mcp?key=1#part").unwrap();
        assert_eq!((address.secure, &*address.host, address.port), (true, "::1", 8443));
        assert_eq!((&*address.authority, &*address.path), ("[::1]:8443", "/mcp?key=1"));
        assert_eq!(HttpAddress::parse("http://example.com").unwrap().path, "/");
        for wrong in
            ["", "mcp", "ftp://example.com", "http://", "http://me:secret@example.com/", "http://a b/"]
        {
            let error = HttpAddress::parse(wrong).unwrap_err();
            assert!(!error.contains("secret"));
        }
    }

    #[test]
    fn a_redirection_stays_at_its_origin() {
        let address = HttpAddress::parse("https://example.com/mcp").unwrap();
        assert_eq!(address.redirected("/mcp/").unwrap().path, "/mcp/");
        assert_eq!(address.redirected("https://EXAMPLE.com:443/new").unwrap().path, "/new");
        for elsewhere in [
            "http://example.com/mcp",
            "https://example.org/",
            "//example.org/",
            "https://example.com:1/",
            "mcp",
            "",
        ] {
            assert_eq!(address.redirected(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn a_target_cannot_set_the_headers_of_the_protocol() {
        let read = |name: &str, value: &str| read_headers(&[(name.to_owned(), value.to_owned())]);
        assert!(read("Authorization", "Bearer x").is_ok());
        for (name, value) in
            [("Host", "x"), ("Mcp-Session-Id", "x"), ("a b", "x"), ("", "x"), ("x", "sec\nret")]
        {
            let error = read(name, value).expect_err("it is refused");
            assert!(!error.contains("ret"), "{error}");
        }
    }
}
