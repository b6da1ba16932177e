//! Extractors for JSON bodies, paths and queries. Invalid input is a [`Problem`].

use crate::Problem;
use axum::{
    body::{Bytes, HttpBody},
    extract::{FromRequest, FromRequestParts, Path, Query, Request, rejection::BytesRejection},
    http::{StatusCode, header, request::Parts},
};
use preface_core::{duplicate_key, lint::character::excerpt};
use serde::de::DeserializeOwned;
use std::cell::Cell;

/// The most characters of the reason why input cannot be read: it may repeat the input.
const MOST_DETAIL: usize = 200;

/// A JSON body. Its content type must be JSON, and it comes as it is: nothing is unpacked.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let json =
            request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(
                |value| {
                    let kind = value.split(';').next().unwrap_or_default().trim();
                    kind.eq_ignore_ascii_case("application/json")
                },
            );
        if !json {
            let detail = "the body's content type is not `application/json`";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "content-type", detail)
                .help("send the header `Content-Type: application/json`"));
        }
        let coded = request.headers().get_all(header::CONTENT_ENCODING).iter().any(|coding| {
            let plain = |name: &[u8]| name.trim_ascii().eq_ignore_ascii_case(b"identity");
            !coding.as_bytes().split(|byte| *byte == b',').all(plain)
        });
        if coded {
            let detail = "the header `Content-Encoding` is not supported";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "content-encoding", detail)
                .help("send the body uncompressed, without that header"));
        }
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|refused: BytesRejection| Problem::new(refused.status(), "body", refused.body_text()))?;
        if bytes.starts_with("\u{feff}".as_bytes()) {
            let detail = "the body is not JSON: it begins with a byte order mark (U+FEFF)";
            return Err(Problem::new(StatusCode::BAD_REQUEST, "body", detail)
                .help("send it without the byte order mark"));
        }
        // A list would pass for an object with its fields in order.
        if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
            let detail = "the body cannot be read: it is a list, not an object";
            return Err(Problem::new(StatusCode::BAD_REQUEST, "body", detail)
                .help("see `/openapi.json` for the request"));
        }
        let unique = duplicate_key::check(&bytes, &Cell::new(usize::MAX));
        if let Some(error) = unique.err().filter(serde_json::Error::is_data) {
            let detail = format!("the body cannot be read: {error}");
            return Err(Problem::new(StatusCode::BAD_REQUEST, "body", detail).help("keep one of them"));
        }
        document(&bytes).map(JsonBody).map_err(|error| {
            let detail = excerpt(&format!("the body cannot be read: {error}"), MOST_DETAIL);
            Problem::new(StatusCode::BAD_REQUEST, "body", detail).help("see `/openapi.json` for the request")
        })
    }
}

/// Reads a JSON document, and knows where it stopped.
fn document<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_path_to_error::Error<serde_json::Error>> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let mut track = serde_path_to_error::Track::new();
    let read = T::deserialize(serde_path_to_error::Deserializer::new(&mut reader, &mut track));
    read.and_then(|read| reader.end().map(|()| read))
        .map_err(|error| serde_path_to_error::Error::new(track.path(), error))
}

/// A JSON body that may be left out.
#[derive(Debug)]
pub struct MaybeBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for MaybeBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        // Some clients send a content type or a transfer encoding whether or not a body follows. The body is here already,
        // so its end is known.
        if request.body().is_end_stream() {
            return Ok(MaybeBody(T::default()));
        }
        JsonBody::from_request(request, state).await.map(|JsonBody(body)| MaybeBody(body))
    }
}

/// The variables of the path.
#[derive(Debug)]
pub struct PathValues<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathValues<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(PathValues(value)),
            Err(refused) => {
                let detail = excerpt(&refused.body_text(), MOST_DETAIL);
                Err(Problem::new(StatusCode::BAD_REQUEST, "path", detail))
            }
        }
    }
}

/// The query.
#[derive(Debug)]
pub struct QueryValues<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryValues<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(QueryValues(value)),
            Err(refused) => {
                let detail = excerpt(&refused.body_text(), MOST_DETAIL);
                Err(Problem::new(StatusCode::BAD_REQUEST, "query", detail))
            }
        }
    }
}
