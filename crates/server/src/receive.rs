//! Receiving bodies: each into one buffer, within a limit for one, a limit for all that are held at once, and a deadline. Replies have
//! a limit for all that are not sent yet.
//!
//! The limits are of memory. Chunks are copied and dropped as they arrive, since a client chooses how small they are, and each
//! has a cost of its own.

use crate::{Problem, ServiceLimits};
use axum::{
    body::{Body, Bytes, HttpBody},
    http::{HeaderMap, StatusCode, header},
    response::Response,
};
use std::{
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The bytes of all bodies that are held now.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyMemory(Arc<AtomicUsize>);

/// The part of them that one request holds, until it is dropped.
#[derive(Debug)]
pub(crate) struct BodyReservation {
    all: BodyMemory,
    bytes: usize,
}

impl BodyReservation {
    /// Takes as many bytes as make `bytes` in all; false if all requests together would hold more than `most`.
    fn grow_to(&mut self, bytes: usize, most: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let taken = self.all.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
            // One alone may have more: it would never fit otherwise.
            held.checked_add(more).filter(|sum| *sum <= most || held == 0)
        });
        if taken.is_ok() {
            self.bytes += more;
        }
        taken.is_ok()
    }
}

/// From this size on a reply is counted: a smaller one fits into the buffers of a connection.
const LEAST: usize = 16 << 10;

/// The bytes of a reply, with their part of the memory.
struct HeldReply(Bytes, #[expect(dead_code, reason = "it is dropped with the bytes")] BodyReservation);

impl AsRef<[u8]> for HeldReply {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for BodyReservation {
    fn drop(&mut self) {
        self.all.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl BodyMemory {
    /// Counts the body of a reply, which is complete, until it is sent.
    pub async fn hold(&self, reply: Response, most: usize) -> Result<Response, Problem> {
        let (parts, body) = reply.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
        if bytes.len() < LEAST {
            return Ok(Response::from_parts(parts, bytes.into()));
        }
        let mut share = BodyReservation { all: self.clone(), bytes: 0 };
        if !share.grow_to(bytes.len(), most) {
            let detail = "too much memory is used by replies that are not read";
            return Err(
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail).help("try again in a second")
            );
        }
        Ok(Response::from_parts(parts, Bytes::from_owner(HeldReply(bytes, share)).into()))
    }

    /// Receives a body of at most `most` bytes. The share is to be held as long as the bytes may be.
    pub async fn receive(
        &self,
        headers: &HeaderMap,
        body: Body,
        most: usize,
        limits: &ServiceLimits,
    ) -> Result<(Bytes, BodyReservation), Problem> {
        let mut share = BodyReservation { all: self.clone(), bytes: 0 };
        // A body that is too large by its own header is not read.
        let length =
            headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if let Some(length) = length.filter(|length| *length > most as u64) {
            return Err(too_large(&format!("the body has {length} bytes; the limit is {most}")));
        }
        if body.is_end_stream() {
            return Ok((Bytes::new(), share));
        }
        let received = tokio::time::timeout(limits.body, collect(body, most, &mut share, limits.bodies));
        let bytes = received.await.map_err(|_| timeout_problem(limits))??;
        Ok((bytes, share))
    }
}

async fn collect(
    mut body: Body,
    most: usize,
    share: &mut BodyReservation,
    all: usize,
) -> Result<Bytes, Problem> {
    let mut buffer = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| {
            Problem::new(StatusCode::BAD_REQUEST, "body", "the body ended before it was complete")
        })?;
        let Ok(chunk) = frame.into_data() else { continue };
        let needed = buffer.len() + chunk.len();
        if needed > most {
            return Err(too_large(&format!("the body has more than {most} bytes")));
        }
        if needed > buffer.capacity() {
            let capacity = needed.max(buffer.capacity() * 2).min(most);
            if !share.grow_to(capacity, all) {
                return Err(Problem::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "busy",
                    "too much memory is used by the bodies of other requests",
                )
                .help("try again in a second"));
            }
            buffer.reserve_exact(capacity - buffer.len());
        }
        buffer.extend_from_slice(&chunk);
    }
    Ok(buffer.into())
}

fn too_large(detail: &str) -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body-too-large", detail)
}

