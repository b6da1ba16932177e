//! The headers of every answer.

use crate::request_id;
use axum::{
    http::{HeaderName, HeaderValue, header},
    response::Response,
};

/// What a browser may do with an answer that is no page.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");
const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"preface\"");
const SOON: HeaderValue = HeaderValue::from_static("1");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Adds them. What a handler has set stays.
pub(crate) fn finish(response: &mut Response, id: &HeaderValue) {
    let status = response.status().as_u16();
    let headers = response.headers_mut();
    let mut usual = |name: HeaderName, value: HeaderValue| {
        headers.entry(name).or_insert(value);
    };
    usual(header::CONTENT_SECURITY_POLICY, NOTHING);
    usual(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    usual(header::REFERRER_POLICY, NO_REFERRER);
    usual(header::CACHE_CONTROL, NO_STORE);
    usual(RESOURCE_POLICY, SAME_ORIGIN);
    match status {
        401 => usual(header::WWW_AUTHENTICATE, BEARER),
        503 => usual(header::RETRY_AFTER, SOON),
        _ => {}
    }
    headers.insert(HeaderName::from_static(request_id::HEADER), id.clone());
}
