//! Compression of large responses, on request. Responses to POST and prompts of a usual size are not compressed: an agent
//! reads them once, and compressing 20 KiB costs many times the rest of the response.

use axum::{
    body::{Body, HttpBody},
    http::{HeaderMap, Method, Request, header},
    response::Response,
};
use std::{convert::Infallible, future::ready};
use tower::{ServiceExt, service_fn};
use tower_http::compression::Compression;

/// From this size on JSON is packed.
const LARGE: u64 = 48 << 10;
/// From this size on pages, scripts and styles are.
const PAGE: u64 = 2 << 10;

/// True if the caller would take a compressed response.
pub(crate) fn is_wanted(method: &Method, headers: &HeaderMap) -> bool {
    *method == Method::GET && takes(headers, "gzip")
}

/// True if the caller takes a coding by its name, and not with a quality of nothing.
pub(crate) fn takes(headers: &HeaderMap, coding: &str) -> bool {
    headers.get_all(header::ACCEPT_ENCODING).iter().any(|accepted| {
        accepted.to_str().is_ok_and(|accepted| {
            accepted.split(',').any(|one| {
                let (name, quality) = one.split_once(';').unwrap_or((one, ""));
                name.trim().eq_ignore_ascii_case(coding) && !is_zero(quality.trim())
            })
        })
    })
}

fn is_zero(quality: &str) -> bool {
    quality.strip_prefix("q=").is_some_and(|value| value.trim_end_matches(['0', '.']).is_empty())
}

/// Compresses a response that is large enough.
pub(crate) async fn compress(response: Response) -> Response {
    let kind =
        response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let least = match kind.split(';').next().unwrap_or_default() {
        "text/html" | "text/css" | "text/javascript" | "application/javascript" => PAGE,
        kind if kind.ends_with("json") || kind.starts_with("text/") => LARGE,
        _ => return response,
    };
    if response.size_hint().exact().is_none_or(|size| size < least) {
        return response;
    }
    let mut response = Some(response);
    let service =
        service_fn(move |_: Request<()>| ready(Ok::<_, Infallible>(response.take().unwrap_or_default())));
    let request =
        Request::builder().header(header::ACCEPT_ENCODING, "gzip").body(()).expect("a plain request");
    match Compression::new(service).gzip(true).oneshot(request).await {
        Ok(packed) => packed.map(Body::new),
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn brotli_is_used_if_the_client_accepts_it() {
        for (accepted, taken) in
            [("gzip, deflate, br, zstd", true), ("BR;q=0.5", true), ("br;q=0", false), ("gzip", false)]
        {
            let headers =
                HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))]);
            assert_eq!(takes(&headers, "br"), taken, "{accepted}");
        }
    }

    #[test]
    fn a_response_is_compressed_if_the_client_accepts_gzip() {
        for (accepted, wanted) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip;q=0.0, identity", false),
            ("identity", false),
        ] {
            let headers =
                HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))]);
            assert_eq!(is_wanted(&Method::GET, &headers), wanted, "{accepted}");
            assert!(!is_wanted(&Method::POST, &headers));
        }
    }
}
