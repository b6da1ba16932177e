//! The events at which hooks run, by the names that manifests use.

use crate::extension::{Hook, Slot};
use serde::{Deserialize, Serialize};

/// An event at which hooks run. The order is that of a run.
///
/// ```
/// use preface_core::hook::HookEvent;
/// let event = HookEvent::named("before_agent_start").unwrap();
/// assert_eq!(event.slot().to_string(), "COMPOSE_REQUEST/pre");
/// assert!(event.reply_keys().contains(&"system_prompt"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum HookEvent {
    /// The start or reload of a conversation: hooks may add skills.
    ResourcesDiscover,
    /// A message of the user: hooks may change it, or handle it themselves.
    Input,
    /// The start of a run: hooks may change its prompt and its tools and add messages.
    BeforeAgentStart,
    /// A request before it is sent: hooks may change its messages.
    Context,
    /// The moment before a tool call.
    ToolCall,
    /// The moment after a tool call.
    ToolResult,
}

impl HookEvent {
    /// All events, in the order of a run.
    pub const ALL: [HookEvent; 6] = [
        HookEvent::ResourcesDiscover,
        HookEvent::Input,
        HookEvent::BeforeAgentStart,
        HookEvent::Context,
        HookEvent::ToolCall,
        HookEvent::ToolResult,
    ];

    /// Returns the name that manifests, hooks and diagnostics use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the event of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<HookEvent> {
        HookEvent::ALL.into_iter().find(|event| event.as_str() == name)
    }

    /// Returns the slot that orders the hooks of this event.
    #[must_use]
    pub fn slot(self) -> Slot {
        match self {
            HookEvent::ResourcesDiscover | HookEvent::Input => Slot::RECEIVE_INPUT_PRE,
            HookEvent::BeforeAgentStart => Slot::COMPOSE_REQUEST_PRE,
            HookEvent::Context => Slot::SEND_REQUEST_PRE,
            HookEvent::ToolCall => Slot::TOOL_CALL_PRE,
            HookEvent::ToolResult => Slot::TOOL_CALL_POST,
        }
    }

    /// Returns the event at which a manifest's hook runs: the one that it names, else the one of its slot.
    ///
    /// A slot alone never means `resources_discover`, which is no part of a turn and has to be named. `None`:
    /// preface does nothing in that slot.
    #[must_use]
    pub fn recorded_by(hook: &Hook) -> Option<HookEvent> {
        let mut of_turn = HookEvent::ALL.into_iter().filter(|event| *event != HookEvent::ResourcesDiscover);
        hook.event.or_else(|| of_turn.find(|event| Some(event.slot()) == hook.slot))
    }

    /// Returns the keys of a reply that have a meaning at this event; others are ignored with a diagnostic.
    #[must_use]
    pub fn reply_keys(self) -> &'static [&'static str] {
        match self {
            HookEvent::ResourcesDiscover => &["skill_paths"],
            HookEvent::Input => &["prompt", "handled"],
            HookEvent::BeforeAgentStart => {
                &["system_prompt", "replace_with_empty", "message", "active_tools"]
            }
            HookEvent::Context => &["messages"],
            HookEvent::ToolCall | HookEvent::ToolResult => &[],
        }
    }

    /// Returns true for the events of tool calls, which an agent makes and preface does not: it lists their hooks for the agent
    /// and starts none.
    #[must_use]
    pub fn is_of_tool_calls(self) -> bool {
        matches!(self, HookEvent::ToolCall | HookEvent::ToolResult)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_slots_agree_with_the_manifests() {
        assert!(HookEvent::ALL.is_sorted(), "in the order of a run");
        assert!(HookEvent::ALL.map(HookEvent::slot).is_sorted(), "which is that of a turn");
        for event in HookEvent::ALL {
            assert_eq!(HookEvent::named(event.as_str()), Some(event));
            assert_eq!(serde_json::to_value(event).unwrap(), event.as_str());
        }
        assert_eq!(HookEvent::named("Context"), None);
    }

    #[test]
    fn a_slot_alone_means_the_event_of_the_turn() {
        let hook = |slot: &str, event: Option<&str>| Hook {
            slot: slot.parse().ok(),
            event: event.and_then(HookEvent::named),
            ..Hook::default()
        };
        for (slot, event, expected) in [
            ("RECEIVE_INPUT/pre", None, Some(HookEvent::Input)),
            ("RECEIVE_INPUT/pre", Some("resources_discover"), Some(HookEvent::ResourcesDiscover)),
            ("COMPOSE_REQUEST/pre", None, Some(HookEvent::BeforeAgentStart)),
            ("SEND_REQUEST/pre", None, Some(HookEvent::Context)),
            ("TOOL_CALL/post", None, Some(HookEvent::ToolResult)),
            ("COMPOSE_REQUEST/post", None, None),
            ("RENDER/pre", None, None),
            ("", Some("context"), Some(HookEvent::Context)),
            ("", None, None),
        ] {
            assert_eq!(HookEvent::recorded_by(&hook(slot, event)), expected, "{slot} {event:?}");
        }
    }
}
