//! Refusals that hyper writes by itself, before there is a request: of a head that is no HTTP (400), of a path that is too long (414)
//! and of a head that is too large (431). They are bare; what leaves here is the document of every other problem.
//!
//! hyper offers no place to change them but the connection. They differ from our own responses in the header that each of ours
//! has: the id of its request.

use crate::{
    Problem,
    headers::{self, REQUEST_ID},
};
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::IntoResponse,
};
use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection whose bare refusals become problems.
pub(crate) struct BareRefusals<S> {
    stream: S,
    /// A problem on its way, and how much of it was written.
    problem: Option<(Vec<u8>, usize)>,
}

impl<S> BareRefusals<S> {
    pub fn of(stream: S) -> Self {
        BareRefusals { stream, problem: None }
    }
}

impl<S: AsyncWrite + Unpin> BareRefusals<S> {
    /// Writes the problem, and reports the bytes that it stands for as written.
    fn poll_problem(&mut self, cx: &mut Context<'_>, instead_of: usize) -> Poll<io::Result<usize>> {
        while let Some((bytes, written)) = &mut self.problem {
            if *written == bytes.len() {
                self.problem = None;
                break;
            }
            match ready!(Pin::new(&mut self.stream).poll_write(cx, &bytes[*written..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => *written += count,
            }
        }
        Poll::Ready(Ok(instead_of))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for BareRefusals<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.problem.is_none() {
            match bare(bytes) {
                Some(status) => self.problem = Some((problem(status), 0)),
                None => return Pin::new(&mut self.stream).poll_write(cx, bytes),
            }
        }
        self.poll_problem(cx, bytes.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match slices {
            // A refusal has no body.
            [head] => self.poll_write(cx, head),
            _ => Pin::new(&mut self.stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for BareRefusals<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

/// Returns the status of a refusal that is bare.
fn bare(bytes: &[u8]) -> Option<StatusCode> {
    let head = bytes.strip_prefix(b"HTTP/1.1 4")?.strip_suffix(b"\r\n\r\n")?;
    let id = REQUEST_ID;
    if head.windows(id.as_str().len()).any(|some| some == id.as_str().as_bytes()) {
        return None;
    }
    StatusCode::from_bytes(bytes.get(9..12)?).ok()
}

/// Returns the problem as it goes over the connection, which hyper closes then.
fn problem(status: StatusCode) -> Vec<u8> {
    let problem = match status {
        StatusCode::URI_TOO_LONG => Problem::new(status, "path-too-long", "the path is too long"),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            Problem::new(status, "head-too-large", "the request headers are too large")
                .help("send at most 100 header fields and 64 KiB")
        }
        _ => Problem::new(status, "head", "the request is not valid HTTP/1.1"),
    };
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    let mut response = problem.into_response();
    headers::finish(&mut response, &HeaderValue::from_static("-"));
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    fields.insert(header::CONNECTION, HeaderValue::from_static("close"));
    fields.remove(REQUEST_ID);
    let mut bytes = format!("HTTP/1.1 {status}\r\n").into_bytes();
    for (name, value) in fields.iter() {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&body);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_without_the_id_of_a_request_is_bare() {
        let status = |head: &str| bare(head.as_bytes()).map(|status| status.as_u16());
        assert_eq!(
            status("HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\n\r\n"),
            Some(431)
        );
        assert_eq!(status("HTTP/1.1 404 Not Found\r\nx-request-id: 1\r\ncontent-length: 0\r\n\r\n"), None);
        assert_eq!(status("HTTP/1.1 200 OK\r\n\r\n"), None);
        assert_eq!(status("HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}"), None);
        assert_eq!(status("HTTP/1.1 4\r\n\r\n"), None);
    }
}
