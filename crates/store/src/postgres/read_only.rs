//! Servers that reject writes: standbys, former primaries, and read-only servers.
//!
//! A connection stays with its server when the address moves to another. One that leads to a server without writes may be read
//! through once; it is not used again, since after a failover what it reads is old and what it writes is refused.

use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};
use tokio_postgres::SimpleQueryMessage;

/// The time at which a server without writes was met last.
#[derive(Debug, Default)]
pub(super) struct LastReadOnly(Mutex<Option<Instant>>);

impl LastReadOnly {
    /// Notes that such a server was met now: connections that are there are not used again.
    pub fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns true if such a server was met after a connection was made.
    pub fn is_after(&self, made: Instant) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|met| met >= made)
    }
}

/// Reads the answer to `SHOW transaction_read_only`, the last of several statements.
pub(super) fn is_on(answers: &[SimpleQueryMessage]) -> bool {
    let rows = answers.iter().filter_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    rows.last().and_then(|row| row.get(0)) == Some("on")
}
