//! The author of a change, and its time. The clock is the caller's.

use jiff::Timestamp;

/// The author of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// A name for people: that of an access token, or `local`.
    pub name: String,
    /// The time of the change, to the millisecond: stores keep no more.
    pub at: Timestamp,
}

impl Actor {
    /// Builds an actor at the current time.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Actor::at(name, Timestamp::now())
    }

    /// Builds an actor at an instant.
    #[must_use]
    pub fn at(name: impl Into<String>, at: Timestamp) -> Self {
        Actor { name: name.into(), at: to_millisecond(at) }
    }
}

/// Writes an instant with milliseconds, always: in order as text, too.
#[must_use]
pub fn format_instant(at: Timestamp) -> String {
    format!("{at:.3}")
}

/// Drops what is finer than a millisecond.
pub(crate) fn to_millisecond(at: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}
