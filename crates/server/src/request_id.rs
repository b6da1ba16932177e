//! The id of a request: the caller's, where it is a sane one, else one of ours.

use axum::http::{HeaderMap, HeaderValue};
use std::sync::atomic::{AtomicU64, Ordering};

/// The header that carries it, both ways.
pub(crate) const HEADER: &str = "x-request-id";

/// The longest that is taken.
const LONGEST: usize = 128;

/// Makes ids: a random word for each start, and a number.
#[derive(Debug)]
pub(crate) struct Ids {
    start: String,
    next: AtomicU64,
}

impl Default for Ids {
    fn default() -> Self {
        let mut bytes = [0; 6];
        // Ids need not be secret: without randomness they are merely less unique.
        let _ = getrandom::fill(&mut bytes);
        let start = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ids { start, next: AtomicU64::new(1) }
    }
}

impl Ids {
    pub fn of(&self, headers: &HeaderMap) -> HeaderValue {
        let sane = |id: &&HeaderValue| {
            (1..=LONGEST).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
        };
        match headers.get(HEADER).filter(sane) {
            Some(id) => id.clone(),
            None => {
                let number = self.next.fetch_add(1, Ordering::Relaxed);
                HeaderValue::try_from(format!("{}-{number}", self.start)).expect("letters and digits")
            }
        }
    }
}