fn timeout_problem(limits: &ServiceLimits) -> Problem {
    let detail = format!("the body did not arrive within {} seconds", limits.body.as_secs_f64());
    Problem::new(StatusCode::REQUEST_TIMEOUT, "body-timeout", detail)
        .help("send the body without pauses, or send a smaller one")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::body::Frame;
    use std::{
        collections::VecDeque,
        convert::Infallible,
        task::{Context, Poll},
        time::Duration,
    };

    /// Chunks that count how many of them are alive, and never more than were requested. It ends, or stays open.
    struct Chunks {
        left: VecDeque<usize>,
        alive: Arc<()>,
        most_alive: Arc<AtomicUsize>,
        ends: bool,
    }

    struct ReservedChunk(Vec<u8>, #[expect(dead_code, reason = "it is counted")] Arc<()>);

    impl AsRef<[u8]> for ReservedChunk {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    impl HttpBody for Chunks {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            self.most_alive.fetch_max(Arc::strong_count(&self.alive) - 1, Ordering::Relaxed);
            match self.left.pop_front() {
                Some(size) => {
                    let chunk = Bytes::from_owner(ReservedChunk(vec![b' '; size], self.alive.clone()));
                    Poll::Ready(Some(Ok(Frame::data(chunk))))
                }
                None if self.ends => Poll::Ready(None),
                None => Poll::Pending,
            }
        }
    }

    fn chunks(sizes: &[usize], ends: bool) -> (Body, Arc<AtomicUsize>) {
        let most_alive = Arc::new(AtomicUsize::new(0));
        let left = sizes.iter().copied().collect();
        let body = Chunks { left, alive: Arc::new(()), most_alive: most_alive.clone(), ends };
        (Body::new(body), most_alive)
    }

    const LIMITS: fn() -> ServiceLimits = || ServiceLimits { bodies: 100, ..ServiceLimits::default() };

    fn held(all: &BodyMemory) -> usize {
        all.0.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn the_size_of_chunks_costs_no_memory() {
        let all = BodyMemory::default();
        let (body, most_alive) = chunks(&[1; 64], true);
        let (bytes, share) = all.receive(&HeaderMap::new(), body, 64, &LIMITS()).await.unwrap();
        assert_eq!(bytes.len(), 64);
        assert_eq!(most_alive.load(Ordering::Relaxed), 0, "no chunk is alive when the next is requested");
        assert_eq!((share.bytes, held(&all)), (64, 64), "the buffer is not larger than the limit of a body");
        drop(share);
        assert_eq!(held(&all), 0);
    }

    #[tokio::test]
    async fn all_bodies_together_have_a_limit() {
        let all = BodyMemory::default();
        let receive = |size| {
            let all = all.clone();
            async move { all.receive(&HeaderMap::new(), chunks(&[size], true).0, 64, &LIMITS()).await }
        };
        let (_, first) = receive(60).await.unwrap();
        let refused = receive(41).await.unwrap_err();
        assert_eq!((refused.status, refused.code.as_str()), (503, "busy"));
        assert_eq!(held(&all), 60, "what was refused holds nothing");
        let (_, second) = receive(40).await.unwrap();
        drop(first);
        assert!(receive(41).await.is_ok());
        drop(second);
    }

    #[tokio::test]
    async fn replies_are_held_until_they_are_sent_and_one_alone_may_be_large() {
        let all = BodyMemory::default();
        let reply = |size| Response::new(Body::from(vec![b' '; size]));
        let first = all.hold(reply(LEAST * 3), LEAST * 2).await.unwrap();
        let refused = all.hold(reply(LEAST), LEAST * 2).await.unwrap_err();
        assert_eq!((refused.status, refused.code.as_str()), (503, "busy"));
        assert!(all.hold(reply(LEAST - 1), LEAST * 2).await.is_ok(), "a small one is not counted");
        let bytes = axum::body::to_bytes(first.into_body(), usize::MAX).await.unwrap();
        assert_eq!((bytes.len(), held(&all)), (LEAST * 3, LEAST * 3));
        drop(bytes);
        assert_eq!(held(&all), 0);
    }

    #[tokio::test]
    async fn one_body_has_a_limit_and_a_deadline() {
        let (all, limits) =
            (BodyMemory::default(), ServiceLimits { body: Duration::from_millis(1), ..LIMITS() });
        let (body, _) = chunks(&[60, 5], true);
        let refused = all.receive(&HeaderMap::new(), body, 64, &limits).await.unwrap_err();
        assert_eq!((refused.status, refused.code.as_str()), (413, "body-too-large"));
        let (body, _) = chunks(&[60], false);
        let refused = all.receive(&HeaderMap::new(), body, 64, &limits).await.unwrap_err();
        assert_eq!((refused.status, refused.code.as_str()), (408, "body-timeout"));
        assert_eq!(held(&all), 0);
    }

    #[tokio::test]
    async fn a_body_that_is_too_large_by_its_header_is_not_read() {
        let (all, limits) =
            (BodyMemory::default(), ServiceLimits { body: Duration::from_millis(1), ..LIMITS() });
        let headers = HeaderMap::from_iter([(header::CONTENT_LENGTH, 65.into())]);
        // It never ends: a reader of it would refuse it by the deadline.
        let (body, _) = chunks(&[], false);
        let refused = all.receive(&headers, body, 64, &limits).await.unwrap_err();
        assert_eq!((refused.status, refused.code.as_str()), (413, "body-too-large"));
    }
}
