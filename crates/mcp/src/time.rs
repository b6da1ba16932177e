//! How a deadline is spent.

use std::time::{Duration, Instant};

/// How a deadline is spent.
pub(crate) struct Time {
    /// Until when it may talk.
    pub(crate) talk: tokio::time::Instant,
    /// Until when it is gone.
    pub(crate) end: tokio::time::Instant,
    /// How long it may think about `server/discover`: most of the time, as it may need that to start, and less than the ten
    /// seconds that the SDK gives it.
    pub(crate) patience: Duration,
}

impl Time {
    pub(crate) fn of(start: Instant, deadline: Duration) -> Self {
        // A time too long to be said is a day.
        let deadline = deadline.min(Duration::from_secs(86_400));
        let goodbye = (deadline / 10).clamp(Duration::from_millis(150), Duration::from_secs(1)).min(deadline);
        let end = tokio::time::Instant::from_std(start + deadline);
        Time { talk: end - goodbye, end, patience: (deadline * 3 / 5).min(Duration::from_secs(9)) }
    }

    /// How much of it is left.
    pub(crate) fn left(&self) -> Duration {
        self.end.saturating_duration_since(tokio::time::Instant::now())
    }
}
