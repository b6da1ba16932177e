//! Slots: the points of a turn at which hooks run. Six stages, each with a slot before and one after.

use crate::suggestion::quoted;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr};

/// One of the twelve slots for hooks: `COMPOSE_REQUEST/pre` is before the request is composed. The order is that of a turn.
///
/// ```
/// use preface_core::extension::Slot;
/// let slot: Slot = "TOOL_CALL/pre".parse().unwrap();
/// assert_eq!(slot.to_string(), "TOOL_CALL/pre");
/// assert!("tool_call/pre".parse::<Slot>().is_err(), "case counts");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(usize);

/// The names of the slots, in the order of a turn.
const NAMES: [&str; 12] = [
    "RECEIVE_INPUT/pre",
    "RECEIVE_INPUT/post",
    "COMPOSE_REQUEST/pre",
    "COMPOSE_REQUEST/post",
    "SEND_REQUEST/pre",
    "SEND_REQUEST/post",
    "STREAM_RESPONSE/pre",
    "STREAM_RESPONSE/post",
    "TOOL_CALL/pre",
    "TOOL_CALL/post",
    "RENDER/pre",
    "RENDER/post",
];

impl Slot {
    pub(crate) const RECEIVE_INPUT_PRE: Slot = Slot(0);
    pub(crate) const COMPOSE_REQUEST_PRE: Slot = Slot(2);
    pub(crate) const SEND_REQUEST_PRE: Slot = Slot(4);
    pub(crate) const TOOL_CALL_PRE: Slot = Slot(8);
    pub(crate) const TOOL_CALL_POST: Slot = Slot(9);

    /// Returns the twelve slots in the order of a turn.
    pub fn all() -> impl Iterator<Item = Slot> {
        (0..NAMES.len()).map(Slot)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(NAMES[self.0])
    }
}

impl FromStr for Slot {
    type Err = UnknownSlot;

    fn from_str(text: &str) -> Result<Self, UnknownSlot> {
        NAMES.iter().position(|name| *name == text).map(Slot).ok_or(UnknownSlot)
    }
}

/// The error for an unknown slot name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a slot is one of {}", quoted(NAMES))]
pub struct UnknownSlot;

impl Serialize for Slot {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Slot {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(|UnknownSlot| serde::de::Error::unknown_variant(&text, &NAMES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_twelve_and_each_is_read_as_it_is_written() {
        let all: Vec<Slot> = Slot::all().collect();
        assert_eq!(all.len(), 12);
        assert!(all.is_sorted(), "in the order of a turn");
        for slot in all {
            assert_eq!(slot.to_string().parse(), Ok(slot));
        }
        for wrong in ["", "TOOL_CALL", "TOOL_CALL/", "TOOL_CALL/PRE", "tool_call/pre", "TOOL_CALL/pre "] {
            assert_eq!(wrong.parse::<Slot>(), Err(UnknownSlot), "{wrong}");
        }
    }
}
