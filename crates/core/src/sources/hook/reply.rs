//! The reply of a hook, and which of its keys are used.

use super::{HookEvent, HookFailure};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode},
    extension::HookRole,
    settings::shown,
    suggestion::suggest_or,
};
use serde::Deserialize;
use serde_json::Value;

/// The reply of a hook. Each field has a meaning at some events only ([`HookEvent::reply_keys`]) and is ignored at others; the default
/// changes nothing.
///
/// ```
/// use preface_core::hook::{HookEvent, HookReply};
/// let (reply, diagnostics) = HookReply::read("tone", HookEvent::BeforeAgentStart, br#"{"system_prompt": "Be brief."}"#)?;
/// assert_eq!(reply.system_prompt.as_deref(), Some("Be brief."));
/// assert!(diagnostics.is_empty());
/// let (nothing, _) = HookReply::read("tone", HookEvent::BeforeAgentStart, b"\n")?;
/// assert_eq!(nothing, HookReply::default());
/// # Ok::<(), preface_core::hook::HookFailure>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HookReply {
    /// `input`: the text that replaces the user's message.
    pub prompt: Option<String>,
    /// `input`: true if the hook handled the message, and nothing else happens.
    pub handled: bool,
    /// `before_agent_start`: the whole prompt of this run. An empty one changes nothing.
    pub system_prompt: Option<String>,
    /// `before_agent_start`: true if this run has an empty prompt.
    pub replace_with_empty: bool,
    /// `before_agent_start`: a message after the user's; an object with `content`.
    pub message: Option<Value>,
    /// `before_agent_start`: the names of the tools that are active from now on.
    pub active_tools: Option<Vec<String>>,
    /// `context`: the messages of this request.
    pub messages: Option<Vec<Value>>,
    /// `resources_discover`: files and directories with skills.
    pub skill_paths: Vec<String>,
}

/// All keys, in the order in which diagnostics list them.
pub(super) const KEYS: [&str; 8] = [
    "prompt",
    "handled",
    "system_prompt",
    "replace_with_empty",
    "message",
    "active_tools",
    "messages",
    "skill_paths",
];

/// The number of keys that a diagnostic lists.
const NAMED: usize = 5;

impl HookReply {
    /// Checks conditions that the type cannot express, for handlers in the same process as well.
    pub(super) fn check(self) -> Result<Self, HookFailure> {
        if self.replace_with_empty && self.system_prompt.as_deref().is_some_and(|text| !text.is_empty()) {
            let what = "`replace_with_empty` and a `system_prompt` that is not empty exclude each other";
            return Err(HookFailure::reply(what));
        }
        Ok(self)
    }

    /// Clears all keys if the role may not reply, as an observer may not, and returns a warning.
    #[must_use]
    pub fn confine_role(&mut self, hook: &str, role: HookRole) -> Option<Diagnostic> {
        if role != HookRole::Observer || *self == HookReply::default() {
            return None;
        }
        *self = HookReply::default();
        let what =
            format!("hook `{}` is an observer and answered all the same; that is ignored", shown(hook));
        Some(
            Diagnostic::warning(DiagnosticCode::KeyUnknown, what)
                .help("`\"role\": \"transform\"` lets it change things"),
        )
    }
}

fn named(keys: &[&str]) -> String {
    let mut names: Vec<String> = keys.iter().take(NAMED).map(|key| format!("`{}`", shown(key))).collect();
    if keys.len() > NAMED {
        names.push(format!("and {} more", keys.len() - NAMED));
    }
    names.join(", ")
}

pub(super) fn unknown_keys(hook: &str, event: HookEvent, keys: &[&str]) -> Option<Diagnostic> {
    let first = keys.first()?;
    let what = format!("hook `{}` answered at {event} with an unknown reply: {}", shown(hook), named(keys));
    let help = suggest_or(first, KEYS, || reply_keys_help(event));
    Some(Diagnostic::warning(DiagnosticCode::KeyUnknown, what).help(help))
}

pub(super) fn ignored_keys(hook: &str, event: HookEvent, keys: &[&str]) -> Option<Diagnostic> {
    if keys.is_empty() {
        return None;
    }
    let what = format!("hook `{}` answered with what means nothing at {event}: {}", shown(hook), named(keys));
    Some(Diagnostic::warning(DiagnosticCode::KeyUnknown, what).help(reply_keys_help(event)))
}

fn reply_keys_help(event: HookEvent) -> String {
    match event.reply_keys() {
        [] => format!("nothing that a hook answers at {event} is used"),
        keys => format!("at {event} a hook may answer {}", named(keys)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_observer_changes_nothing() {
        let answer = HookReply { message: Some(json!({"content": "m"})), ..HookReply::default() };
        let mut reply = answer.clone();
        assert_eq!(reply.confine_role("h", HookRole::Transform), None);
        assert_eq!(reply, answer);
        assert!(reply.confine_role("h", HookRole::Observer).is_some());
        assert_eq!(reply, HookReply::default());
        assert_eq!(reply.confine_role("h", HookRole::Observer), None, "an empty reply is as it should be");
    }
}
