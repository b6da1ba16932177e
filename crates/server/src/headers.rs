//! The headers of every response, and the request id: the caller's if it is valid, else a generated one.

use crate::Identity;
use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::Response,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// The header with the id of a request, both ways.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header with the role of the access token.
const ROLE: HeaderName = HeaderName::from_static("preface-role");

/// The longest id that is taken.
const LONGEST: usize = 128;

/// The content security policy of responses that are not pages.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");
const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"preface\"");
const SOON: HeaderValue = HeaderValue::from_static("1");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Adds them. What a handler has set stays.
pub(crate) fn finish(response: &mut Response, id: &HeaderValue, identity: &Identity) {
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
    if let Identity::Token { role, .. } = identity {
        headers.insert(ROLE, HeaderValue::from_static(role.as_str()));
    }
    headers.insert(REQUEST_ID, id.clone());
}

/// The ids of requests: a random word for each start, and a number.
#[derive(Debug)]
pub(crate) struct RequestIds {
    start: String,
    next: AtomicU64,
}

impl Default for RequestIds {
    fn default() -> Self {
        let mut bytes = [0; 6];
        // Ids need not be secret: without randomness they are merely less unique.
        let _ = getrandom::fill(&mut bytes);
        let start = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        RequestIds { start, next: AtomicU64::new(1) }
    }
}

impl RequestIds {
    /// Returns the id of a request with these headers.
    pub fn of(&self, headers: &HeaderMap) -> HeaderValue {
        let sane = |id: &&HeaderValue| {
            (1..=LONGEST).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
        };
        match headers.get(REQUEST_ID).filter(sane) {
            Some(id) => id.clone(),
            None => {
                let number = self.next.fetch_add(1, Ordering::Relaxed);
                HeaderValue::try_from(format!("{}-{number}", self.start)).expect("letters and digits")
            }
        }
    }
}
