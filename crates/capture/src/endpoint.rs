//! An endpoint on loopback in the place of a model's service: it answers each request, keeps what was sent, and forwards nothing.

use crate::answer::{Answer, answer};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use std::{
    collections::VecDeque,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{net::TcpListener, sync::mpsc, task::JoinHandle};
use tower_http::decompression::RequestDecompressionLayer;

/// The most bytes of a body, after its content codings are undone.
pub const BODY_LIMIT: usize = 64 << 20;

/// The most requests that wait to be taken: a flood waits for its reader.
const QUEUE: usize = 64;

/// A request as it came in. The values of its headers are not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedRequest {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The path with its query, without the values of a query.
    pub path: String,
    /// The body without its content coding.
    pub body: Vec<u8>,
    /// False if the path is none of a model's service, or the body was refused.
    pub known: bool,
}

/// The texts of the next answers.
type Answers = Arc<Mutex<VecDeque<String>>>;

/// A running endpoint. It ends when it is dropped.
#[derive(Debug)]
pub struct Endpoint {
    address: SocketAddr,
    requests: mpsc::Receiver<ReceivedRequest>,
    answers: Answers,
    server: JoinHandle<()>,
}

impl Endpoint {
    /// Listens on a port of 127.0.0.1; 0 takes a free one.
    ///
    /// # Errors
    /// The port is taken.
    pub async fn start(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let address = listener.local_addr()?;
        let (send, requests) = mpsc::channel(QUEUE);
        let answers = Answers::default();
        let app = Router::new()
            .fallback(receive)
            .layer(RequestDecompressionLayer::new())
            .with_state((send, Arc::clone(&answers)));
        let server = tokio::spawn(async move {
            // It ends with the task.
            let _ = axum::serve(listener, app).await;
        });
        Ok(Endpoint { address, requests, answers, server })
    }

    /// Returns `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the text of the next answer that has no other; without one it is "OK", or JSON by the schema of the request.
    pub fn script_answer(&self, text: String) {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push_back(text);
    }

    /// Waits for the next request. Its answer is on the way when it is returned.
    pub async fn next(&mut self) -> Option<ReceivedRequest> {
        self.requests.recv().await
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn receive(
    State((send, answers)): State<(mpsc::Sender<ReceivedRequest>, Answers)>,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let shown = match head.uri.query() {
        // A value may be a key.
        Some(query) => {
            let names: Vec<&str> =
                query.split('&').map(|pair| pair.split('=').next().unwrap_or(pair)).collect();
            format!("{path}?{}", names.join("&"))
        }
        None => path.clone(),
    };
    let received = |body: Vec<u8>, known| ReceivedRequest {
        method: head.method.to_string(),
        path: shown.clone(),
        body,
        known,
    };
    if head.headers.contains_key(header::UPGRADE) {
        let _ = send.send(received(Vec::new(), true)).await;
        return (StatusCode::UPGRADE_REQUIRED, "no upgrade is possible here").into_response();
    }
    let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
        let _ = send.send(received(Vec::new(), false)).await;
        return (StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 64 MiB, or damaged").into_response();
    };
    let scripted = || answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let answer = answer(head.method == Method::GET, &path, head.uri.query().unwrap_or(""), &body, scripted);
    let _ = send.send(received(body.into(), answer.is_some())).await;
    match answer {
        Some(Answer { content_type, text }) => {
            ([(header::CONTENT_TYPE, content_type)], Body::from(text)).into_response()
        }
        None => {
            let text = r#"{"error":{"type":"not_found_error","message":"not available while requests are captured"}}"#;
            (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, "application/json")], text).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    async fn sent(endpoint: &mut Endpoint, request: &[u8]) -> (String, Option<ReceivedRequest>) {
        let mut stream = tokio::net::TcpStream::connect(endpoint.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await.unwrap();
        (reply, endpoint.requests.try_recv().ok())
    }

    fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
        let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}");
        let length = format!("content-length: {}\r\n\r\n", body.len());
        [head.as_bytes(), length.as_bytes(), body].concat()
    }

    #[tokio::test]
    async fn a_request_is_answered_and_kept_without_keys() {
        let mut endpoint = Endpoint::start(0).await.unwrap();
        let request =
            post("/v1/messages?key=secret", "x-api-key: secret\r\n", br#"{"model":"m","messages":[]}"#);
        let (reply, received) = sent(&mut endpoint, &request).await;
        assert!(reply.starts_with("HTTP/1.1 200 OK") && reply.contains("end_turn"), "{reply}");
        let received = received.unwrap();
        assert_eq!((received.path.as_str(), received.known), ("/v1/messages?key", true));
        assert!(!format!("{received:?}").contains("secret"));
    }

    #[tokio::test]
    async fn codings_are_undone_and_chunks_joined() {
        let mut endpoint = Endpoint::start(0).await.unwrap();
        let gzip: &[u8] =
            b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xabVJT\xb22\xac\x05\x00\xaf\xac\x1bV\x07\x00\x00\x00";
        let zstd: &[u8] = b"\x28\xb5\x2f\xfd\x20\x07\x39\0\0{\"a\":1}";
        for (coding, bytes) in [("gzip", gzip), ("zstd", zstd)] {
            let request = post("/v1/responses", &format!("content-encoding: {coding}\r\n"), bytes);
            let (_, received) = sent(&mut endpoint, &request).await;
            assert_eq!(received.unwrap().body, br#"{"a":1}"#, "{coding}");
        }
        let chunked = b"POST /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n";
        let (_, received) = sent(&mut endpoint, chunked).await;
        assert_eq!(received.unwrap().body, br#"{"a":1}"#);
        let (reply, _) =
            sent(&mut endpoint, &post("/v1/responses", "content-encoding: lzma\r\n", b"x")).await;
        assert!(reply.starts_with("HTTP/1.1 415"), "{reply}");
    }

    #[tokio::test]
    async fn an_upgrade_is_refused_and_an_unknown_path_is_listed() {
        let mut endpoint = Endpoint::start(0).await.unwrap();
        let upgrade = b"GET /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: close, upgrade\r\nupgrade: websocket\r\n\r\n";
        let (reply, _) = sent(&mut endpoint, upgrade).await;
        assert!(reply.starts_with("HTTP/1.1 426"), "{reply}");
        let (reply, received) = sent(&mut endpoint, &post("/telemetry", "", b"{}")).await;
        assert!(reply.starts_with("HTTP/1.1 404"), "{reply}");
        assert!(!received.unwrap().known);
    }
}
