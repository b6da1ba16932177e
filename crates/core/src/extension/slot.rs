//! Slots: the points of a turn at which hooks run. Six stages, each with a slot before and one after.

use crate::suggestion::quoted;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr};

/// A stage of a turn. The order is that of the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlotStage {
    /// The user's message is received.
    ReceiveInput,
    /// The request is composed.
    ComposeRequest,
    /// The request is sent to the model.
    SendRequest,
    /// The response is received.
    StreamResponse,
    /// A tool is called.
    ToolCall,
    /// The response is displayed.
    Render,
}

/// The position of a slot relative to its stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StagePosition {
    /// Before the stage.
    Pre,
    /// After the stage.
    Post,
}

/// One of the twelve slots for hooks: `COMPOSE_REQUEST/pre`.
///
/// ```
/// use preface_core::extension::Slot;
/// let slot: Slot = "TOOL_CALL/pre".parse().unwrap();
/// assert_eq!(slot.to_string(), "TOOL_CALL/pre");
/// assert!("tool_call/pre".parse::<Slot>().is_err(), "case counts");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The stage.
    pub stage: SlotStage,
    /// The position relative to the stage.
    pub position: StagePosition,
}

const STAGES: [(SlotStage, &str); 6] = [
    (SlotStage::ReceiveInput, "RECEIVE_INPUT"),
    (SlotStage::ComposeRequest, "COMPOSE_REQUEST"),
    (SlotStage::SendRequest, "SEND_REQUEST"),
    (SlotStage::StreamResponse, "STREAM_RESPONSE"),
    (SlotStage::ToolCall, "TOOL_CALL"),
    (SlotStage::Render, "RENDER"),
];

const POSITIONS: [(StagePosition, &str); 2] = [(StagePosition::Pre, "pre"), (StagePosition::Post, "post")];

fn at(stage: SlotStage, position: StagePosition) -> Slot {
    Slot { stage, position }
}

impl Slot {
    /// Returns the twelve slots in the order of a turn.
    pub fn all() -> impl Iterator<Item = Slot> {
        STAGES.iter().flat_map(|(stage, _)| POSITIONS.iter().map(|(position, _)| at(*stage, *position)))
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = STAGES.iter().find(|(stage, _)| *stage == self.stage).map_or("", |(_, name)| name);
        let position = POSITIONS.iter().find(|(p, _)| *p == self.position).map_or("", |(_, name)| name);
        f.pad(&format!("{stage}/{position}"))
    }
}

impl FromStr for Slot {
    type Err = UnknownSlot;

    fn from_str(text: &str) -> Result<Self, UnknownSlot> {
        Slot::all().find(|slot| slot.to_string() == text).ok_or(UnknownSlot)
    }
}

/// The error for an unknown slot name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnknownSlot;

impl fmt::Display for UnknownSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages: Vec<&str> = STAGES.iter().map(|(_, name)| *name).collect();
        write!(f, "a slot is one of {} with `/pre` or `/post`", stages.join(", "))
    }
}

impl Serialize for Slot {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Slot {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let known = || quoted(Slot::all());
        text.parse().map_err(|UnknownSlot| {
            serde::de::Error::custom(format!("unknown variant `{text}`, expected {}", known()))
        })
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
